"""Through which of Pub/Sub's endpoints messages reach a topic that keeps them in certain regions only.

The global endpoint leads a request to a region near the service, which is right as long as that region may take it.
Ordered messages, and all messages where regions are enforced in transit, are refused by a region outside the topic's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from reconciler.model.regions import RegionSet

GLOBAL = "global"

Coordinates = Mapping[str, tuple[float, float]]
"""Where regions are, by id: latitude and longitude in degrees, north and east positive."""

_EARTH = 6371
"""The mean radius of the earth, in kilometres."""


def endpoint_inside(own: Iterable[str], inside: RegionSet, coordinates: Coordinates) -> str:
    """A region of the topic's whose endpoint a service should use, or `global`.

    It is `global` where the service runs in none but the topic's regions; else a region that is both the service's and
    the topic's; else the topic's only one; else the one that is nearest to where the service runs. Where that is not
    known, nothing can be chosen, and it is `global`.

    Args:
        own: where the service runs.
        inside: the topic's regions, as far as they are certain.
        coordinates: of the regions that may be measured from and chosen as the nearest.
    """
    named = sorted(own)
    if inside.is_all or (named and all(region in inside for region in named)):
        return GLOBAL
    shared = [region for region in named if region in inside]
    if shared:
        return shared[0]
    if not inside.complement and len(inside) == 1:
        return next(iter(inside))
    return nearest(named, inside, coordinates) or GLOBAL


def nearest(places: Iterable[str], inside: RegionSet, coordinates: Coordinates) -> str | None:
    """The region of a set that is nearest to any of some places; `None` where no distance is known. Ties go by name."""
    measured = [(region, distance(place, region, coordinates)) for place in places for region in sorted(coordinates)]
    known = [(length, region) for region, length in measured if length is not None and region in inside]
    return min(known)[1] if known else None


def distance(one: str, other: str, coordinates: Coordinates) -> float | None:
    """Kilometres between two regions along a great circle; `None` where it is not known where one of them is."""
    if one not in coordinates or other not in coordinates:
        return None
    (lat, lon), (lat2, lon2) = (map(math.radians, coordinates[region]) for region in (one, other))
    half = math.sin((lat2 - lat) / 2) ** 2 + math.cos(lat) * math.cos(lat2) * math.sin((lon2 - lon) / 2) ** 2
    return 2 * _EARTH * math.asin(min(1.0, math.sqrt(half)))
