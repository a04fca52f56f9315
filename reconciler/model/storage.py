"""Message storage policies: of live topics, and as declared in a spec."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reconciler.model.regions import ALL_REGIONS, RegionSet


@dataclass(frozen=True, slots=True, kw_only=True)
class StoragePolicy:
    """A topic's message storage policy, present on the topic.

    A topic without one is `None`: its messages may rest anywhere. A policy that lists no region is a
    misconfiguration in which every publish fails; it is kept apart as `is_empty` (Pub/Sub API reference,
    MessageStoragePolicy).

    Attributes:
        regions: an explicit `RegionSet`, never "all".
        enforce_in_transit: whether publish and pull are confined to these regions too.
    """

    regions: RegionSet
    enforce_in_transit: bool = False

    def __post_init__(self) -> None:
        if self.regions.complement:
            raise ValueError("a storage policy lists its regions; no policy at all is `None`")

    @property
    def is_empty(self) -> bool:
        """Whether the policy allows no region."""
        return self.regions.is_empty

    def to_json(self) -> dict[str, Any]:
        """As the REST API spells it, regions sorted, both fields always present."""
        return {"allowedPersistenceRegions": list(self.regions), "enforceInTransit": self.enforce_in_transit}

    @classmethod
    def from_json(cls, body: dict[str, Any] | None) -> StoragePolicy | None:
        """From the REST form; `None` stays `None`, `{}` is the empty policy."""
        if body is None:
            return None
        regions = RegionSet.from_names(body.get("allowedPersistenceRegions", ()))
        return cls(regions=regions, enforce_in_transit=bool(body.get("enforceInTransit", False)))


def regions_of(policy: StoragePolicy | None) -> RegionSet:
    """Where a topic's messages may rest: no policy means everywhere."""
    return ALL_REGIONS if policy is None else policy.regions


@dataclass(frozen=True, slots=True, kw_only=True)
class Inherit:
    """The topic follows the organization's policy; the server owns the field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explicit:
    """Exactly these regions. `enforce_in_transit` is `None` for "what the organization requires"."""

    regions: RegionSet
    enforce_in_transit: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Within:
    """What the organization allows, but only inside these value groups (`in:eu-locations`)."""

    groups: tuple[str, ...]
    enforce_in_transit: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmanaged:
    """Somebody else owns the storage policy: evaluated and reported, never written."""


DeclaredPolicy = Inherit | Explicit | Within | Unmanaged
