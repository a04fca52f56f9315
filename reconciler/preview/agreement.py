"""Where live topics, Pulumi's memory of them and the specs differ, by property: Pulumi's view beside hedgerow's.

Premise: the plan decides about storage policies, because it asks the organization's policy; Pulumi decides about every
other field, because it owns them. Both are told for each difference, and where they do not agree, why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from reconciler.model import TopicName
from reconciler.preview.lived import Observed
from reconciler.reconcile import Desired, Kind, Row

POLICY = "messageStoragePolicy"
NOTHING = "nothing"


class Cause(StrEnum):
    """What a difference comes from, where it is not one of a plan's kinds of drift."""

    IN_TRANSIT = "in-transit"
    """The plan's: the regions are right, and their enforcement in transit is not."""
    OUT_OF_BAND = "out-of-band"
    """Somebody changed it past Pulumi."""
    PENDING = "pending"
    """It is declared, and not brought up yet."""
    REMEMBERED = "remembered"
    """Live is as it should be, or as the service made it; only Pulumi's memory is older. Not counted as drift."""
    UNADOPTED = "unadopted"
    """The topic is live and declared, and Pulumi does not know it."""
    UNDECLARED = "undeclared"
    """Pulumi knows the topic, and nothing declares it any more."""
    UNSEEN = "unseen"
    """The topic is declared, and Pulumi said nothing about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One property of one topic.

    Attributes:
        property: its REST name; empty for the topic as a whole.
        kind: a plan's kind of drift, or a `Cause`.
        remembered: in Pulumi's state; `None` where it has none.
        live: what is there.
        desired: what should be; of a storage policy in hedgerow's words, which know what inheriting comes to.
        pulumi: what `pulumi up --refresh` would do about it: `update`, `create`, ... or `nothing`.
        hedgerow: the plan's resolution, or `nothing`.
        note: why the two do not agree, or what else there is to know.
        counts: whether it is drift, or something to be done, and not merely worth knowing.
    """

    topic: TopicName
    property: str = ""
    kind: str
    remembered: Any = None
    live: Any = None
    desired: Any = None
    pulumi: str = NOTHING
    hedgerow: str = NOTHING
    note: str | None = None
    counts: bool = True


def differences(
    seen: Iterable[Observed], rows: Mapping[TopicName, Row], declared: Iterable[TopicName]
) -> tuple[Difference, ...]:
    """Everything that differs for the topics of one Pulumi stack, in the order of their names.

    Args:
        seen: what a preview with `--refresh` says of the topics.
        rows: the plan's, of topics that are not simply in sync.
        declared: the topics that the Pulumi stack declares.
    """
    by_name = {one.topic: one for one in seen}
    found: list[Difference] = []
    for name in sorted(by_name.keys() | set(declared)):
        found += _of_topic(name, by_name.get(name), rows.get(name))
    return tuple(found)


def _of_topic(name: TopicName, seen: Observed | None, row: Row | None) -> list[Difference]:
    if seen is None:
        note = "the preview says nothing about it: does the program declare this stack?"
        return [Difference(topic=name, kind=Cause.UNSEEN, note=note)]
    if seen.op in ("create", "import"):
        return [_not_known(seen, row), *_policy(replace(seen, changed={}), row, adopted=False)]
    if seen.op == "delete":
        note = "Pulumi would delete it: declare it again, or see docs/pulumi.md for how a topic is given up"
        return [Difference(topic=name, kind=Cause.UNDECLARED, pulumi="delete", note=note)]
    return [*_policy(seen, row, adopted=True), *_others(seen)]


def _not_known(seen: Observed, row: Row | None) -> Difference:
    """A topic that Pulumi would create, or take over."""
    if row is not None and row.drift.kind is Kind.ABSENT:
        note = "it was deleted past Pulumi" if seen.is_gone else None
        return Difference(topic=seen.topic, kind=Kind.ABSENT, pulumi=seen.op, note=note)
    note = None
    if seen.op == "create":
        note = "it is live and not in the Pulumi stack, so creating it fails: hedgerow pulumi adopt"
    return Difference(topic=seen.topic, kind=Cause.UNADOPTED, pulumi=seen.op, note=note)


def _policy(seen: Observed, row: Row | None, *, adopted: bool) -> list[Difference]:
    would = any(_head(path) == POLICY for path in seen.changed)
    remembered, live = _value(seen.remembered), _value(seen.live)
    common = Difference(
        topic=seen.topic,
        property=POLICY,
        kind=Cause.REMEMBERED,
        remembered=remembered,
        live=live,
        desired=_value(seen.declared),
        pulumi=seen.op if would else NOTHING,
    )
    if row is None:
        if would:
            note = "hedgerow finds it in sync: the two looked at different moments, so look again"
            return [replace(common, kind=Cause.PENDING, note=note)]
        if POLICY in seen.moved:
            note = "it is as it should be; `pulumi up --refresh` takes note of it"
            return [replace(common, desired=live, note=note, counts=False)]
        return []
    drift = row.drift
    if drift.kind is Kind.ABSENT:
        return [] if not adopted else [replace(common, kind=Kind.ABSENT, note="it went while it was looked at")]
    shown = replace(
        common,
        kind=Cause.IN_TRANSIT if drift.kind is Kind.IN_SYNC else drift.kind,
        live=drift.live.to_json() if drift.live else live,
        desired=drift.desired and _wanted(drift.desired),
        hedgerow=NOTHING if row.is_exempt or drift.desired is None else str(row.decision.resolution),
        counts=not drift.is_clean and not row.is_exempt,
    )
    return [replace(shown, note=_why(row, would=would, adopted=adopted))]


def _why(row: Row, *, would: bool, adopted: bool) -> str | None:
    """Why Pulumi does not do what the plan does, or what else is to be known."""
    drift = row.drift
    if drift.reason is not None:
        return f"not evaluated: {drift.reason.reason}"
    if row.decision.exemption is not None:
        return str(row.decision.exemption)
    if drift.kind is Kind.UNMANAGED:
        return f"somebody else owns the policy, which is {drift.standing}; neither writes it"
    if would and row.change is not None and row.change.widening:
        return "it widens: `pulumi up` does it, and hedgerow only where widening is allowed"
    if would or not adopted:
        return None
    if drift.desired is not None and drift.desired.inherited:
        return "the service computes it, so Pulumi takes whatever is live; hedgerow holds it against what is allowed"
    return "Pulumi finds nothing to do: the two looked at different moments, so look again"


def _others(seen: Observed) -> list[Difference]:
    heads = {_head(path) for path in seen.changed}
    found = []
    for key in sorted({*seen.moved, *heads} - {POLICY}):
        moved, would = key in seen.moved, key in heads
        kind = (Cause.OUT_OF_BAND if moved else Cause.PENDING) if would else Cause.REMEMBERED
        values = [(side or {}).get(key) for side in (seen.remembered, seen.live, seen.declared)]
        found.append(
            Difference(
                topic=seen.topic,
                property=key,
                kind=kind,
                remembered=values[0],
                live=values[1],
                desired=values[2],
                pulumi=seen.op if would else NOTHING,
                note=None if would else "Pulumi takes it as it is",
                counts=would,
            )
        )
    return found


def _head(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]


def _value(properties: Mapping[str, Any] | None) -> Any:
    return None if properties is None else properties.get(POLICY)


def _wanted(desired: Desired) -> dict[str, Any]:
    wanted = desired.regions.certain
    listed: Any = {"allBut": sorted(wanted.names)} if wanted.complement else list(wanted)
    return {"allowedPersistenceRegions": listed, "enforceInTransit": desired.in_transit}
