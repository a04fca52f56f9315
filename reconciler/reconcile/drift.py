"""Drift as a value: how a live topic differs from what is desired and from what is allowed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from reconciler.model import (
    ALL_REGIONS,
    NO_REGIONS,
    LiveTopic,
    RegionSet,
    StoragePolicy,
    TopicName,
    TopicSpec,
    Unmanaged,
    regions_of,
)
from reconciler.orgpolicy import Catalogue, RegionBounds
from reconciler.reconcile.desired import Desired, desired
from reconciler.reconcile.policies import ProjectPolicy, Unavailable


class Kind(StrEnum):
    """The one kind that each live or declared topic gets."""

    IN_SYNC = "in-sync"
    """Live equals desired; the in-transit flag may still differ, see `Drift.flag_differs`."""
    DISALLOWED = "disallowed"
    """Live has regions that are not allowed, and lacks none that is wanted."""
    MISSING = "missing"
    """Inherited only: all of live is allowed, and something allowed is not live."""
    MIXED = "mixed"
    """Both."""
    SPEC = "spec"
    """Explicit or within: all of live is allowed, but it is not what is declared."""
    EMPTY = "empty"
    """Live has a policy without a region: every publish fails."""
    ABSENT = "absent"
    """Declared, not live; creating topics is left to the program."""
    UNMANAGED = "unmanaged"
    """Live and not declared, or declared to be somebody else's; see `Drift.standing`."""
    UNDECIDED = "undecided"
    """The policy or the topic could not be read, or the outcome hangs on an undecided region."""


class Standing(StrEnum):
    """How an unmanaged topic stands against the organization's policy."""

    ALLOWED = "allowed"
    DISALLOWED = "disallowed"
    EMPTY = "empty"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One topic, compared.

    Attributes:
        live: the live storage policy; `None` is a topic without one (or no topic, for `ABSENT`).
        policy: the project's policy; `None` where it could not be read.
        desired: what the topic should have; `None` where that is not hedgerow's business, or unknown.
        disallowed: live regions that certainly are not allowed.
        missing: wanted regions that certainly are not live, explicit.
        extra: live regions that are allowed but certainly not wanted (explicit and within only).
        undecided: regions that the kind hangs on, for `UNDECIDED`.
        flag_differs: whether in-transit enforcement is not as wanted.
        flag_known: false where the source could not tell the flag, which says nothing about it then.
        standing: for `UNMANAGED`.
        reason: for `UNDECIDED`: why, and what to do.
    """

    name: TopicName
    kind: Kind
    spec: TopicSpec | None = None
    live: StoragePolicy | None = None
    policy: ProjectPolicy | None = None
    desired: Desired | None = None
    disallowed: RegionSet = NO_REGIONS
    missing: RegionSet = NO_REGIONS
    extra: RegionSet = NO_REGIONS
    undecided: RegionSet = NO_REGIONS
    flag_differs: bool = False
    flag_known: bool = True
    standing: Standing | None = None
    reason: Unavailable | None = None

    @property
    def flag_not_evaluated(self) -> bool:
        """Whether the in-transit flag should have been compared, and the source could not tell it."""
        return self.desired is not None and not self.flag_known

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing to say about the topic."""
        if self.kind is Kind.UNMANAGED:
            return self.standing is Standing.ALLOWED
        return self.kind is Kind.IN_SYNC and not self.flag_differs


def compare(
    name: TopicName,
    spec: TopicSpec | None,
    live: LiveTopic | Unavailable | None,
    policy: ProjectPolicy | Unavailable,
    catalogue: Catalogue,
) -> Drift:
    """Compares one topic.

    Args:
        name: the topic.
        spec: what is declared, if anything is.
        live: the topic, `None` if it does not exist, or why it could not be read.
        policy: the project's policy, or why it could not be read.
        catalogue: the regions that "all" stands for, and the members of groups.
    """
    for source in (policy, live):
        if isinstance(source, Unavailable):
            return Drift(name=name, kind=Kind.UNDECIDED, spec=spec, reason=source)
    assert isinstance(policy, ProjectPolicy)  # noqa: S101 - narrowed above
    if not isinstance(live, LiveTopic):
        return Drift(name=name, kind=Kind.ABSENT, spec=spec, policy=policy)
    if spec is None or isinstance(spec.policy, Unmanaged):
        return _unmanaged(spec, live, policy)
    wanted = desired(spec, policy.wanted, catalogue)
    assert wanted is not None  # noqa: S101 - only `unmanaged` has no desired policy
    return _managed(spec, live, policy, wanted, catalogue)


