"""Sets of regions: explicit ones, or all but some.

Organization policies can deny values without allowing any ("everything but `us-east1`"), and Google adds regions
without telling, so "all" must not be a list. A `RegionSet` is therefore a finite set or the complement of one; the two
are closed under union, intersection, difference and complement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

REGION_SHAPE = re.compile(r"[a-z]+-[a-z]+[0-9]+")
"""What a region id looks like, known or not: `europe-west1`, never a zone, multi-region or value group."""

ZONE_SHAPE = re.compile(r"(?P<region>[a-z]+-[a-z]+[0-9]+)-[a-z]")


@dataclass(frozen=True, slots=True)
class RegionSet:
    """The regions in `names`; or, where `complement` is set, every region but those.

    Supports `|`, `&`, `-`, `~`, `in`, `<=` and equality, all by value. Ids are not checked against any catalogue:
    Google's own answers contain regions that no public list has.
    """

    names: frozenset[str] = frozenset()
    complement: bool = False

    @classmethod
    def of(cls, *names: str) -> RegionSet:
        """Exactly these regions."""
        return cls(frozenset(names))

    @classmethod
    def from_names(cls, names: Iterable[str]) -> RegionSet:
        """Exactly the regions of an iterable."""
        return cls(frozenset(names))

    @property
    def is_all(self) -> bool:
        """Whether every region, known or not, is in the set."""
        return self.complement and not self.names

    @property
    def is_empty(self) -> bool:
        """Whether no region is in the set."""
        return not self.complement and not self.names

    def __bool__(self) -> bool:
        return self.complement or bool(self.names)

    def __contains__(self, name: str) -> bool:
        return (name in self.names) != self.complement

    def __invert__(self) -> RegionSet:
        return RegionSet(self.names, not self.complement)

    def __and__(self, other: RegionSet) -> RegionSet:
        if not self.complement:
            kept = self.names - other.names if other.complement else self.names & other.names
            return RegionSet(kept)
        if not other.complement:
            return RegionSet(other.names - self.names)
        return RegionSet(self.names | other.names, complement=True)

    def __or__(self, other: RegionSet) -> RegionSet:
        return ~(~self & ~other)

    def __sub__(self, other: RegionSet) -> RegionSet:
        if not self.complement and not other.complement:
            # What every check of an explicit topic asks; the long way would build another set first.
            return RegionSet(self.names - other.names)
        return self & ~other

    def __le__(self, other: RegionSet) -> bool:
        return (self - other).is_empty

    def listed(self, known: RegionSet) -> RegionSet:
        """The explicit regions that stand for this set in a world where `known` (finite) regions exist.

        An explicit set is returned as it is, whatever `known` says; "all but X" becomes the known regions but X.
        """
        return known - RegionSet(self.names) if self.complement else self

    def __iter__(self) -> Iterator[str]:
        """The region ids in sorted order.

        Raises:
            ValueError: for "all but ...", which has no list; see `listed`.
        """
        if self.complement:
            raise ValueError(f"{self} has no list of regions")
        return iter(_in_order(self.names))

    def __len__(self) -> int:
        if self.complement:
            raise ValueError(f"{self} has no size")
        return len(self.names)

    def __str__(self) -> str:
        names = ", ".join(sorted(self.names))
        if not self.complement:
            return names or "none"
        return f"all but {names}" if names else "all"


@lru_cache(maxsize=4096)
def _in_order(names: frozenset[str]) -> tuple[str, ...]:
    """Sorted once for all the topics that have these regions: a document lists them several times for each."""
    return tuple(sorted(names))


ALL_REGIONS = RegionSet(complement=True)
NO_REGIONS = RegionSet()
