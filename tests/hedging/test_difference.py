from __future__ import annotations

import json
from dataclasses import replace

import pytest

from reconciler.hedging import Difference, differences, endpoint_region, file_names, regions_in, render
from reconciler.model import Publisher
from tests.hedging.builders import fleet, ms, profile, published, publisher

ORDERS = "projects/acme-orders-prod/topics/orders"
AUDIT = "projects/acme-orders-prod/topics/audit"


def document(service: Publisher) -> bytes:
    return render(fleet(service))[f"{service.service}.json"]


CHECKOUT = publisher(published("orders", profile()))
BEFORE = document(CHECKOUT)


def test_a_document_does_not_differ_from_itself_in_any_form() -> None:
    assert differences(BEFORE, BEFORE) == ()
    assert differences(json.dumps(json.loads(BEFORE)).encode(), BEFORE) == ()


def test_every_setting_that_differs_is_found_with_its_values() -> None:
    slower = document(publisher(published("orders", profile(delay=ms(300), tokens=50), endpoint="europe-west1")))
    assert differences(BEFORE, slower) == (
        Difference(
            topic=ORDERS,
            path=("endpoint",),
            before="pubsub.googleapis.com:443",
            after="europe-west1-pubsub.googleapis.com:443",
        ),
        Difference(topic=ORDERS, path=("hedging", "hedgeDelay"), before="0.200s", after="0.300s"),
        Difference(topic=ORDERS, path=("hedging", "maxTokens"), before=100, after=50),
    )


def test_hedging_that_is_switched_is_one_difference() -> None:
    (off,) = differences(BEFORE, document(publisher(published("orders"))))
    assert (off.topic, off.path, off.before["maxTokens"], off.after) == (ORDERS, ("hedging",), 100, None)


def test_a_topic_that_comes_or_goes_is_one_difference() -> None:
    both = document(publisher(published("orders", profile()), published("audit")))
    (came,) = differences(BEFORE, both)
    (went,) = differences(both, BEFORE)
    assert (came.topic, came.path, came.before) == (AUDIT, (), None)
    assert (went.topic, went.path, went.after) == (AUDIT, (), None)


def test_what_concerns_the_service_names_no_topic() -> None:
    newer = document(replace(CHECKOUT, client_version="1.159.0"))
    assert differences(BEFORE, newer) == (
        Difference(topic=None, path=("clientLibrary", "version"), before="1.160.0", after="1.159.0"),
    )


def test_an_edit_without_effect_on_a_setting_is_no_difference() -> None:
    edited = document(replace(CHECKOUT, expected_requests_per_second=5))
    assert edited != BEFORE
    assert differences(BEFORE, edited) == ()


@pytest.mark.parametrize("broken", [b"", b"[]", b"[" * 100_000])
def test_a_document_that_cannot_be_read_differs_in_everything(broken: bytes) -> None:
    found = differences(broken, BEFORE)
    assert [difference.path for difference in found if difference.topic == ORDERS] == [()]
    assert {difference.path for difference in found if difference.topic is None} >= {("formatVersion",), ("service",)}


@pytest.mark.parametrize(
    ("address", "region"),
    [("pubsub.googleapis.com:443", None), ("europe-west1-pubsub.googleapis.com:443", "europe-west1"), ("", None)],
)
def test_the_region_of_an_endpoint(address: str, region: str | None) -> None:
    assert endpoint_region(address) == region


@pytest.mark.parametrize(
    ("adapter", "names"),
    [
        (None, ("checkout.json",)),
        ("spring", ("checkout.json", "application-checkout.yaml")),
        ("configmap", ("checkout.json", "configmap-checkout.yaml")),
        ("nonesuch", ("checkout.json",)),
    ],
)
def test_the_names_of_a_services_files_are_those_that_are_rendered(adapter: str | None, names: tuple[str, ...]) -> None:
    service = replace(CHECKOUT, adapter=adapter)
    assert file_names(service) == names
    if adapter != "nonesuch":
        assert tuple(render(fleet(service))) == names


def test_the_regions_that_a_document_publishes_through() -> None:
    service = publisher(published("orders", endpoint="europe-west1"), published("audit", endpoint="global"))
    assert regions_in(document(service)) == {ORDERS: "europe-west1"}
    assert regions_in(b"") == {}
