from dataclasses import replace
from typing import Any

import pytest

from reconciler.model import NO_REGIONS, DeclaredPolicy, Fleet, Origin, RegionSet, Subscriber, Unmanaged, Within
from reconciler.orgpolicy import EffectivePolicy, RegionBounds
from reconciler.rules.places import Place, place_of
from tests.hedging.builders import PROJECT, explicit, fleet, published, publisher, spec
from tests.rules.texts import CATALOGUE, allowing, codes, found, shown

EU = ("europe-west1", "europe-west4")


def service(policy: DeclaredPolicy, *regions: str, **fields: Any) -> Fleet:
    """A service that publishes through the global endpoint, unless told otherwise."""
    fields = {"endpoint": "global", **fields}
    return fleet(publisher(published(**fields), regions=regions), topics=(spec("orders", policy),))


def bounds(certain: RegionSet, possible: RegionSet) -> RegionBounds:
    return RegionBounds(certain, possible)


@pytest.mark.parametrize(
    ("declared", "policy", "place"),
    [
        (explicit("us-east1"), None, Place(regions=RegionBounds.exactly(RegionSet.of("us-east1")), enforced=False)),
        (
            explicit("us-east1"),
            allowing(in_transit=True),
            Place(regions=RegionBounds.exactly(RegionSet.of("us-east1")), enforced=True),
        ),
        (
            explicit("us-east1", enforce=True),
            allowing(in_transit=None),
            Place(regions=RegionBounds.exactly(RegionSet.of("us-east1")), enforced=True),
        ),
        (
            explicit("us-east1", enforce=False),
            allowing(in_transit=True),
            Place(regions=RegionBounds.exactly(RegionSet.of("us-east1")), enforced=False),
        ),
        (spec().policy, allowing(*EU), Place(regions=RegionBounds.exactly(RegionSet.of(*EU)), enforced=False)),
        (
            spec().policy,
            allowing("us-east1", possibly=RegionSet.of(*EU), in_transit=True),
            Place(regions=bounds(RegionSet.of("us-east1"), RegionSet.of("us-east1", *EU)), enforced=True),
        ),
        (
            spec().policy,
            allowing(*EU, in_transit=None),
            Place(regions=RegionBounds.exactly(RegionSet.of(*EU)), enforced=False),
        ),
        (spec().policy, None, Place(regions=bounds(NO_REGIONS, ~NO_REGIONS), enforced=False)),
        (
            Within(groups=("in:eu-locations", "in:us-east1-locations")),
            allowing("us-east1", "europe-west1", in_transit=True),
            Place(regions=RegionBounds.exactly(RegionSet.of("us-east1", "europe-west1")), enforced=True),
        ),
        (
            Within(groups=("in:eu-locations",), enforce_in_transit=False),
            None,
            Place(regions=bounds(NO_REGIONS, RegionSet.of(*EU)), enforced=False),
        ),
        (
            Unmanaged(),
            allowing(*EU, in_transit=True),
            Place(regions=bounds(NO_REGIONS, ~NO_REGIONS), enforced=False),
        ),
    ],
)
def test_a_topics_place_follows_from_what_is_declared_and_allowed(
    declared: DeclaredPolicy, policy: EffectivePolicy | None, place: Place
) -> None:
    assert place_of(spec("orders", declared), policy, CATALOGUE) == place


@pytest.mark.parametrize(
    ("regions", "text"),
    [
        (RegionSet.of("b", "a"), "a, b"),
        (RegionSet.of("e", "d", "c", "b", "a"), "a, b, c and 2 more"),
        (~RegionSet.of("a"), "all but a"),
        (~NO_REGIONS, "all"),
    ],
)
def test_a_place_is_shown_by_its_regions(regions: RegionSet, text: str) -> None:
    assert str(Place(regions=RegionBounds.exactly(regions), enforced=False)) == text


def test_an_endpoint_outside_the_topics_regions_is_an_error() -> None:
    assert shown(found(service(explicit("europe-west4"), endpoint="europe-west1"))) == [
        (
            "checkout.yaml, `publishers[0].topics.orders`: error: `checkout`: endpoint `europe-west1` is "
            "outside the topic's "
            "regions  [endpoint-outside] checkout\n"
            "  topic: orders\n"
            "  regions: europe-west4\n"
            "  hint: set `endpoint` to one of the topic's regions"
        )
    ]


