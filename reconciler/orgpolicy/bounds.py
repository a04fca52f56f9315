"""Two-sided sets of regions.

Google's table of value groups changes and is not machine-readable, and conditions cannot always be decided. So what a
policy allows is known from two sides: the regions that are *certainly* in, and those that are *possibly* in. Every
answer follows from the pair; a region between the two is undecided.
"""

from __future__ import annotations

from dataclasses import dataclass

from reconciler.model import ALL_REGIONS, NO_REGIONS, RegionSet


@dataclass(frozen=True, slots=True)
class RegionBounds:
    """`certain` ⊆ `possible`; the truth lies between them."""

    certain: RegionSet
    possible: RegionSet

    def __post_init__(self) -> None:
        if not self.certain <= self.possible:
            raise ValueError(f"certain regions {self.certain} are not within the possible ones {self.possible}")

    @classmethod
    def exactly(cls, regions: RegionSet) -> RegionBounds:
        """Both sides meet at these regions."""
        return cls(regions, regions)

    @property
    def undecided(self) -> RegionSet:
        """The regions that may or may not be in."""
        return self.possible - self.certain

    @property
    def is_decided(self) -> bool:
        """Whether the two sides meet."""
        return self.certain == self.possible

    def comes_to(self, other: RegionBounds, known: RegionSet) -> bool:
        """Whether two answers are the same where `known` (finite) regions exist.

        An answer of the API may list the regions that a policy leaves by denying one.
        """
        if not (self.is_decided and other.is_decided):
            return self == other
        return self.certain.listed(known) == other.certain.listed(known)

    def __or__(self, other: RegionBounds) -> RegionBounds:
        return RegionBounds(self.certain | other.certain, self.possible | other.possible)

    def __and__(self, other: RegionBounds) -> RegionBounds:
        return RegionBounds(self.certain & other.certain, self.possible & other.possible)

    def __sub__(self, other: RegionBounds) -> RegionBounds:
        return RegionBounds(self.certain - other.possible, self.possible - other.certain)


NOTHING = RegionBounds.exactly(NO_REGIONS)
EVERYTHING = RegionBounds.exactly(ALL_REGIONS)
UNKNOWN = RegionBounds(NO_REGIONS, ALL_REGIONS)
