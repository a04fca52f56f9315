"""The manual of rules: a page for each, and the list of them, in Markdown that reads well as it is."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill

from reconciler.report.diagnostics import counted
from reconciler.rules import RESOURCE_RULES, Rule

_WIDTH = 120

_PREFACE = """\
# Rules

What `hedgerow check` holds specs against, beyond their form. A rule's code stands at the end of each finding;
`hedgerow check --explain CODE` prints its page, `--explain all` this list. An error ends with exit code 3, an undecided
finding with 4, a warning with neither.

`rules` in `stack.yaml` makes an error, a warning or nothing of a rule that allows it, and `exemptions` take single
topics out of one, until a day and by an owner: see [specs.md](specs.md#rules-and-exemptions).

The examples are parts of one stack. Its organization allows `europe-west1` and `europe-west4` to `acme-orders-prod` and
`acme-billing-prod`, requires enforcement in transit of the latter, allows everything to `acme-open`, and allows
`acme-lab` a value group that nobody knows. Its specs declare the topics `orders` of `acme-orders-prod` and `payments`
of `acme-billing-prod`, which inherit, and the hedging profile `standard` with the clients' own defaults. In an example
`policies`, `effective`, `resources` and `valueGroups` belong in the snapshot, `rules` in `stack.yaml`, everything else
in a spec file. The day is 2026-11-30.
"""


_PACK = """\
# Rules of the policy pack

What the [policy pack](policy-pack.md) holds topics of any Pulumi program against, besides the rules on topics and
projects above; a spec cannot break these. The examples are programs in YAML, in the same organization.
"""


def manual(rules: Iterable[Rule], resource_rules: Iterable[Rule]) -> str:
    """The whole manual: of the rules on specs, then of those that only the policy pack has."""
    return "\n".join([*_part(_PREFACE, rules), *_part(_PACK, resource_rules)])


def _part(preface: str, rules: Iterable[Rule]) -> list[str]:
    ordered = sorted(rules, key=lambda rule: rule.code)
    table = [f"| [`{rule.code}`](#{rule.code}) | {rule.severity} | {rule.title} |" for rule in ordered]
    head = ["| code | severity | what is demanded |", "| --- | --- | --- |"]
    return [preface, *head, *table, "", *(manual_page(rule) for rule in ordered)]


def manual_page(rule: Rule) -> str:
    """What a rule demands, why, what breaks it, what to write instead, and what a stack may make of it."""
    parts = [f"## {rule.code}", f"{rule.title}.", _wrapped(rule.because)]
    if rule.example is not None:
        parts += ["This breaks it:", _block(rule.example.breaks), "This mends it:", _block(rule.example.mends)]
    parts.append(_wrapped(f"Severity: {rule.severity}. {_choice(rule)}"))
    return "\n\n".join(parts) + "\n"


def manual_list(rules: Iterable[Rule]) -> str:
    """A line for each rule: its code, its severity and what it demands."""
    ordered = sorted(rules, key=lambda rule: rule.code)
    width = max(len(rule.code) for rule in ordered)
    lines = [f"{rule.code:{width}}  {rule.severity:9}  {rule.title}" for rule in ordered]
    return "".join(f"{line}\n" for line in (*lines, "", f"{counted(len(ordered), 'rule')}"))


def _choice(rule: Rule) -> str:
    if rule.code in RESOURCE_RULES:
        return "The configuration of the policy pack sets its enforcement level."
    if rule.adjustable and rule.exemptable:
        return "A stack may set it to `error`, `warning` or `off`, and exempt single topics."
    if rule.adjustable:
        return "A stack may set it to `error`, `warning` or `off`."
    if rule.exemptable:
        return "A stack may exempt single topics, and not change it otherwise."
    return "A stack cannot change that."


def _block(text: str) -> str:
    return f"```yaml\n{text}```"


def _wrapped(text: str) -> str:
    return fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)
