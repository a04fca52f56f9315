"""Through which of Pub/Sub's endpoints messages reach a topic that keeps them in certain regions only.

The global endpoint leads a request to a region near the service, which is right as long as that region may take it.
Ordered messages, and all messages where regions are enforced in transit, are refused by a region outside the topic's.
"""

from __future__ import annotations

from collections.abc import Iterable

from reconciler.model.regions import RegionSet

GLOBAL = "global"


def endpoint_inside(own: Iterable[str], inside: RegionSet) -> str:
    """A region of the topic's whose endpoint a service should use, or `global`.

    It is `global` where the service runs in none but the topic's regions; else a region that is both the service's and
    the topic's; else the topic's only one. With several to choose from and the service in none of them, nothing can be
    chosen, and it is `global`.

    Args:
        own: where the service runs.
        inside: the topic's regions, as far as they are certain.
    """
    named = sorted(own)
    if inside.complement or (named and all(region in inside for region in named)):
        return GLOBAL
    only = tuple(inside) if len(inside) == 1 else ()
    return next(iter((*(region for region in named if region in inside), *only)), GLOBAL)
