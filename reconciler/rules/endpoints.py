"""Which endpoint a service publishes through, where its spec leaves that open.

The global endpoint leads a request to a region near the service, which is right as long as that region may take it. For
ordered messages, and where a topic enforces its regions in transit, a region outside the topic's refuses it. There the
endpoint is a region that is certainly the topic's: one where the service runs, or the topic's only one. With several to
choose from and the service in none of them, nothing is chosen; the rules on placement then ask for `endpoint`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reconciler.model import Fleet, PublishedTopic, Publisher, TopicName
from reconciler.orgpolicy import Catalogue, EffectivePolicy
from reconciler.rules.places import Place, place_of

GLOBAL = "global"


def with_endpoints(fleet: Fleet, policies: Mapping[str, EffectivePolicy | None], catalogue: Catalogue) -> Fleet:
    """The fleet with an endpoint for every published topic. See `check_publishers` for the arguments."""
    places: dict[TopicName, Place | None] = {}

    def place(name: TopicName) -> Place | None:
        if name not in places:
            spec = fleet.by_name.get(name)
            places[name] = place_of(spec, policies.get(name.project), catalogue) if spec else None
        return places[name]

    def settled(publisher: Publisher) -> Publisher:
        if all(published.endpoint is not None for published in publisher.topics):
            return publisher
        topics = (
            replace(published, endpoint=derived_endpoint(publisher, published, place(published.topic)))
            if published.endpoint is None
            else published
            for published in publisher.topics
        )
        return replace(publisher, topics=tuple(topics))

    return replace(fleet, publishers=tuple(settled(publisher) for publisher in fleet.publishers))


def derived_endpoint(publisher: Publisher, published: PublishedTopic, place: Place | None) -> str:
    """`global`, or the region whose endpoint certainly takes what the service publishes; see the module's premise."""
    if place is None or not place.is_restricted or not (published.message_ordering or place.enforced):
        return GLOBAL
    if place.holds_all(publisher.regions):
        return GLOBAL
    own = sorted(region for region in publisher.regions if place.is_inside(region))
    return next(iter((*own, *place.only_region)), GLOBAL)
