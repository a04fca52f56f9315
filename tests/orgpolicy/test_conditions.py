"""Conditions on tags: what counts as one, and when it holds."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Mapping

import hypothesis.strategies as st
import pytest
from hypothesis import given

from reconciler.orgpolicy import NO_TAGS, TagKey, Tags, UnsupportedCondition, parse_condition
from reconciler.orgpolicy.conditions import Condition, Conjunction, Disjunction, Negation, TagTest, holds

ENV, REGION = "1/env", "1/region"
PROD = Tags(values={ENV: "prod"}, keys={ENV: TagKey(id="tagKeys/7", values={"prod": "tagValues/70"})})
UNKNOWN = Tags(unknown_at="folders/4")


@pytest.mark.parametrize(
    ("expression", "condition"),
    [
        ("resource.matchTag('1/env', 'prod')", TagTest("matchTag", (ENV, "prod"))),
        ('resource.hasTagKey("1/env")', TagTest("hasTagKey", (ENV,))),
        ("resource.matchTagId('tagKeys/7', 'tagValues/70')", TagTest("matchTagId", ("tagKeys/7", "tagValues/70"))),
        ("((resource.hasTagKeyId('tagKeys/7')))", TagTest("hasTagKeyId", ("tagKeys/7",))),
        (
            "resource.hasTagKey('a') || resource.hasTagKey('b') && !resource.hasTagKey('c')",
            Disjunction(
                TagTest("hasTagKey", ("a",)),
                Conjunction(TagTest("hasTagKey", ("b",)), Negation(TagTest("hasTagKey", ("c",)))),
            ),
        ),
        (
            "!(resource.hasTagKey('a') || resource.hasTagKey('b'))",
            Negation(Disjunction(TagTest("hasTagKey", ("a",)), TagTest("hasTagKey", ("b",)))),
        ),
    ],
)
def test_googles_functions_under_and_or_and_not_are_read(expression: str, condition: Condition) -> None:
    assert parse_condition(expression) == condition


SOMETHING_ELSE = "says something else than Google's four functions on tags"


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("", "is not a CEL expression"),
        ("resource.matchTag('1/env',", "is not a CEL expression"),
        ("true", SOMETHING_ELSE),
        ("resource.hasTagKey('a') == true", SOMETHING_ELSE),
        ("resource.hasTagKey('a') ? true : false", SOMETHING_ELSE),
        ("-resource.hasTagKey('a')", SOMETHING_ELSE),
        ("resource.name.startsWith('a')", SOMETHING_ELSE),
        ("resource.matchTags('1/env', 'prod')", SOMETHING_ELSE),
        ("matchTag('1/env', 'prod')", SOMETHING_ELSE),
        ("resource.hasTagKey()", "does not give `resource.hasTagKey` what it takes, plain quoted texts"),
        ("resource.matchTag('1/env')", "does not give `resource.matchTag` what it takes, plain quoted texts"),
        ("resource.matchTag('1/' + 'env', 'a')", "does not give `resource.matchTag` what it takes, plain quoted texts"),
        ("resource.matchTag('1/env', 1)", "does not give `resource.matchTag` what it takes, plain quoted texts"),
        (r"resource.hasTagKey('a\u0062')", "does not give `resource.hasTagKey` what it takes, plain quoted texts"),
        ("resource.hasTagKey(r'a')", "does not give `resource.hasTagKey` what it takes, plain quoted texts"),
        ("request.hasTagKey('a')", "does not give `resource.hasTagKey` what it takes, plain quoted texts"),
        ("resource.x.hasTagKey('a')", "does not give `resource.hasTagKey` what it takes, plain quoted texts"),
        (" && ".join(["resource.hasTagKey('a')"] * 11), "has more than 10 tests on tags"),
        ("!" * 60 + "resource.hasTagKey('a')", "nests deeper than 50 levels"),
        ("(" * 1000 + "resource.hasTagKey('a')" + ")" * 1000, "nests deeper than 50 levels"),
    ],
)
def test_any_other_expression_is_not_guessed_at(expression: str, why: str) -> None:
    with pytest.raises(UnsupportedCondition) as refused:
        parse_condition(expression)

    assert str(refused.value) == why


def test_ten_tests_are_accepted() -> None:
    condition = parse_condition(" || ".join(f"resource.hasTagKey('{n}')" for n in range(10)))

    assert holds(condition, Tags(values={"9": "x"})) is True
    assert holds(condition, NO_TAGS) is False


@pytest.mark.parametrize(
    ("expression", "tags", "verdict"),
    [
        ("resource.matchTag('1/env', 'prod')", PROD, True),
        ("resource.matchTag('1/env', 'dev')", PROD, False),
        ("resource.matchTag('1/region', 'eu')", PROD, False),
        ("resource.matchTag('1/env', 'prod')", UNKNOWN, None),
        ("resource.hasTagKey('1/env')", PROD, True),
        ("resource.hasTagKey('1/env')", NO_TAGS, False),
        ("resource.hasTagKey('1/env')", UNKNOWN, None),
        ("resource.matchTagId('tagKeys/7', 'tagValues/70')", PROD, True),
        ("resource.matchTagId('tagKeys/7', 'tagValues/71')", PROD, False),
        ("resource.matchTagId('tagKeys/8', 'tagValues/80')", PROD, False),
        ("resource.matchTagId('tagKeys/8', 'tagValues/80')", UNKNOWN, None),
        ("resource.matchTagId('tagKeys/8', 'tagValues/80')", Tags(values={ENV: "prod"}), None),
        ("resource.matchTagId('tagKeys/7', 'tagValues/70')", Tags(keys=PROD.keys), False),
        (
            "resource.matchTagId('tagKeys/7', 'tagValues/70')",
            Tags(values={ENV: "dev"}, keys=PROD.keys),
            None,
        ),
        ("resource.hasTagKeyId('tagKeys/7')", PROD, True),
        ("resource.hasTagKeyId('tagKeys/8')", PROD, False),
        ("resource.hasTagKeyId('tagKeys/8')", Tags(values={ENV: "prod"}), None),
        ("resource.hasTagKey('1/env') || resource.hasTagKey('1/x')", Tags(values={ENV: "a"}, unknown_at="f"), True),
        (
            "resource.matchTag('1/env', 'b') && resource.hasTagKey('1/x')",
            Tags(values={ENV: "a"}, unknown_at="f"),
            False,
        ),
    ],
)
def test_a_condition_holds_does_not_or_is_undecided(expression: str, tags: Tags, *, verdict: bool | None) -> None:
    assert holds(parse_condition(expression), tags) is verdict


def test_own_tags_win_over_inherited_ones_of_the_same_key() -> None:
    tags = Tags.inherited(
        [("projects/p", {ENV: "prod"}), ("folders/4", {ENV: "dev", REGION: "eu"}), ("organizations/1", {})]
    )

    assert tags == Tags(values={ENV: "prod", REGION: "eu"})


def test_tags_above_a_resource_whose_tags_are_unknown_do_not_count() -> None:
    tags = Tags.inherited([("projects/p", {ENV: "prod"}), ("folders/4", None), ("organizations/1", {REGION: "eu"})])

    assert tags == Tags(values={ENV: "prod"}, unknown_at="folders/4")


pieces = st.sampled_from([
    "resource", ".", "matchTag", "hasTagKeyId", "(", ")", "'1/a'", '"b"', ",", "&&", "||", "!", "true", "1", "[", "]",
    "?", ":", "{", "}", "\\", "'''", "b'x'", "==", "in", "-", "\x00", "é", "//", "\n",
])  # fmt: skip


@given(st.one_of(st.text(max_size=40), st.lists(pieces, max_size=25).map("".join)))
def test_no_text_whatever_breaks_the_reading(text: str) -> None:
    verdict: bool | None = False
    with contextlib.suppress(UnsupportedCondition):
        verdict = holds(parse_condition(text), NO_TAGS)

    assert verdict is not None


@pytest.mark.parametrize(
    "text",
    ["(" * 10_000, "!" * 10_000 + "x", "'" + "a" * 1_000_000, "x && " * 5_000 + "x"],
    ids=["parentheses", "negations", "an endless text", "a long chain"],
)
def test_long_and_deep_texts_are_refused_and_nothing_worse(text: str) -> None:
    with pytest.raises(UnsupportedCondition):
        parse_condition(text)


# Three-valued logic against every completion of what is unknown, with Python's own operators as the judge.

Judge = Callable[[Mapping[str, str]], bool]
KEYS, VALUES = ("1/a", "1/b"), ("x", "y")

tests: st.SearchStrategy[tuple[str, Judge]] = st.one_of(
    st.builds(
        lambda key, value: (f"resource.matchTag('{key}', '{value}')", lambda tags: tags.get(key) == value),
        st.sampled_from(KEYS),
        st.sampled_from(VALUES),
    ),
    st.builds(lambda key: (f"resource.hasTagKey('{key}')", lambda tags: key in tags), st.sampled_from(KEYS)),
)
conditions: st.SearchStrategy[tuple[str, Judge]] = st.recursive(
    tests,
    lambda inner: st.one_of(
        st.builds(lambda one: (f"!({one[0]})", lambda tags: not one[1](tags)), inner),
        st.builds(lambda a, b: (f"({a[0]}) && ({b[0]})", lambda tags: a[1](tags) and b[1](tags)), inner, inner),
        st.builds(lambda a, b: (f"({a[0]}) || ({b[0]})", lambda tags: a[1](tags) or b[1](tags)), inner, inner),
    ),
    max_leaves=6,
)
own_tags = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES))


def completions(known: Mapping[str, str]) -> list[dict[str, str]]:
    """Every way in which the tags above may be, under the known ones."""
    choices = [(None, *VALUES) for _ in KEYS]
    above = [{k: v for k, v in zip(KEYS, chosen, strict=True) if v} for chosen in itertools.product(*choices)]
    return [{**tags, **known} for tags in above]


@given(conditions, own_tags)
def test_with_known_tags_a_condition_is_what_python_says(condition: tuple[str, Judge], tags: dict[str, str]) -> None:
    expression, judge = condition

    assert holds(parse_condition(expression), Tags(values=tags)) is judge(tags)


@given(conditions, own_tags)
def test_a_verdict_in_spite_of_unknown_tags_holds_for_every_completion(
    condition: tuple[str, Judge], known: dict[str, str]
) -> None:
    expression, judge = condition
    verdict = holds(parse_condition(expression), Tags(values=known, unknown_at="folders/4"))

    assert verdict is None or {judge(tags) for tags in completions(known)} == {verdict}
