"""What a stack says about rules: whether its levels and exemptions make sense, and whether they still count."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta

from reconciler.model import (
    DISALLOWED_REGIONS,
    Exemption,
    Fleet,
    Origin,
    RuleLevel,
    TopicName,
    UnmanagedTopics,
    is_pattern,
    matches,
)
from reconciler.rules.complaints import counted
from reconciler.rules.findings import Finding, Rule, Severity
from reconciler.rules.published import enumeration
from reconciler.rules.setting_rules import (
    EXEMPTION_EXPIRED,
    EXEMPTION_EXPIRING,
    EXEMPTION_UNUSED,
    RULE_FIXED,
    RULE_UNKNOWN,
)

EXPIRING = timedelta(days=30)
"""How long before its last day an exemption warns."""


def check_settings(
    fleet: Fleet, findings: Iterable[Finding], rules: Mapping[str, Rule], *, today: date
) -> Iterator[Finding]:
    """What is wrong with a stack's levels and exemptions.

    Args:
        fleet: what the stack declares.
        findings: what every rule found, with the exemptions that count applied.
        rules: all rules, by code.
        today: the day, in UTC.
    """
    stack = fleet.stack
    for code, level in stack.rules.items():
        yield from _code(code, stack.origin.at("rules", code), stack.name, f"`rules`: `{code}`", rules)
        if (rule := rules.get(code)) and not rule.adjustable and str(level) != str(rule.severity):
            yield RULE_FIXED.finding(
                subject=stack.name,
                origin=stack.origin.at("rules", code),
                message=f"`rules`: `{code}` cannot be set to `{level}`",
                details=(f"it is always {_article(rule)}",),
                hint=f"leave it out, and {'exempt single topics' if rule.exemptable else 'mend what it finds'}",
            )
    used = {finding.exemption for finding in findings}
    for exemption in fleet.exemptions:
        rule = rules.get(exemption.rule)
        if rule is not None and rule.exemptable:
            yield from _dates(exemption, today)
            if exemption.is_in_force(today):
                yield from _use(exemption, fleet, is_used=exemption in used)
            continue
        at = exemption.origin.at("rule")
        yield from _code(exemption.rule, at, _subject(exemption), f"{_lead(exemption)}: rule `{exemption.rule}`", rules)
        if rule is not None:
            yield RULE_FIXED.finding(
                subject=_subject(exemption),
                origin=at,
                message=f"{_lead(exemption)}: nothing can be exempted from `{exemption.rule}`",
                hint="remove the exemption, and mend what the rule finds",
            )


def adjusted(findings: Iterable[Finding], levels: Mapping[str, RuleLevel], rules: Mapping[str, Rule]) -> list[Finding]:
    """Findings with the levels that a stack gives to rules; without those of rules that it switches off.

    What is exempt stays so, and a level that a rule does not allow changes nothing.
    """
    kept: list[Finding] = []
    for finding in findings:
        level = levels.get(finding.code)
        if level is None or not rules[finding.code].adjustable or finding.severity is Severity.EXEMPT:
            kept.append(finding)
        elif level is not RuleLevel.OFF:
            kept.append(replace(finding, severity=Severity(level)))
    return kept


def _code(code: str, origin: Origin, subject: str, lead: str, rules: Mapping[str, Rule]) -> Iterator[Finding]:
    if code in rules:
        return
    near = difflib.get_close_matches(code, rules, n=1)
    yield RULE_UNKNOWN.finding(
        subject=subject,
        origin=origin,
        message=f"{lead} does not exist",
        hint=f"write `{near[0]}`" if near else "list the rules with `hedgerow check --explain all`",
    )


def _dates(exemption: Exemption, today: date) -> Iterator[Finding]:
    details = (f"owner: {exemption.owner}", f"reason: {exemption.reason}")
    what = f"{_lead(exemption)}: the exemption from `{exemption.rule}`"
    if not exemption.is_in_force(today):
        yield EXEMPTION_EXPIRED.finding(
            subject=_subject(exemption),
            origin=exemption.origin.at("expires"),
            message=f"{what} expired on {exemption.expires} and no longer counts",
            details=details,
            hint="mend the topic and remove the exemption, or have its owner set a later day",
        )
    elif exemption.expires - today <= EXPIRING:
        left = (exemption.expires - today).days
        when = f"in {counted(left, 'day')}" if left else "today"
        yield EXEMPTION_EXPIRING.finding(
            subject=_subject(exemption),
            origin=exemption.origin.at("expires"),
            message=f"{what} expires on {exemption.expires}, {when}",
            details=details,
            hint="mend the topic and remove the exemption, or have its owner set a later day",
        )


def _use(exemption: Exemption, fleet: Fleet, *, is_used: bool) -> Iterator[Finding]:
    """Which of its topics an exemption names in vain; or that it exempts nothing at all."""
    reaches_live = exemption.rule == DISALLOWED_REGIONS
    if reaches_live and fleet.stack.reconcile.unmanaged is UnmanagedTopics.RECONCILE:
        return  # it may name topics that only the nightly job knows
    idle = [name for name in exemption.topics if not _is_declared(name, fleet)]
    for name in idle:
        yield EXEMPTION_UNUSED.finding(
            subject=_subject(exemption),
            origin=exemption.origin.at("topics", str(name)),
            message=f"`{name.topic}`: no topic {'like' if is_pattern(name) else 'called'} this is declared in "
            f"`{name.project}`, so there is nothing to exempt from `{exemption.rule}`",
            hint="correct the name, or remove it",
        )
    if len(idle) < len(exemption.topics) and not is_used and not reaches_live:
        yield EXEMPTION_UNUSED.finding(
            subject=_subject(exemption),
            origin=exemption.origin,
            message=f"{_lead(exemption)}: `{exemption.rule}` finds nothing here, so the exemption exempts nothing",
            hint="remove it",
        )


def _is_declared(name: TopicName, fleet: Fleet) -> bool:
    return any(matches(name, topic) for topic in fleet.by_name) if is_pattern(name) else name in fleet.by_name


def _article(rule: Rule) -> str:
    return {Severity.ERROR: "an error", Severity.WARNING: "a warning"}.get(rule.severity, "undecided")


def _subject(exemption: Exemption) -> str:
    return str(exemption.topics[0]) if len(exemption.topics) == 1 else "exemptions"


def _lead(exemption: Exemption) -> str:
    return enumeration(f"`{name.topic}`" for name in exemption.topics)
