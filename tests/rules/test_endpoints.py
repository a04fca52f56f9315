from typing import Any

import pytest

from reconciler.model import DeclaredPolicy, Fleet, RegionSet
from reconciler.orgpolicy import EffectivePolicy
from reconciler.rules import with_endpoints
from reconciler.spec import load_catalogue
from tests.hedging.builders import PROJECT, explicit, fleet, published, publisher, spec
from tests.rules.texts import CATALOGUE, allowing, codes, found

EU = ("europe-west1", "europe-west4")
INHERIT = spec().policy


def service(policy: DeclaredPolicy, *regions: str, **fields: Any) -> Fleet:
    return fleet(publisher(published(**fields), regions=regions), topics=(spec("orders", policy),))


def endpoint(declared: Fleet, policy: EffectivePolicy | None = None) -> str | None:
    (settled,) = with_endpoints(declared, {PROJECT: policy}, CATALOGUE).publishers
    return settled.topics[0].endpoint


@pytest.mark.parametrize(
    ("policy", "regions", "expected"),
    [
        (explicit(*EU), ["europe-west4"], "global"),
        (explicit(*EU), EU, "global"),
        (explicit(*EU), ["us-east1", "europe-west4"], "europe-west4"),
        (explicit(*EU), ["us-east1", "europe-west4", "europe-west1"], "europe-west1"),
        (explicit("europe-west4"), ["us-east1"], "europe-west4"),
        (explicit("europe-west4"), [], "europe-west4"),
        (explicit(*EU), ["us-east1"], "global"),
        (explicit(*EU), [], "global"),
        (INHERIT, ["us-east1"], "global"),
    ],
)
def test_ordered_messages_go_to_an_own_region_or_the_only_one(
    policy: DeclaredPolicy, regions: list[str], expected: str
) -> None:
    assert endpoint(service(policy, *regions, message_ordering=True), allowing()) == expected


def test_in_transit_enforcement_asks_for_the_same() -> None:
    regions = ("us-east1", "europe-west4")
    assert endpoint(service(explicit(*EU, enforce=True), *regions)) == "europe-west4"
    assert endpoint(service(explicit(*EU, enforce=False), *regions)) == "global"
    assert endpoint(service(INHERIT, *regions), allowing(*EU, in_transit=True)) == "europe-west4"


def test_only_a_region_that_is_certainly_the_topics_is_chosen_be_it_an_own_one_or_not() -> None:
    perhaps = allowing("europe-west4", possibly=RegionSet.of("europe-west1"))
    assert endpoint(service(INHERIT, "europe-west1", "us-east1", message_ordering=True), perhaps) == "europe-west4"
    assert endpoint(service(INHERIT, "europe-west4", "us-east1", message_ordering=True), perhaps) == "europe-west4"


def test_what_is_declared_stays() -> None:
    declared = service(explicit("europe-west4"), "us-east1", message_ordering=True, endpoint="global")
    assert with_endpoints(declared, {}, CATALOGUE) == declared


def test_a_topic_that_is_not_declared_is_published_to_through_the_global_endpoint() -> None:
    assert endpoint(fleet(publisher(published(message_ordering=True)), topics=())) == "global"


def test_the_rules_judge_the_derived_endpoint() -> None:
    inside = service(explicit(*EU, enforce=True), "us-east1", "europe-west1")
    assert codes(found(inside)) == ["publisher-outside-regions"]
    undecided = service(explicit(*EU), "us-east1", message_ordering=True)
    assert codes(found(undecided)) == ["publisher-outside-regions", "ordering-endpoint"]


def test_a_service_outside_a_topics_regions_gets_the_nearest_of_them() -> None:
    """By the coordinates that hedgerow ships; nobody says where `us-east7` is, so nothing is nearest to it."""
    nowhere = service(explicit(*EU), "us-east7", message_ordering=True)
    zurich = service(explicit(*EU), "europe-west6", message_ordering=True)

    def through(declared: Fleet) -> str | None:
        (settled,) = with_endpoints(declared, {PROJECT: allowing()}, load_catalogue()).publishers
        return settled.topics[0].endpoint

    assert (through(zurich), through(nowhere)) == ("europe-west1", "global")
