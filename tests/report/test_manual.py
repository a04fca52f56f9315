from __future__ import annotations

from reconciler.report import manual, manual_list, manual_page
from reconciler.rules import ALL_RULES, RESOURCE_RULES, Rule, Severity
from reconciler.rules.findings import Example

RULE = Rule(
    code="one-two",
    severity=Severity.WARNING,
    title="One is two",
    because=" ".join(
        ["Because of a reason that goes on for more than the hundred and twenty characters of a line,"] * 2
    )
    + " and ends.",
    example=Example(breaks="a: 1\n", mends="a: 2\n"),
)

PAGE = """\
## one-two

One is two.

Because of a reason that goes on for more than the hundred and twenty characters of a line, Because of a reason that
goes on for more than the hundred and twenty characters of a line, and ends.

This breaks it:

```yaml
a: 1
```

This mends it:

```yaml
a: 2
```

Severity: warning. {}
"""


def test_a_page_says_what_is_demanded_why_what_breaks_it_and_what_to_write_instead() -> None:
    assert manual_page(RULE) == PAGE.format("A stack cannot change that.")


def test_a_page_says_what_a_stack_may_make_of_a_rule() -> None:
    choices = {(rule.adjustable, rule.exemptable): manual_page(rule).splitlines()[-1] for rule in ALL_RULES.values()}

    assert {choice: line.partition(". ")[2] for choice, line in choices.items()} == {
        (True, True): "A stack may set it to `error`, `warning` or `off`, and exempt single topics.",
        (True, False): "A stack may set it to `error`, `warning` or `off`.",
        (False, True): "A stack may exempt single topics, and not change it otherwise.",
        (False, False): "A stack cannot change that.",
    }


def test_the_list_has_a_line_for_each_rule_in_the_order_of_codes() -> None:
    other = Rule(code="a-rule", severity=Severity.UNDECIDED, title="A is b", because="It is.")

    assert manual_list([RULE, other]) == "a-rule   undecided  A is b\none-two  warning    One is two\n\n2 rules\n"


def test_the_manual_links_each_rule_to_its_page() -> None:
    other = Rule(code="two-three", severity=Severity.ERROR, title="Two is three", because="It is.")
    text = manual([RULE], [other])

    assert "| [`one-two`](#one-two) | warning | One is two |\n" in text
    assert text.index(manual_page(RULE)) < text.index("| [`two-three`](#two-three) | error | Two is three |\n")
    assert text.endswith(manual_page(other))


def test_a_page_of_the_policy_packs_own_rules_says_that_its_configuration_sets_their_level() -> None:
    lines = {manual_page(rule).splitlines()[-1].partition(". ")[2] for rule in RESOURCE_RULES.values()}

    assert lines == {"The configuration of the policy pack sets its enforcement level."}
