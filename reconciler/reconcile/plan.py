"""Plans: every proposed change of a run, with everything it was computed from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from reconciler.model import (
    LiveTopic,
    TopicName,
    digest,
)
from reconciler.reconcile.drift import Drift, Kind, Standing
from reconciler.reconcile.holds import WIDENING, Hold
from reconciler.reconcile.policies import ProjectPolicy, Unavailable, fingerprints
from reconciler.reconcile.resolve import Change, Decision

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


@dataclass(frozen=True, kw_only=True)  # without slots, so that what is asked of a large plan again and again is kept
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
        flags_not_evaluated: how many of them were compared by their regions only, because the source cannot tell the
            in-transit flag.
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
    flags_not_evaluated: int = 0
    widening_allowed: bool = False
    operations_per_minute: int = 3000
    holds: Mapping[TopicName, Hold] = field(default_factory=dict)

    @cached_property
    def proposed(self) -> tuple[Change, ...]:
        """The changes that the resolutions ask for, made or held, in order."""
        return tuple(change for row in self.rows if (change := row.change))

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The changes that applying the plan makes, in order."""
        return tuple(change for change in self.proposed if self.hold_on(change) is None)

    @cached_property
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

    @cached_property
    def policies_digest(self) -> str:
        """One digest over all policy fingerprints."""
        return digest(self.policy_fingerprints)


def _is_undecided(drift: Drift) -> bool:
    return drift.kind is Kind.UNDECIDED or drift.standing is Standing.UNDECIDED
