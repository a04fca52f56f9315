"""Which endpoint a service publishes through, where its spec leaves that open.

Where nothing can be chosen it is the global one, and the rules on placement then ask for `endpoint`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reconciler.model import (
    GLOBAL,
    Fleet,
    PublishedTopic,
    Publisher,
    StoragePolicy,
    TopicName,
    endpoint_inside,
)
from reconciler.orgpolicy import Catalogue, EffectivePolicy
from reconciler.rules.places import NOT_LIVE, Place, place_in


def with_endpoints(
    fleet: Fleet,
    policies: Mapping[str, EffectivePolicy | None],
    catalogue: Catalogue,
    live: Mapping[TopicName, StoragePolicy | None] = NOT_LIVE,
) -> Fleet:
    """The fleet with an endpoint for every published topic. See `check_publishers` for the arguments."""
    places: dict[TopicName, Place | None] = {}

    def place(name: TopicName) -> Place | None:
        if name not in places:
            places[name] = place_in(fleet, name, policies, catalogue, live)
        return places[name]

    def settled(publisher: Publisher) -> Publisher:
        if all(published.endpoint is not None for published in publisher.topics):
            return publisher
        topics = (
            replace(published, endpoint=derived_endpoint(publisher, published, place(published.topic), catalogue))
            if published.endpoint is None
            else published
            for published in publisher.topics
        )
        return replace(publisher, topics=tuple(topics))

    return replace(fleet, publishers=tuple(settled(publisher) for publisher in fleet.publishers))


def derived_endpoint(publisher: Publisher, published: PublishedTopic, place: Place | None, catalogue: Catalogue) -> str:
    """`global`, or the region whose endpoint certainly takes what the service publishes."""
    if place is None or not place.is_restricted or not (published.message_ordering or place.enforced):
        return GLOBAL
    return endpoint_inside(publisher.regions, place.regions.certain, catalogue.coordinates)