def _unmanaged(spec: TopicSpec | None, live: LiveTopic, policy: ProjectPolicy) -> Drift:
    regions, allowed = regions_of(live.policy), policy.live.allowed
    disallowed = regions - allowed.possible
    if live.policy is not None and live.policy.is_empty:
        standing = Standing.EMPTY
    elif disallowed:
        standing = Standing.DISALLOWED
    else:
        standing = Standing.ALLOWED if regions <= allowed.certain else Standing.UNDECIDED
    return Drift(
        name=live.name,
        kind=Kind.UNMANAGED,
        spec=spec,
        live=live.policy,
        policy=policy,
        disallowed=disallowed,
        flag_known=live.in_transit_known,
        standing=standing,
    )


def _managed(spec: TopicSpec, live: LiveTopic, policy: ProjectPolicy, wanted: Desired, catalogue: Catalogue) -> Drift:
    regions, allowed, known = regions_of(live.policy), policy.live.allowed, catalogue.regions
    disallowed = regions - allowed.possible
    missing = _lacking(regions, wanted.regions.certain, known)
    extra = NO_REGIONS if wanted.inherited else (regions & allowed.possible) - wanted.regions.possible
    kind, undecided, reason = Kind.IN_SYNC, NO_REGIONS, None
    if live.policy is not None and live.policy.is_empty:
        kind = Kind.EMPTY
    elif disallowed:
        kind = Kind.MIXED if missing else Kind.DISALLOWED
    elif undecided := _hanging_on(regions, allowed, wanted, known, settled=bool(missing or extra)):
        kind, reason = Kind.UNDECIDED, _doubt(policy, undecided)
    elif missing or extra:
        kind = Kind.MISSING if wanted.inherited else Kind.SPEC
    flag = live.policy is not None and live.policy.enforce_in_transit
    flag_differs = (
        live.in_transit_known
        and wanted.in_transit is not None
        and flag != wanted.in_transit
        and kind not in (Kind.EMPTY, Kind.UNDECIDED)
    )
    return Drift(
        name=live.name,
        kind=kind,
        spec=spec,
        live=live.policy,
        policy=policy,
        desired=wanted,
        disallowed=disallowed,
        missing=missing,
        extra=extra,
        undecided=undecided,
        flag_differs=flag_differs,
        flag_known=live.in_transit_known,
        reason=reason,
    )


def _lacking(regions: RegionSet, wanted: RegionSet, known: RegionSet) -> RegionSet:
    """The wanted regions that are not live; a topic without a policy lacks none."""
    return NO_REGIONS if regions == ALL_REGIONS else wanted.listed(known) - regions


def _hanging_on(
    regions: RegionSet, allowed: RegionBounds, wanted: Desired, known: RegionSet, *, settled: bool
) -> RegionSet:
    """The undecided regions that the kind depends on, where no live region certainly is disallowed.

    A live region that may not be allowed always matters. What may be wanted and is not live, or may be unwanted and is,
    matters only while nothing certain already makes the topic drift.
    """
    matters = regions & allowed.undecided
    if not settled:
        matters = matters | _lacking(regions, wanted.regions.possible, known)
        if not wanted.inherited:
            matters = matters | (regions & wanted.regions.undecided)
    return matters.listed(known)


def _doubt(policy: ProjectPolicy, undecided: RegionSet) -> Unavailable:
    doubts = (*policy.live.doubts, *(policy.declared.doubts if policy.declared else ()))
    because = doubts[0] if doubts else "the snapshot and the API disagree about them"
    names = list(undecided)
    shown = names if len(names) <= 5 else [*names[:4], f"{len(names) - 4} more"]
    regions = f"{', '.join(shown[:-1])} and {shown[-1]}" if len(names) > 1 else names[0]
    return Unavailable(
        reason=f"it is undecided whether the organization's policy allows {regions}: {because}",
        hint="capture the API's own answer into the snapshot, or extend `valueGroups` in it",
    )
