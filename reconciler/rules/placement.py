"""Rules on where publishers and subscribers are, against where their topics keep messages.

Something is called outside only where that is certain, so that an undecided policy (which the rules on topics report)
never causes an error here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reconciler.model import REGION_SHAPE, ZONE_SHAPE, Fleet, PublishedTopic, Publisher, TopicName
from reconciler.orgpolicy import Catalogue
from reconciler.rules.endpoints import GLOBAL
from reconciler.rules.findings import Finding, Rule, Severity
from reconciler.rules.places import Place
from reconciler.rules.published import Problem, enumeration

ENDPOINT_SHAPE = Rule(
    code="endpoint-shape",
    severity=Severity.ERROR,
    because=(
        "Pub/Sub has one global endpoint and a locational one for each region, `REGION-pubsub.googleapis.com`; there "
        "are none for zones, multi-regions or value groups."
    ),
)
ENDPOINT_UNKNOWN = Rule(
    code="endpoint-unknown",
    severity=Severity.WARNING,
    because=(
        "Google adds regions, so one that the catalogue does not have may be right; if it is misspelled, the service "
        "finds no server."
    ),
)
ORDERING_ENDPOINT = Rule(
    code="ordering-endpoint",
    severity=Severity.WARNING,
    because=(
        "Messages with an ordering key are not forwarded to another region: published through a region outside the "
        "topic's storage policy, they fail (`Cannot publish messages that contain ordering keys to topic ... due a "
        "message storage policy on the topic`). The global endpoint leads to a region near the service, so it is safe "
        "only where the service runs inside the topic's regions."
    ),
)
ENDPOINT_OUTSIDE = Rule(
    code="endpoint-outside",
    severity=Severity.ERROR,
    because=(
        "A locational endpoint outside the topic's storage policy cannot store a message where it arrives: each is "
        "forwarded, and one with an ordering key fails. So an endpoint is `global` or one of the topic's regions."
    ),
)
IN_TRANSIT_OUTSIDE = Rule(
    code="in-transit-outside",
    severity=Severity.ERROR,
    because=(
        "Where a topic enforces its regions in transit, publish and pull requests that reach another region are "
        "refused with FAILED_PRECONDITION. Clients inside the regions may use the global endpoint, all others need a "
        "locational endpoint inside them (Google's page on message storage policies)."
    ),
)
PUSH_MAY_PAUSE = Rule(
    code="push-may-pause",
    severity=Severity.WARNING,
    because=(
        "Where a topic enforces its regions in transit, push delivery happens only in these regions, and stops where "
        "that cannot be reconciled with the push endpoint (Google's page on message storage policies)."
    ),
)
PUBLISHER_OUTSIDE_REGIONS = Rule(
    code="publisher-outside-regions",
    severity=Severity.WARNING,
    because=(
        "A message published outside the topic's regions is sent on to one of them: more latency, and costs for "
        "traffic between regions."
    ),
)
SINGLE_REGION = Rule(
    code="single-region",
    severity=Severity.WARNING,
    because=(
        "While the one region that may keep a topic's messages is unavailable, there is nowhere to publish them to. "
        "Services that run in several regions are usually meant to survive just that."
    ),
)
PLACEMENT_RULES = (
    ENDPOINT_SHAPE,
    ENDPOINT_UNKNOWN,
    ORDERING_ENDPOINT,
    ENDPOINT_OUTSIDE,
    IN_TRANSIT_OUTSIDE,
    PUSH_MAY_PAUSE,
    PUBLISHER_OUTSIDE_REGIONS,
    SINGLE_REGION,
)


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


def check_subscribers(fleet: Fleet, places: Mapping[TopicName, Place]) -> list[Finding]:
    """What in-transit enforcement does to the subscribers that topics list."""
    findings = []
    for spec in fleet.topics:
        place = places.get(spec.name)
        if place is None or not place.enforced:
            continue
        for subscriber in spec.subscribers:
            outside = [region for region in subscriber.regions if place.is_outside(region)]
            lead = f"`{spec.name.topic}`: subscriber `{subscriber.name}`"
            if subscriber.delivery == "push":
                rule, message = PUSH_MAY_PAUSE, f"{lead} gets pushes, which may pause: in-transit regions are enforced"
                hint = "let it pull, or watch the delivery after the change"
            elif outside:
                rule = IN_TRANSIT_OUTSIDE
                message = f"{lead} reads from {_regions(outside)}, outside the topic's regions{_in_transit(place)}"
                hint = "move the subscriber, or let it read through a locational endpoint inside the topic's regions"
            else:
                continue
            findings.append(
                rule.finding(
                    subject=str(spec.name),
                    origin=spec.origin,
                    message=message,
                    details=(f"regions: {place}",),
                    hint=hint,
                )
            )
    return findings


def check_single_regions(fleet: Fleet, places: Mapping[TopicName, Place]) -> list[Finding]:
    """Topics that keep messages in one region while their publishers run in several."""
    regions: dict[TopicName, set[str]] = {}
    services: dict[TopicName, set[str]] = {}
    for publisher in fleet.publishers:
        for published in publisher.topics:
            regions.setdefault(published.topic, set()).update(publisher.regions)
            services.setdefault(published.topic, set()).add(publisher.service)
    return [
        SINGLE_REGION.finding(
            subject=str(name),
            origin=fleet.by_name[name].policy_origin,
            message=(
                f"`{name.topic}`: messages rest in `{only}` alone, while publishers run in "
                f"{enumeration(sorted(regions[name]))}"
            ),
            details=(f"publishers: {enumeration(sorted(services[name]))}",),
            hint="allow a second region, so that one region's outage does not stop publishing",
        )
        for name in sorted(regions)
        if name in places and len(regions[name]) > 1
        for only in places[name].only_region
    ]


def _or_global(publisher: Publisher, place: Place) -> str:
    return ", or to `global`: the service runs inside them" if place.holds_all(publisher.regions) else ""


def _in_transit(place: Place) -> str:
    return ", which are enforced in transit" if place.enforced else ""


def _regions(names: tuple[str, ...] | list[str]) -> str:
    return enumeration([f"`{name}`" for name in sorted(names)])
