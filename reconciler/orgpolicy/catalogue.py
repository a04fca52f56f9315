"""The dated catalogue of regions and value groups, and what one policy value admits.

Sources of the rules: Google's "Restricting resource locations" (value syntax and normalization), the "Message storage
policies" page (regions only: no zones, no multi-regions) and a recorded effective policy of 2026-07-28 (an answer of
the API lists regions, zones, multi-regions and the names of nested groups without `in:`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from reconciler.model import REGION_SHAPE, ZONE_SHAPE, Coordinates, RegionSet
from reconciler.orgpolicy.bounds import NOTHING, UNKNOWN, RegionBounds

GROUP_SUFFIX = "-locations"
_MULTI_REGION_SHAPE = re.compile(r"[A-Za-z]+[0-9]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """What is known about locations.

    Attributes:
        as_of: the date of the region list, ISO 8601.
        regions: the regions where Pub/Sub has an endpoint, explicit. Ids outside it are legal everywhere.
        groups: members of value groups, by name without `in:`.
        multi_regions: values that name no Pub/Sub region although their shape does not tell.
        coordinates: where regions are, as far as that is known.
    """

    as_of: str
    regions: RegionSet
    groups: Mapping[str, RegionBounds] = field(default_factory=dict)
    multi_regions: frozenset[str] = frozenset()
    coordinates: Coordinates = field(default_factory=dict)

    def with_groups(self, groups: Mapping[str, RegionSet]) -> Catalogue:
        """This catalogue, extended or corrected by exact groups, named with or without `in:`."""
        if not groups:  # as most snapshots have none, and every project of one asks
            return self
        exact = {name.removeprefix("in:"): RegionBounds.exactly(regions) for name, regions in groups.items()}
        known = self.regions
        for regions in groups.values():
            known = known | regions
        return replace(self, groups={**self.groups, **exact}, regions=known)

    def group(self, name: str) -> RegionBounds:
        """The members of a value group (`eu-locations`); of an unknown one, nothing is certain, everything possible."""
        if name in self.groups:
            return self.groups[name]
        region = name.removesuffix(GROUP_SUFFIX)
        if REGION_SHAPE.fullmatch(region):
            return RegionBounds.exactly(RegionSet.of(region))
        return UNKNOWN

    def expand(self, value: str) -> RegionBounds:
        """The Pub/Sub regions that a value of a policy admits or denies.

        `R`, `is:R`, `in:R-locations` and `R-locations` mean the region `R`; `in:GROUP` and `GROUP` the group's members;
        bare zones and multi-regions no region at all. Anything else is unknown.
        """
        value = value.removeprefix("is:")
        if value.startswith("in:"):
            return self.group(value.removeprefix("in:"))
        if value.endswith(GROUP_SUFFIX):
            return self.group(value)
        if REGION_SHAPE.fullmatch(value):
            return RegionBounds.exactly(RegionSet.of(value))
        if self.names_no_region(value):
            return NOTHING
        return UNKNOWN

    def expand_answer(self, value: str) -> RegionBounds:
        """The same for a value in the API's own effective policy, which is already expanded.

        There, a bare group name stands beside its members and adds nothing, and a bare value of unknown shape names
        only itself. A value that still has its `in:` is looked up.
        """
        value = value.removeprefix("is:")
        if value.startswith("in:"):
            return self.group(value.removeprefix("in:"))
        if REGION_SHAPE.fullmatch(value):
            return RegionBounds.exactly(RegionSet.of(value))
        return NOTHING

    def names_no_region(self, value: str) -> bool:
        """Whether a bare value is a zone or a multi-region, which admit no Pub/Sub region."""
        return bool(ZONE_SHAPE.fullmatch(value) or value in self.multi_regions or _MULTI_REGION_SHAPE.fullmatch(value))

    def similar_names(self, region: str) -> tuple[str, ...]:
        """The known regions that `region` may be a misspelling of: those one edit away, sorted.

        Another number alone (`europe-west7`) makes a new region, not a misspelling, unless a digit was doubled
        (`europe-west33`).
        """
        words = region.rstrip("0123456789")
        number = region.removeprefix(words)

        def is_similar(known: str) -> bool:
            if known.rstrip("0123456789") == words:
                return number == 2 * known.removeprefix(words)
            return _is_one_edit(region, known)

        return tuple(known for known in self.regions if is_similar(known))


def _is_one_edit(left: str, right: str) -> bool:
    """Whether one insertion, deletion, replacement or swap of neighbours makes one text the other."""
    if left == right or abs(len(left) - len(right)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    a, b = left[start:], right[start:]
    return a[1:] == b or a == b[1:] or a[1:] == b[1:] or (a[1::-1] + a[2:] == b)
