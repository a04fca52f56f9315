"""Where a declared topic keeps its messages, as far as that is certain.

Like everything that organization policies decide, a topic's regions are known from two sides (see
`reconciler.orgpolicy.bounds`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import assert_never

from reconciler.model import (
    ALL_REGIONS,
    Explicit,
    Fleet,
    Inherit,
    StoragePolicy,
    TopicName,
    TopicSpec,
    Unmanaged,
    Within,
    regions_of,
)
from reconciler.orgpolicy import NOTHING, UNKNOWN, Catalogue, EffectivePolicy, RegionBounds
from reconciler.rules.published import enumeration


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a topic keeps its messages, and whether they must stay there in transit.

    Attributes:
        regions: two-sided; everything is possible for a topic that somebody else manages.
        enforced: whether it is certain that in-transit regions are enforced.
    """

    regions: RegionBounds
    enforced: bool

    def is_outside(self, region: str) -> bool:
        """Whether a region is certainly not one of the topic's.

        Of a topic that may keep messages nowhere nothing is said: that is wrong enough, and reported as such.
        """
        return bool(self.regions.possible) and region not in self.regions.possible

    def is_inside(self, region: str) -> bool:
        """Whether a region is certainly one of the topic's."""
        return region in self.regions.certain

    def holds_all(self, regions: Iterable[str]) -> bool:
        """Whether there are regions, and all of them are certainly the topic's."""
        named = list(regions)
        return bool(named) and all(self.is_inside(region) for region in named)

    def until_repaired(self, live: StoragePolicy | None) -> Place:
        """The same for a live topic that may not be as it should be yet: its regions both now and after its repair.

        Where no region is both, those of now: what is published has to arrive until the repair is made. A live policy
        without any region takes nothing anyway, so that only what it should be counts.
        """
        now = regions_of(live)
        if not now:
            return self
        both = self.regions & RegionBounds.exactly(now)
        enforced = self.enforced or (live is not None and live.enforce_in_transit)
        return Place(regions=both if both.possible else RegionBounds.exactly(now), enforced=enforced)

    @property
    def only_region(self) -> tuple[str, ...]:
        """The region, where it is certain that there is exactly one; else nothing."""
        certain = self.regions.certain
        is_one = self.regions.is_decided and not certain.complement and len(certain) == 1
        return tuple(certain) if is_one else ()

    @property
    def is_restricted(self) -> bool:
        """Whether it is certain that some region is not the topic's."""
        return self.regions.possible != ALL_REGIONS

    def __str__(self) -> str:
        if self.regions.possible.complement:
            return str(self.regions.possible)
        return enumeration(self.regions.possible)


def place_of(spec: TopicSpec, policy: EffectivePolicy | None, catalogue: Catalogue) -> Place:
    """Where a declared topic will keep its messages; `policy` is `None` where its project's is not known."""
    allowed = policy.allowed if policy else UNKNOWN
    required = policy is not None and policy.in_transit is True
    match spec.policy:
        case Explicit(regions=regions, enforce_in_transit=enforce):
            return Place(regions=RegionBounds.exactly(regions), enforced=required if enforce is None else enforce)
        case Within(groups=groups, enforce_in_transit=enforce):
            wanted = NOTHING
            for group in groups:
                wanted = wanted | catalogue.expand(group)
            return Place(regions=allowed & wanted, enforced=required if enforce is None else enforce)
        case Inherit():
            return Place(regions=allowed, enforced=required)
        case Unmanaged():
            return Place(regions=UNKNOWN, enforced=False)
        case never:
            assert_never(never)


NOT_LIVE: Mapping[TopicName, StoragePolicy | None] = MappingProxyType({})
"""Nothing is known of live topics, or asked of them: declared ones count as they should be."""


def place_in(
    fleet: Fleet,
    name: TopicName,
    policies: Mapping[str, EffectivePolicy | None],
    catalogue: Catalogue,
    live: Mapping[TopicName, StoragePolicy | None] = NOT_LIVE,
) -> Place | None:
    """Where a topic of a fleet keeps its messages, `until_repaired` where it is among the live ones.

    `None` for one that is not declared.
    """
    spec = fleet.by_name.get(name)
    if spec is None:
        return None
    place = place_of(spec, policies.get(name.project), catalogue)
    if name not in live or isinstance(spec.policy, Unmanaged):
        return place
    return place.until_repaired(live[name])
