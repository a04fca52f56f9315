"""Whose policy changes between two snapshots, as text and as JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from reconciler.model import RegionSet
from reconciler.orgpolicy import EffectivePolicy, PolicyChange
from reconciler.report.explanation import regions_document
from reconciler.report.plan import allowed_text

_REQUIREMENTS = {True: "required", False: "not required", None: "undecided"}


def policy_changes_text(changes: Iterable[PolicyChange]) -> str:
    """One block a project: what it gains and loses, and what its policy comes to now."""
    return "".join(f"{line}\n" for change in changes for line in _lines(change))


def policy_changes_document(changes: Sequence[PolicyChange]) -> list[dict[str, Any]]:
    """The same as JSON values."""
    return [
        {
            "project": change.project,
            "before": _policy_document(change.before),
            "after": _policy_document(change.after),
            "gained": regions_document(change.gained),
            "lost": regions_document(change.lost),
        }
        for change in changes
    ]


def _policy_document(policy: EffectivePolicy | None) -> dict[str, Any] | None:
    if policy is None:
        return None
    return {
        "allowed": regions_document(policy.allowed.certain),
        "undecided": regions_document(policy.allowed.undecided),
        "inTransitRequired": policy.in_transit,
    }


def _lines(change: PolicyChange) -> Iterator[str]:
    if change.before is None or change.after is None:
        policy = change.after or change.before
        assert policy is not None  # noqa: S101 - one of the two snapshots has the project
        yield f"{change.project:38} {'new' if change.after else 'gone'}; allowed: {allowed_text(policy)}"
        return
    yield f"{change.project:38} allowed: {allowed_text(change.after)}"
    parts: list[tuple[str, RegionSet]] = [("+", change.gained), ("-", change.lost)]
    parts += [("? undecided now:", change.unsettled), ("no longer undecided:", change.settled)]
    yield from (f"  {sign} {regions}" for sign, regions in parts if regions)
    flags = (change.before.in_transit, change.after.in_transit)
    if flags[0] is not flags[1]:
        yield f"  enforcement in transit: {_REQUIREMENTS[flags[0]]} -> {_REQUIREMENTS[flags[1]]}"