def test_the_hint_offers_the_global_endpoint_to_a_service_inside_the_topics_regions() -> None:
    (finding,) = found(service(explicit(*EU), "europe-west1", endpoint="us-east1"))
    assert (finding.code, finding.hint) == (
        "endpoint-outside",
        "set `endpoint` to one of the topic's regions, or to `global`: the service runs inside them",
    )


@pytest.mark.parametrize(
    ("endpoint", "hint"),
    [
        ("europe-west1-b", "set `endpoint` to `europe-west1`, its region"),
        ("eu", "set `endpoint` to a region"),
        ("in:eu-locations", "set `endpoint` to a region"),
        ("", "set `endpoint` to a region"),
    ],
)
def test_an_endpoint_is_global_or_a_region(endpoint: str, hint: str) -> None:
    (finding,) = found(service(explicit(*EU), endpoint=endpoint))
    assert (finding.code, finding.severity, finding.message, finding.hint) == (
        "endpoint-shape",
        "error",
        f"`checkout`: endpoint `{endpoint}` is neither `global` nor a region",
        hint,
    )


@pytest.mark.parametrize(
    ("endpoint", "hint"), [("europe-wst1", "did you mean `europe-west1`?"), ("africa-south9", None)]
)
def test_an_endpoint_in_an_unknown_region_is_a_warning(endpoint: str, hint: str | None) -> None:
    (finding,) = found(service(spec().policy, endpoint=endpoint), allowing())
    assert (finding.code, finding.severity, finding.message, finding.hint) == (
        "endpoint-unknown",
        "warning",
        f"`checkout`: endpoint `{endpoint}` is a region that the catalogue of 2026-10-27 does not know",
        hint,
    )


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (allowing(*EU), []),
        (allowing("us-east1"), ["endpoint-outside"]),
        (allowing("us-east1", possibly=RegionSet.of("europe-west4")), ["endpoint-outside"]),
        (allowing("us-east1", possibly=RegionSet.of("europe-west1")), []),
        (allowing(), []),
        (None, []),
    ],
)
def test_an_inheriting_topic_has_the_regions_that_are_allowed(
    policy: EffectivePolicy | None, expected: list[str]
) -> None:
    assert codes(found(service(spec().policy, endpoint="europe-west1"), policy)) == expected


def test_nothing_is_outside_of_a_topic_that_may_keep_messages_nowhere() -> None:
    nowhere = EffectivePolicy(project=PROJECT, allowed=RegionBounds.exactly(NO_REGIONS))
    assert found(service(spec().policy, "us-east1", endpoint="europe-west1"), nowhere) == []


def test_an_ordered_publisher_outside_the_topics_regions_should_not_use_the_global_endpoint() -> None:
    assert shown(found(service(explicit(*EU), "us-east1", message_ordering=True))) == [
        (
            "checkout.yaml, `publishers[0]`: warning: `checkout`: runs in `us-east1`, outside the topic's regions"
            "  [publisher-outside-regions] checkout\n"
            "  topic: orders\n"
            "  regions: europe-west1, europe-west4\n"
            "  hint: expect longer publish times and traffic between regions, or run the service inside them"
        ),
        (
            "checkout.yaml, `publishers[0].topics.orders`: warning: `checkout`: publishes in order through the global "
            "endpoint to a topic with restricted regions, and runs in `us-east1`  [ordering-endpoint] checkout\n"
            "  topic: orders\n"
            "  regions: europe-west1, europe-west4\n"
            "  hint: set `endpoint` to one of the topic's regions"
        ),
    ]


def test_an_ordered_publisher_whose_regions_are_not_known_is_warned_too() -> None:
    (finding,) = found(service(explicit("europe-west4"), message_ordering=True))
    assert (finding.code, finding.message) == (
        "ordering-endpoint",
        (
            "`checkout`: publishes in order through the global endpoint to a topic with restricted regions, "
            "and says not where it runs"
        ),
    )


