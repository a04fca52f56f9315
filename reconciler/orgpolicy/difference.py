"""Two snapshots compared: whose effective policy changes, and how."""

from __future__ import annotations

from dataclasses import dataclass

from reconciler.model import NO_REGIONS, RegionSet
from reconciler.orgpolicy.catalogue import Catalogue
from reconciler.orgpolicy.effective import EffectivePolicy
from reconciler.orgpolicy.snapshot import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChange:
    """A project whose effective policy is not the same before and after; `None` where a snapshot does not have it."""

    project: str
    before: EffectivePolicy | None
    after: EffectivePolicy | None

    @property
    def gained(self) -> RegionSet:
        """The regions that certainly were not allowed and certainly are."""
        if self.before is None or self.after is None:
            return NO_REGIONS
        return self.after.allowed.certain - self.before.allowed.possible

    @property
    def lost(self) -> RegionSet:
        """The regions that certainly were allowed and certainly are not."""
        if self.before is None or self.after is None:
            return NO_REGIONS
        return self.before.allowed.certain - self.after.allowed.possible

    @property
    def unsettled(self) -> RegionSet:
        """The regions that are undecided now and were not."""
        if self.before is None or self.after is None:
            return NO_REGIONS
        return self.after.allowed.undecided - self.before.allowed.undecided

    @property
    def settled(self) -> RegionSet:
        """The regions that were undecided and are not now."""
        if self.before is None or self.after is None:
            return NO_REGIONS
        return self.before.allowed.undecided - self.after.allowed.undecided


def policy_changes(old: Snapshot, new: Snapshot, catalogue: Catalogue) -> tuple[PolicyChange, ...]:
    """The projects whose allowed regions or in-transit requirement differ between two snapshots, by id.

    What leads to a policy does not count: a rule said in other words, or set at another node, is no change.
    """
    changes = []
    for project in sorted({*old.projects, *new.projects}):
        before, after = (one.effective_policy(project, catalogue) for one in (old, new))
        if before is None or after is None or before.fingerprint != after.fingerprint:
            changes.append(PolicyChange(project=project, before=before, after=after))
    return tuple(changes)
