from __future__ import annotations

from reconciler.hedging import Difference
from reconciler.model import RegionSet
from reconciler.report import FileStatus, Rendering, ServiceFiles, changes_of_a_file, rendering_document, rendering_text
from tests.hedging.builders import name, profile, published, publisher

ORDERS = "projects/acme-orders-prod/topics/orders"
CHECKOUT = publisher(published("orders", profile()))
EU = RegionSet.of("europe-west4")


def differing(path: str, before: object, after: object, topic: str | None = ORDERS) -> Difference:
    return Difference(topic=topic, path=tuple(path.split(".")) if path else (), before=before, after=after)


def words(*found: Difference, live: RegionSet = EU) -> tuple[str, ...]:
    return changes_of_a_file(found, CHECKOUT, regions={name("orders"): EU}, live={name("orders"): live})


def test_settings_are_told_with_both_values_and_hedging_with_its_profile() -> None:
    assert words(
        differing("hedging.maxTokens", 50, 100),
        differing("retry.totalTimeout", "600s", "60s"),
        differing("batching.maxBytes", None, 1000),
        differing("clientLibrary.version", "1.159.0", "1.160.0", None),
        differing("source.generator", "hedgerow 0.1.0", "hedgerow 0.2.0", None),
        differing("language", "go", "java", None),
    ) == (
        "orders: hedging.maxTokens 50 -> 100 (profile `eager`)",
        "orders: retry.totalTimeout 600s -> 60s",
        "orders: batching.maxBytes default -> 1000",
        "client library 1.159.0 -> 1.160.0",
        "generator hedgerow 0.1.0 -> hedgerow 0.2.0",
        "language go -> java",
    )


def test_switches_are_told_as_such() -> None:
    assert words(
        differing("hedging", None, {"maxTokens": 50}),
        differing("messageOrdering", before=True, after=False),
        differing("", None, {}),
        differing("", {}, None, "projects/acme-orders-prod/topics/audit"),
    ) == (
        "orders: hedged now (profile `eager`)",
        "orders: no longer published in order",
        "orders: published to now",
        "audit: no longer published to",
    )


def test_an_endpoint_that_moved_is_told_with_the_region_that_went_away() -> None:
    moved = differing("endpoint", "europe-west1-pubsub.googleapis.com:443", "europe-west4-pubsub.googleapis.com:443")
    back = differing("endpoint", "europe-west4-pubsub.googleapis.com:443", "pubsub.googleapis.com:443")
    assert words(moved) == ("orders: endpoint europe-west1 -> europe-west4, as the topic no longer has europe-west1",)
    assert words(moved, live=RegionSet.of("europe-west1", "europe-west4")) == (
        "orders: endpoint europe-west1 -> europe-west4, as the topic is about to lose europe-west1",
    )
    assert words(back) == ("orders: endpoint europe-west4 -> global",)


def test_no_difference_is_an_edit_without_effect() -> None:
    assert words() == ("its spec was edited, and no setting differs",)


def test_many_services_are_counted_and_the_first_are_listed() -> None:
    services = tuple(
        ServiceFiles(
            service=f"s{number:02}", status=FileStatus.WRITTEN, files=(f"s{number:02}.json",), why=("new", "so")
        )
        for number in range(22)
    )
    lines = rendering_text(Rendering(output="dist", services=services, orphaned=("dist/old.json",))).splitlines()
    assert lines[:3] == [
        "publisher configuration in dist: 22 services: 22 written",
        "  written  s00  new",
        "                so",
    ]
    assert lines[-3:] == [
        "                so",
        "  written  2 services more, all in the run's record",
        "  dist/old.json is of a service that left the specs; see `hedgerow render --prune`",
    ]


def test_a_place_that_could_not_be_looked_at_is_all_that_is_told() -> None:
    rendering = Rendering(output="gs://acme", problem="gs://acme cannot be listed: denied")
    assert rendering_text(rendering) == (
        "publisher configuration in gs://acme: nothing was rendered: gs://acme cannot be listed: denied\n"
    )
    assert rendering_document(rendering)["problem"] == "gs://acme cannot be listed: denied"