@pytest.mark.parametrize(
    ("declared", "regions", "endpoint", "expected"),
    [
        (explicit(*EU), ["europe-west4"], "global", []),
        (explicit(*EU), EU, "global", []),
        (explicit("europe-west4"), [], "europe-west4", []),
        (explicit("europe-west4"), [], "europe-west1", ["endpoint-outside"]),
        (explicit(*EU), ["us-east1"], "europe-west4", ["publisher-outside-regions"]),
        (spec().policy, ["us-east1"], "global", []),
    ],
)
def test_ordering_needs_a_way_into_the_topics_regions(
    declared: DeclaredPolicy, regions: list[str], endpoint: str, expected: list[str]
) -> None:
    ordered = service(declared, *regions, message_ordering=True, endpoint=endpoint)
    assert codes(found(ordered, allowing())) == expected


def test_where_it_is_undecided_whether_the_service_is_inside_ordering_is_a_warning() -> None:
    policy = allowing("europe-west1", possibly=RegionSet.of("europe-west4"))
    assert codes(found(service(spec().policy, "europe-west4", message_ordering=True), policy)) == ["ordering-endpoint"]


def test_in_transit_enforcement_refuses_a_service_outside() -> None:
    assert shown(found(service(explicit(*EU, enforce=True), "us-east1", "europe-west1"))) == [
        (
            "checkout.yaml, `publishers[0].topics.orders`: error: `checkout`: runs in `us-east1`, outside the topic's "
            "regions, which are enforced in transit  [in-transit-outside] checkout\n"
            "  topic: orders\n"
            "  regions: europe-west1, europe-west4\n"
            "  hint: set `endpoint` to one of the topic's regions, or run the service inside them"
        )
    ]


def test_in_transit_enforcement_that_the_organization_requires_counts() -> None:
    policy = allowing(*EU, in_transit=True)
    assert codes(found(service(spec().policy, "us-east1"), policy)) == ["in-transit-outside"]


def test_in_transit_enforcement_refuses_an_endpoint_outside() -> None:
    (finding,) = found(service(explicit(*EU, enforce=True), endpoint="us-east1"))
    assert (finding.code, finding.message) == (
        "in-transit-outside",
        "`checkout`: endpoint `us-east1` is outside the topic's regions, which are enforced in transit",
    )


def test_a_service_outside_may_publish_through_a_locational_endpoint_inside() -> None:
    outside = service(explicit(*EU, enforce=True), "us-east1", endpoint="europe-west1")
    assert codes(found(outside)) == ["publisher-outside-regions"]


def test_of_two_services_only_the_one_outside_is_an_error() -> None:
    inside = publisher(published(), service="inside", regions=("europe-west1",))
    outside = publisher(published(), service="outside", regions=("us-east1",))
    findings = found(fleet(inside, outside, topics=(spec("orders", explicit(*EU, enforce=True)),)))
    assert [(finding.code, finding.subject) for finding in findings] == [("in-transit-outside", "outside")]


def test_a_service_outside_of_several_topics_is_reported_once() -> None:
    topics = [published(topic) for topic in ("orders", "returns")]
    specs = tuple(spec(topic, explicit(*EU)) for topic in ("orders", "returns"))
    assert shown(found(fleet(publisher(*topics, regions=("us-east1",)), topics=specs))) == [
        (
            "checkout.yaml, `publishers[0]`: warning: `checkout`: runs in `us-east1`, outside the topic's regions"
            "  [publisher-outside-regions] checkout\n"
            "  topics: orders, returns\n"
            "  regions: europe-west1, europe-west4\n"
            "  hint: expect longer publish times and traffic between regions, or run the service inside them"
        )
    ]


def test_one_region_for_publishers_in_several_is_a_warning() -> None:
    services = [publisher(published(), service=region, regions=(region,)) for region in EU]
    findings = found(fleet(*services, topics=(spec("orders", explicit("europe-west1")),)))
    assert shown(findings)[1:] == [
        (
            "topics.yaml, `topics.orders.messageStoragePolicy`: warning: `orders`: messages rest in "
            "`europe-west1` alone, "
            "while publishers run in europe-west1, europe-west4  [single-region] "
            "projects/acme-orders-prod/topics/orders\n"
            "  publishers: europe-west1, europe-west4\n"
            "  hint: allow a second region, so that one region's outage does not stop publishing"
        )
    ]


