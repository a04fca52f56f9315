"""Drift as findings, each at the line that declares the topic: for code scanning and for annotations."""

from __future__ import annotations

from reconciler.model import Origin
from reconciler.reconcile import Drift, Kind, Plan, Row, Standing, differences
from reconciler.rules import Finding, Rule, Severity

_BECAUSE = {
    Kind.DISALLOWED: "Messages of the topic may rest in regions that the organization's policy no longer allows.",
    Kind.MISSING: "The organization's policy allows regions that a topic which follows it does not have.",
    Kind.MIXED: "The topic has regions that the organization's policy does not allow, and lacks some that it should "
    "have.",
    Kind.SPEC: "The topic's regions are all allowed, but they are not the ones that its spec declares.",
    Kind.EMPTY: "The topic's storage policy lists no region. Every publish to it fails (Pub/Sub API reference, "
    "MessageStoragePolicy).",
    Kind.ABSENT: "The topic is declared and does not exist. Creating topics is left to `pulumi up`.",
    Kind.UNMANAGED: "The topic's storage policy is somebody else's, and not what the organization's policy allows.",
    Kind.UNDECIDED: "The topic or the policy of its project could not be read, or what to do about it hangs on a "
    "region of which nobody knows whether it is allowed.",
    Kind.IN_SYNC: "The topic's regions are right, but whether they are enforced in transit is not as it should be.",
}

_SEVERITIES = {
    Kind.DISALLOWED: Severity.ERROR,
    Kind.MIXED: Severity.ERROR,
    Kind.EMPTY: Severity.ERROR,
    Kind.UNDECIDED: Severity.UNDECIDED,
}

_RULES = {
    kind: Rule(
        code="drift-in-transit" if kind is Kind.IN_SYNC else f"drift-{kind}",
        severity=_SEVERITIES.get(kind, Severity.WARNING),
        because=because,
    )
    for kind, because in _BECAUSE.items()
}

DRIFT_RULES = tuple(_RULES.values())
"""One for each kind of drift; `drift-in-transit` is a topic that only differs in that."""


def drift_findings(plan: Plan, stack: Origin) -> list[Finding]:
    """A finding for each topic of a plan that is not as it should be, and why none could be told.

    Args:
        plan: the compared topics.
        stack: where `stack.yaml` is; the place of topics that no spec declares.
    """
    return [_finding(row, stack) for row in plan.rows if not row.drift.is_clean]


def _finding(row: Row, stack: Origin) -> Finding:
    drift = row.drift
    return _RULES[drift.kind].finding(
        subject=str(drift.name),
        origin=drift.spec.policy_origin if drift.spec else stack.at("projects", drift.name.project),
        message=f"`{drift.name.topic}`: {_what(drift)}",
        details=(f"project: {drift.name.project}",),
        hint=_action(row),
        severity=_standing_severity(drift),
        exemption=row.decision.exemption,
    )


def _standing_severity(drift: Drift) -> Severity | None:
    match drift.standing:
        case Standing.DISALLOWED | Standing.EMPTY:
            return Severity.ERROR
        case Standing.UNDECIDED:
            return Severity.UNDECIDED
        case _:
            return None


def _what(drift: Drift) -> str:
    parts = ", ".join(differences(drift))
    match drift.kind:
        case Kind.UNDECIDED:
            return f"not evaluated: {drift.reason.reason}" if drift.reason else "not evaluated"
        case Kind.EMPTY:
            return "publishing fails: the live storage policy allows no region"
        case Kind.ABSENT:
            return "declared, but not live"
        case Kind.UNMANAGED:
            return f"unmanaged, and {drift.standing}{f': {parts}' if parts else ''}"
        case Kind.IN_SYNC:
            return f"in sync but for {parts}"
        case _:
            return f"{drift.kind}: {parts}"


def _action(row: Row) -> str | None:
    if row.drift.reason is not None:
        return row.drift.reason.hint
    if row.decision.refusal:
        return f"{row.decision.resolution} is refused: {row.decision.refusal}"
    if row.change is not None:
        return f"{row.change.resolution} is proposed: hedgerow plan, then hedgerow apply"
    return None
