"""The one resolver: from a declared topic and the organization's policy to the storage policy the topic should have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from reconciler.model import Explicit, Inherit, RegionSet, StoragePolicy, TopicSpec, Unmanaged, Within
from reconciler.orgpolicy import NOTHING, Catalogue, EffectivePolicy, RegionBounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Desired:
    """The storage policy that a topic should have.

    Attributes:
        regions: the wanted regions, two-sided. Where `problem` is set there are none, and these are the regions that a
            repair may keep.
        in_transit: the wanted flag; `None` where it is undecided.
        inherited: whether the server owns the regions, so that a program leaves them out.
        problem: why no policy can be wanted, if so; the rules refuse such a spec.
    """

    regions: RegionBounds
    in_transit: bool | None
    inherited: bool = False
    problem: str | None = None

    @property
    def is_definite(self) -> bool:
        """Whether the wanted regions exist and are known."""
        return self.problem is None and self.regions.is_decided

    def storage_policy(self, known: RegionSet) -> StoragePolicy | None:
        """The definite policy to write: sorted explicit regions and the flag. `None` means no policy, that is, all.

        Raises:
            ValueError: where there is no definite answer; see `is_definite`.
        """
        if not self.is_definite or self.in_transit is None:
            raise ValueError(f"no definite storage policy: {self.problem or 'undecided'}")
        if self.regions.certain.is_all and not self.in_transit:
            return None
        return StoragePolicy(regions=self.regions.certain.listed(known), enforce_in_transit=self.in_transit)

    def declared_policy(self, known: RegionSet) -> StoragePolicy | None:
        """What a program declares: nothing for an inherited policy, which the server owns, else the definite policy."""
        return None if self.inherited else self.storage_policy(known)


def desired(spec: TopicSpec, policy: EffectivePolicy, catalogue: Catalogue) -> Desired | None:
    """The storage policy that a declared topic should have; `None` where somebody else owns it (`unmanaged`)."""
    allowed = policy.allowed
    match spec.policy:
        case Unmanaged():
            return None
        case Inherit():
            problem = None if allowed.possible else "the organization's policy allows no Pub/Sub region"
            return Desired(regions=allowed, in_transit=policy.in_transit, inherited=True, problem=problem)
        case Explicit(regions=declared):
            wanted = RegionBounds.exactly(declared)
            offending = declared - allowed.possible
            problem = f"it declares {offending}, which the organization's policy does not allow" if offending else None
        case Within(groups=groups):
            wanted = NOTHING
            for group in groups:
                wanted = wanted | catalogue.expand(group)
            problem = (
                None if (wanted & allowed).possible else "no region that is allowed lies within the declared groups"
            )
        case _:
            assert_never(spec.policy)
    flag = spec.policy.enforce_in_transit
    if flag is None:
        flag = policy.in_transit
    elif not flag:
        # The rules refuse a declared `false` where enforcement is required; a repair follows the organization.
        flag = policy.in_transit
    return Desired(regions=wanted & allowed, in_transit=flag, problem=problem)
