"""Making a plan: every declared or live topic is compared, and what its resolution asks for is proposed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from reconciler.model import (
    DISALLOWED_REGIONS,
    IN_TRANSIT_REQUIRED,
    NO_EXEMPTIONS,
    Exemptions,
    Fleet,
    Inherit,
    LiveTopic,
    Resolution,
    StoragePolicy,
    TopicName,
    TopicSpec,
    UnmanagedTopics,
    canonical_json,
    digest,
)
from reconciler.orgpolicy import Catalogue
from reconciler.reconcile.drift import Drift, Kind, compare
from reconciler.reconcile.plan import LiveProject, Plan, Row
from reconciler.reconcile.policies import ProjectPolicy, Unavailable
from reconciler.reconcile.resolve import Decision, resolve


def make_plan(
    fleet: Fleet,
    live: Mapping[str, LiveProject],
    policies: Mapping[str, ProjectPolicy | Unavailable],
    catalogue: Catalogue,
    *,
    allow_widening: bool = False,
    exemptions: Exemptions = NO_EXEMPTIONS,
    unread: Mapping[TopicName, Unavailable] = MappingProxyType({}),
) -> Plan:
    """Compares a fleet with what is live and proposes what its resolutions ask for.

    Args:
        fleet: what is declared.
        live: the topics of each project of the stack, or why they could not be listed.
        policies: the effective policy of each project of the stack, or why it could not be read.
        catalogue: the regions that "all" stands for, and the members of groups.
        allow_widening: allows widening where the stack does not.
        exemptions: those that count: a topic exempted from `region-not-allowed` is only reported while it has such
            regions, and of one exempted from `in-transit-required` enforcement is not switched on.
        unread: single topics of listed projects that could not be read, with the reason.
    """
    settings = fleet.stack.reconcile
    rows: list[Row] = []
    counts: Counter[Kind] = Counter()
    # Most topics of a project declare the same and look the same; each such pair is compared once.
    compared: dict[tuple[object, ...], Drift] = {}
    flags_not_evaluated = 0
    for name, spec, topic in _topics(fleet, live, unread):
        seen = (topic.policy, topic.in_transit_known) if isinstance(topic, LiveTopic) else topic
        pair = (name.project, spec and spec.policy, seen)
        drift = compared.get(pair)
        if drift is None:
            drift = compared[pair] = compare(name, spec, topic, policies[name.project], catalogue)
        counts[drift.kind] += 1
        flags_not_evaluated += drift.flag_not_evaluated
        if drift.kind is Kind.IN_SYNC and not drift.flag_differs:
            continue
        if drift.kind is Kind.UNMANAGED and spec is None and settings.unmanaged is UnmanagedTopics.IGNORE:
            continue
        drift = replace(drift, name=name, spec=spec)
        rows.append(Row(drift=drift, decision=_decide(drift, spec, catalogue, exemptions)))
    return Plan(
        stack=fleet.stack.name,
        folder=fleet.stack.folder,
        specs=fleet.fingerprint,
        catalogue=catalogue.as_of,
        policies=policies,
        live=_live_digest(live),
        rows=tuple(rows),
        counts={kind: counts[kind] for kind in Kind if counts[kind]},
        looked_at=counts.total(),
        flags_not_evaluated=flags_not_evaluated,
        widening_allowed=allow_widening or settings.widening,
        operations_per_minute=settings.operations_per_minute,
    )


def _decide(drift: Drift, spec: TopicSpec | None, catalogue: Catalogue, exemptions: Exemptions) -> Decision:
    """What is done about a drift, as far as exemptions leave that open."""
    exemption = exemptions.of(DISALLOWED_REGIONS, drift.name) if drift.disallowed else None
    if spec is None or exemption is not None:
        return Decision(resolution=Resolution.REPORT, exemption=exemption)
    wanted = drift.desired
    if drift.flag_differs and wanted is not None and wanted.in_transit:
        exemption = exemptions.of(IN_TRANSIT_REQUIRED, drift.name)
        if exemption is not None and drift.kind is Kind.IN_SYNC:
            return Decision(resolution=Resolution.REPORT, exemption=exemption)
        if exemption is not None:
            drift = replace(drift, flag_differs=False, desired=replace(wanted, in_transit=None))
    return resolve(drift, spec.resolutions, catalogue)


def _topics(
    fleet: Fleet, live: Mapping[str, LiveProject], unread: Mapping[TopicName, Unavailable]
) -> Iterator[tuple[TopicName, TopicSpec | None, LiveTopic | Unavailable | None]]:
    """Every declared or live topic once, in the order of names."""
    declared: dict[str, dict[str, TopicSpec]] = {}
    for spec in fleet.topics:
        declared.setdefault(spec.name.project, {})[spec.name.topic] = spec
    missed: dict[str, dict[str, Unavailable]] = {}
    for unread_one, reason in unread.items():
        missed.setdefault(unread_one.project, {})[unread_one.topic] = reason
    adopts = fleet.stack.reconcile.unmanaged is UnmanagedTopics.RECONCILE
    for project, topics in sorted(live.items()):
        specs = declared.get(project, {})
        found: dict[str, LiveTopic | Unavailable] = {}
        if not isinstance(topics, Unavailable):
            found = {topic.name.topic: topic for topic in topics}
            found |= missed.get(project, {})
        for topic in sorted(specs.keys() | found.keys()):
            declared_one = specs.get(topic)
            name = TopicName(project, topic) if declared_one is None else declared_one.name
            if declared_one is None and adopts:
                declared_one = _adopted(name, fleet)
            yield name, declared_one, topics if isinstance(topics, Unavailable) else found.get(topic)


def _adopted(name: TopicName, fleet: Fleet) -> TopicSpec:
    """How a topic that no spec declares is treated under `unmanaged: reconcile`: as one that inherits."""
    stack = fleet.stack
    return TopicSpec(
        name=name,
        policy=Inherit(),
        resolutions=stack.reconcile.resolutions,
        origin=stack.origin,
        policy_origin=stack.origin,
    )


def _live_digest(live: Mapping[str, LiveProject]) -> str:
    words: dict[StoragePolicy | None, str] = {None: "none"}

    def line(topic: LiveTopic) -> str:
        if topic.policy not in words:
            assert topic.policy is not None  # noqa: S101 - `None` is there from the start
            words[topic.policy] = canonical_json(topic.policy.to_json()).decode()
        # A flag that is not known is not the same as one that is off.
        return f"{topic.name.topic} {words[topic.policy]}{'' if topic.in_transit_known else ' but for the flag'}"

    return digest(
        {
            project: None if isinstance(topics, Unavailable) else sorted(line(topic) for topic in topics)
            for project, topics in live.items()
        }
    )
