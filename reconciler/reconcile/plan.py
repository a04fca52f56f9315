"""Plans: every proposed change of a run, with everything it was computed from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reconciler.model import (
    DISALLOWED_REGIONS,
    IN_TRANSIT_REQUIRED,
    NO_EXEMPTIONS,
    Exemptions,
    Fleet,
    Inherit,
    LiveTopic,
    Resolution,
    TopicName,
    TopicSpec,
    UnmanagedTopics,
    digest,
)
from reconciler.orgpolicy import Catalogue
from reconciler.reconcile.drift import Drift, Kind, Standing, compare
from reconciler.reconcile.holds import WIDENING, Hold
from reconciler.reconcile.policies import ProjectPolicy, Unavailable, fingerprints
from reconciler.reconcile.resolve import Change, Decision, resolve

OPERATIONS_A_CHANGE = 3
"""Administrator operations that one change costs: read, write, read back."""

LiveProject = Sequence[LiveTopic] | Unavailable
"""All topics of a project as its list pages show them, or why they could not be listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One topic of a plan that is not simply in sync: its drift and what is done about it."""

    drift: Drift
    decision: Decision

    @property
    def change(self) -> Change | None:
        """The proposed change, if there is one."""
        return self.decision.change

    @property
    def is_exempt(self) -> bool:
        """Whether an exemption keeps the topic as it is."""
        return self.decision.exemption is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run would do, and from what that follows. Equal inputs give equal plans.

    Attributes:
        stack: the stack's name.
        folder: its folder as the user named it.
        specs: fingerprint of the fleet.
        catalogue: date of the catalogue.
        policies: what is known of each project's policy, by project id.
        live: digest over all live storage policies seen.
        rows: the topics worth a line, in the order of their names.
        counts: how many topics got each kind.
        looked_at: number of topics compared, declared or live.
        widening_allowed: whether changes that widen are applied.
        operations_per_minute: the rate that the cost is reckoned at.
        holds: what keeps single changes from being made, beside widening.
    """

    stack: str
    folder: str
    specs: str
    catalogue: str
    policies: Mapping[str, ProjectPolicy | Unavailable]
    live: str
    rows: tuple[Row, ...]
    counts: Mapping[Kind, int] = field(default_factory=dict)
    looked_at: int = 0
    widening_allowed: bool = False
    operations_per_minute: int = 3000
    holds: Mapping[TopicName, Hold] = field(default_factory=dict)

    @property
    def proposed(self) -> tuple[Change, ...]:
        """The changes that the resolutions ask for, made or held, in order."""
        return tuple(change for row in self.rows if (change := row.change))

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes that applying the plan makes, in order."""
        return tuple(change for change in self.proposed if self.hold_on(change) is None)

    @property
    def held(self) -> tuple[Change, ...]:
        """The changes that are proposed but not made, in order; `hold_on` says why."""
        return tuple(change for change in self.proposed if self.hold_on(change) is not None)

    def hold_on(self, change: Change) -> Hold | None:
        """What keeps a change from being made, if anything does."""
        refused = WIDENING if change.widening and not self.widening_allowed else None
        return self.holds.get(change.name, refused)

    @property
    def not_evaluated(self) -> tuple[Row, ...]:
        """The topics that nothing certain can be said about."""
        return tuple(row for row in self.rows if _is_undecided(row.drift))

    @property
    def has_drift(self) -> bool:
        """Whether any topic is not as it should be, changed by this plan or not. What is exempt is as it should be."""
        return any(not row.drift.is_clean and not _is_undecided(row.drift) for row in self.rows if not row.is_exempt)

    @property
    def exempt(self) -> tuple[Row, ...]:
        """The topics that an exemption keeps as they are."""
        return tuple(row for row in self.rows if row.is_exempt)

    @property
    def operations(self) -> int:
        """Administrator operations that applying the changes costs."""
        return OPERATIONS_A_CHANGE * len(self.changes)

    @property
    def policy_fingerprints(self) -> dict[str, str | None]:
        """The fingerprint of each project's live policy; `None` where it could not be read."""
        return fingerprints(self.policies)

    @property
    def policies_digest(self) -> str:
        """One digest over all policy fingerprints."""
        return digest(self.policy_fingerprints)


def make_plan(
    fleet: Fleet,
    live: Mapping[str, LiveProject],
    policies: Mapping[str, ProjectPolicy | Unavailable],
    catalogue: Catalogue,
    *,
    allow_widening: bool = False,
    exemptions: Exemptions = NO_EXEMPTIONS,
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
    """
    settings = fleet.stack.reconcile
    rows: list[Row] = []
    counts: Counter[Kind] = Counter()
    topics = list(_topics(fleet, live))
    for name, spec, topic in topics:
        drift = compare(name, spec, topic, policies[name.project], catalogue)
        counts[drift.kind] += 1
        if drift.kind is Kind.IN_SYNC and not drift.flag_differs:
            continue
        if drift.kind is Kind.UNMANAGED and spec is None and settings.unmanaged is UnmanagedTopics.IGNORE:
            continue
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
        looked_at=len(topics),
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
    fleet: Fleet, live: Mapping[str, LiveProject]
) -> Iterable[tuple[TopicName, TopicSpec | None, LiveTopic | Unavailable | None]]:
    """Every declared or live topic once, in the order of names."""
    found: dict[TopicName, LiveTopic] = {
        topic.name: topic for topics in live.values() if not isinstance(topics, Unavailable) for topic in topics
    }
    for name in sorted(fleet.by_name.keys() | found.keys()):
        spec = fleet.by_name.get(name)
        if spec is None and fleet.stack.reconcile.unmanaged is UnmanagedTopics.RECONCILE:
            spec = _adopted(name, fleet)
        topics = live[name.project]
        yield name, spec, topics if isinstance(topics, Unavailable) else found.get(name)


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
    seen = {
        project: None
        if isinstance(topics, Unavailable)
        else {str(t.name): t.policy and t.policy.to_json() for t in topics}
        for project, topics in live.items()
    }
    return digest(seen)


def _is_undecided(drift: Drift) -> bool:
    return drift.kind is Kind.UNDECIDED or drift.standing is Standing.UNDECIDED