@pytest.mark.parametrize(
    ("declared", "policy", "regions", "expected"),
    [
        (explicit("europe-west1"), None, ["europe-west1"], []),
        (explicit("europe-west1"), None, ["us-east1"], ["publisher-outside-regions", "single-region"]),
        (explicit(*EU), None, EU, []),
        (spec().policy, allowing("europe-west1"), EU, ["publisher-outside-regions", "single-region"]),
        (spec().policy, allowing("europe-west1", possibly=RegionSet.of("europe-west4")), EU, []),
        (spec().policy, allowing(), EU, []),
    ],
)
def test_one_region_is_a_problem_only_where_it_is_certain(
    declared: DeclaredPolicy, policy: EffectivePolicy | None, regions: list[str], expected: list[str]
) -> None:
    assert codes(found(service(declared, *regions), policy)) == expected


def test_subscribers_of_a_topic_with_in_transit_enforcement_are_looked_at() -> None:
    topic = spec(
        "orders",
        explicit(*EU, enforce=True),
        Subscriber(name="billing", regions=("europe-west1",)),
        Subscriber(name="audit", regions=("us-east1",)),
        Subscriber(name="mail", delivery="push"),
    )
    assert shown(found(fleet(topics=(topic,)))) == [
        (
            "topics.yaml, `topics.orders`: error: `orders`: subscriber `audit` reads from `us-east1`, "
            "outside the topic's "
            "regions, which are enforced in transit  [in-transit-outside] projects/acme-orders-prod/topics/orders\n"
            "  regions: europe-west1, europe-west4\n"
            "  hint: move the subscriber, or let it read through a locational endpoint inside the topic's regions"
        ),
        (
            "topics.yaml, `topics.orders`: warning: `orders`: subscriber `mail` gets pushes, which may "
            "pause: in-transit "
            "regions are enforced  [push-may-pause] projects/acme-orders-prod/topics/orders\n"
            "  regions: europe-west1, europe-west4\n"
            "  hint: let it pull, or watch the delivery after the change"
        ),
    ]


def test_without_in_transit_enforcement_subscribers_may_be_anywhere() -> None:
    topic = spec("orders", explicit(*EU), Subscriber(name="mail", regions=("us-east1",), delivery="push"))
    assert found(fleet(topics=(topic,))) == []


def test_a_topic_that_nobody_publishes_to_has_no_problem_here() -> None:
    assert found(fleet(topics=(spec("orders", explicit("europe-west1")),))) == []


def test_what_a_default_does_to_subscribers_and_regions_is_reported_once() -> None:
    default = Origin("defaults.yaml", ("defaults",))
    topics = [
        replace(
            spec(name, explicit("europe-west1", enforce=True), Subscriber(name="mail", delivery="push")),
            policy_origin=default.at("messageStoragePolicy"),
            subscribers_origin=default.at("subscribers"),
        )
        for name in ("orders", "returns")
    ]
    service = publisher(published("orders", endpoint="europe-west1"), published("returns", endpoint="europe-west1"))
    findings = found(fleet(replace(service, regions=("europe-west4",)), topics=tuple(topics)))

    assert shown([finding for finding in findings if finding.code != "publisher-outside-regions"]) == [
        (
            "defaults.yaml, `defaults.messageStoragePolicy`: warning: 2 topics in 1 project take `europe-west1` as "
            "their only region from this default; publishers run elsewhere too  [single-region] "
            "acme-orders-prod\n"
            "  in `acme-orders-prod`: orders, returns\n"
            "    publishers: checkout\n"
            "  hint: allow a second region, so that one region's outage does not stop publishing"
        ),
        (
            "defaults.yaml, `defaults.subscribers`: warning: 2 topics in 1 project take subscriber `mail` from this "
            "default; it gets pushes, which may pause: in-transit regions are enforced  [push-may-pause] "
            "acme-orders-prod\n"
            "  in `acme-orders-prod`: orders, returns\n"
            "    regions: europe-west1\n"
            "  hint: let it pull, or watch the delivery after the change"
        ),
    ]
