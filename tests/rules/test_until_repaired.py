"""Where a topic's messages may be published until it is as it should be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.model import ALL_REGIONS, DeclaredPolicy, RegionSet, StoragePolicy, Unmanaged
from reconciler.orgpolicy import RegionBounds
from reconciler.rules import check_services, place_in, with_endpoints
from reconciler.rules.places import Place
from reconciler.spec import load_catalogue
from tests.hedging.builders import PROJECT, explicit, fleet, name, published, publisher, spec
from tests.reconcile.worlds import stored
from tests.rules.test_settings import TODAY
from tests.rules.texts import CATALOGUE, allowing

EU = ("europe-west1", "europe-west4")
ORDERS = name("orders")


def exactly(*regions: str) -> RegionBounds:
    return RegionBounds.exactly(RegionSet.of(*regions))


@pytest.mark.parametrize(
    ("wanted", "live", "place"),
    [
        (explicit(*EU), stored(EU), exactly(*EU)),
        (explicit(*EU), stored((*EU, "us-east1")), exactly(*EU)),
        (explicit(*EU), stored(("europe-west1",)), exactly("europe-west1")),
        (explicit(*EU), None, exactly(*EU)),
        (explicit(*EU), stored(("us-east1",)), exactly("us-east1")),
        (explicit(*EU), stored(()), exactly(*EU)),
        (spec().policy, stored(EU), exactly(*EU)),
        (spec().policy, None, RegionBounds.exactly(ALL_REGIONS)),
        (Unmanaged(), stored(EU), RegionBounds(RegionSet.of(), ALL_REGIONS)),
    ],
)
def test_regions_count_that_are_there_now_and_after_the_repair(
    wanted: DeclaredPolicy, live: StoragePolicy | None, place: RegionBounds
) -> None:
    declared = fleet(topics=(spec("orders", wanted),))
    found = place_in(declared, ORDERS, {PROJECT: allowing()}, CATALOGUE, {ORDERS: live})
    assert found == Place(regions=place, enforced=False)


def test_enforcement_counts_that_is_there_or_is_wanted() -> None:
    enforced = StoragePolicy(regions=RegionSet.of(*EU), enforce_in_transit=True)
    wanted = Place(regions=exactly(*EU), enforced=False)
    assert wanted.until_repaired(enforced).enforced
    assert Place(regions=exactly(*EU), enforced=True).until_repaired(stored(EU)).enforced
    assert not wanted.until_repaired(None).enforced


def test_a_topic_that_is_not_declared_has_no_place() -> None:
    assert place_in(fleet(topics=()), ORDERS, {}, CATALOGUE, {ORDERS: None}) is None


def test_a_derived_endpoint_is_in_none_but_the_regions_that_are_there() -> None:
    service = publisher(published(message_ordering=True), regions=("europe-west4", "us-east1"))
    declared = fleet(service, topics=(spec("orders", explicit(*EU)),))
    endpoints = [
        with_endpoints(declared, {}, CATALOGUE, live).publishers[0].topics[0].endpoint
        for live in ({}, {ORDERS: stored(("europe-west1",))}, {ORDERS: stored(("europe-west1", "us-east1"))})
    ]
    assert endpoints == ["europe-west4", "europe-west1", "europe-west1"]


def test_a_declared_endpoint_that_is_not_there_yet_is_outside() -> None:
    declared = fleet(publisher(published(endpoint="europe-west4")), topics=(spec("orders", explicit(*EU)),))
    at_last = check_services(declared, {PROJECT: None}, CATALOGUE, today=TODAY)
    (finding,) = check_services(
        declared, {PROJECT: None}, CATALOGUE, today=TODAY, live={ORDERS: stored(("europe-west1",))}
    )
    assert at_last == []
    assert (finding.code, finding.details) == ("endpoint-outside", ("topic: orders", "regions: europe-west1"))


REGIONS = ("europe-west1", "europe-west4", "us-east1", "us-east4")
SOME = st.frozensets(st.sampled_from(REGIONS), min_size=1)


@given(own=SOME, wanted=SOME, live=SOME)
def test_whatever_is_wanted_an_ordered_publishers_endpoint_is_a_region_that_is_there(
    own: frozenset[str], wanted: frozenset[str], live: frozenset[str]
) -> None:
    """And one that stays, where any does; `global` leads to the service's own region, so all of these are there."""
    service = publisher(published(message_ordering=True), regions=tuple(sorted(own)))
    declared = fleet(service, topics=(spec("orders", explicit(*wanted)),))
    catalogue = load_catalogue()
    (settled,) = with_endpoints(declared, {}, catalogue, {ORDERS: stored(tuple(sorted(live)))}).publishers
    endpoint = settled.topics[0].endpoint
    staying = wanted & live or live
    used = own if endpoint == "global" else {endpoint}
    assert used <= staying
