"""Rules on where publishers and subscribers are, against where their topics keep messages.

Something is called outside only where that is certain, so that an undecided policy (which the rules on topics report)
never causes an error here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reconciler.model import (
    GLOBAL,
    REGION_SHAPE,
    ZONE_SHAPE,
    Fleet,
    PublishedTopic,
    Publisher,
    TopicName,
    TopicSpec,
)
from reconciler.orgpolicy import Catalogue
from reconciler.rules.complaints import Complaint
from reconciler.rules.placement_rules import (
    ENDPOINT_OUTSIDE,
    ENDPOINT_SHAPE,
    ENDPOINT_UNKNOWN,
    IN_TRANSIT_OUTSIDE,
    ORDERING_ENDPOINT,
    PUBLISHER_OUTSIDE_REGIONS,
    PUSH_MAY_PAUSE,
    SINGLE_REGION,
)
from reconciler.rules.places import Place
from reconciler.rules.published import Problem, enumeration


def endpoint_problems(published: PublishedTopic, catalogue: Catalogue) -> Iterator[Problem]:
    """Whether there is such an endpoint, whatever the topic."""
    endpoint = GLOBAL if published.endpoint is None else published.endpoint
    if endpoint == GLOBAL or endpoint in catalogue.regions:
        return
    if REGION_SHAPE.fullmatch(endpoint) is None:
        zone = ZONE_SHAPE.fullmatch(endpoint)
        yield Problem(
            rule=ENDPOINT_SHAPE,
            text=f"endpoint `{endpoint}` is neither `global` nor a region",
            origin=published.origin_of("endpoint"),
            hint=f"set `endpoint` to `{zone['region']}`, its region" if zone else "set `endpoint` to a region",
        )
        return
    similar = catalogue.similar_names(endpoint)
    yield Problem(
        rule=ENDPOINT_UNKNOWN,
        text=f"endpoint `{endpoint}` is a region that the catalogue of {catalogue.as_of} does not know",
        origin=published.origin,
        hint=f"did you mean {_regions(similar)}?" if similar else None,
    )


def placement_problems(publisher: Publisher, published: PublishedTopic, place: Place) -> Iterator[Problem]:
    """What is wrong with where a service runs and which endpoint it uses, for one topic."""
    endpoint = GLOBAL if published.endpoint is None else published.endpoint
    if REGION_SHAPE.fullmatch(endpoint) and place.is_outside(endpoint):
        yield Problem(
            rule=IN_TRANSIT_OUTSIDE if place.enforced else ENDPOINT_OUTSIDE,
            text=f"endpoint `{endpoint}` is outside the topic's regions" + _in_transit(place),
            origin=published.origin_of("endpoint"),
            details=(f"regions: {place}",),
            hint=f"set `endpoint` to one of the topic's regions{_or_global(publisher, place)}",
        )
    outside = [region for region in publisher.regions if place.is_outside(region)]
    if outside and endpoint == GLOBAL and place.enforced:
        yield Problem(
            rule=IN_TRANSIT_OUTSIDE,
            text=f"runs in {_regions(outside)}, outside the topic's regions" + _in_transit(place),
            origin=published.origin,
            details=(f"regions: {place}",),
            hint="set `endpoint` to one of the topic's regions, or run the service inside them",
        )
    elif outside:
        yield Problem(
            rule=PUBLISHER_OUTSIDE_REGIONS,
            text=f"runs in {_regions(outside)}, outside the topic's regions",
            origin=publisher.origin,
            details=(f"regions: {place}",),
            hint="expect longer publish times and traffic between regions, or run the service inside them",
        )
    if (
        published.message_ordering
        and endpoint == GLOBAL
        and place.is_restricted
        and not place.holds_all(publisher.regions)
    ):
        where = f"runs in {_regions(publisher.regions)}" if publisher.regions else "says not where it runs"
        yield Problem(
            rule=ORDERING_ENDPOINT,
            text=f"publishes in order through the global endpoint to a topic with restricted regions, and {where}",
            origin=published.ordering_origin or published.origin,
            details=(f"regions: {place}",),
            hint="set `endpoint` to one of the topic's regions",
        )


def subscriber_complaints(spec: TopicSpec, place: Place) -> Iterator[Complaint]:
    """What in-transit enforcement does to the subscribers that a topic lists."""
    if not place.enforced:
        return
    for subscriber in spec.subscribers:
        outside = [region for region in subscriber.regions if place.is_outside(region)]
        if subscriber.delivery == "push":
            rule, verdict = PUSH_MAY_PAUSE, "gets pushes, which may pause: in-transit regions are enforced"
            hint = "let it pull, or watch the delivery after the change"
        elif outside:
            rule = IN_TRANSIT_OUTSIDE
            verdict = f"reads from {_regions(outside)}, outside the topic's regions{_in_transit(place)}"
            hint = "move the subscriber, or let it read through a locational endpoint inside the topic's regions"
        else:
            continue
        yield Complaint(
            rule=rule,
            topic=spec,
            written_at=spec.subscribers_origin or spec.origin,
            claim=f"subscriber `{subscriber.name}`",
            message=f"subscriber `{subscriber.name}` {verdict}",
            verdict=f"it {verdict}",
            details=(f"regions: {place}",),
            hint=hint,
        )


def single_region_complaints(fleet: Fleet, places: Mapping[TopicName, Place]) -> Iterator[Complaint]:
    """Topics that keep messages in one region while some of their publishers run elsewhere."""
    regions: dict[TopicName, set[str]] = {}
    services: dict[TopicName, set[str]] = {}
    for publisher in fleet.publishers:
        for published in publisher.topics:
            regions.setdefault(published.topic, set()).update(publisher.regions)
            services.setdefault(published.topic, set()).add(publisher.service)
    for name in sorted(regions):
        for only in places[name].only_region if name in places else ():
            if regions[name] - {only}:
                run = f"while publishers run in {enumeration(sorted(regions[name]))}"
                yield Complaint(
                    rule=SINGLE_REGION,
                    topic=fleet.by_name[name],
                    claim=f"`{only}` as their only region",
                    message=f"messages rest in `{only}` alone, {run}",
                    verdict="publishers run elsewhere too",
                    details=(f"publishers: {enumeration(sorted(services[name]))}",),
                    hint="allow a second region, so that one region's outage does not stop publishing",
                )


def _or_global(publisher: Publisher, place: Place) -> str:
    return ", or to `global`: the service runs inside them" if place.holds_all(publisher.regions) else ""


def _in_transit(place: Place) -> str:
    return ", which are enforced in transit" if place.enforced else ""


def _regions(names: tuple[str, ...] | list[str]) -> str:
    return enumeration([f"`{name}`" for name in sorted(names)])
