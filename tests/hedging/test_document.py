import json
import os
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from reconciler.hedging import LIBRARIES, SCHEMA_ID, endpoint_address, render, spec_digest
from reconciler.model import Batching, Fleet, FlowControl, Origin, Publisher, RetrySettings
from tests.hedging.builders import fleet, ms, profile, published, publisher, seconds

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = json.loads(files("reconciler.hedging").joinpath("publisher-config.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
COMPLETE_RETRY = RetrySettings(
    initial_rpc_timeout=seconds(10),
    max_rpc_timeout=seconds(20),
    rpc_timeout_multiplier=1.3,
    total_timeout=seconds(30),
)

CASES: dict[str, Publisher] = {
    "java-hedged": publisher(
        published("orders", profile(), retry=RetrySettings(initial_rpc_timeout=seconds(10))), service="java-hedged"
    ),
    "java-ordered-regional": publisher(
        published(
            "payments",
            message_ordering=True,
            endpoint="europe-west1",
            flow_control=FlowControl(max_outstanding_messages=1000, max_outstanding_bytes=10 * 2**20),
        ),
        published("orders", profile("standard", seconds(1), 50, 0.1)),
        service="java-ordered-regional",
        client_version="1.159.0",
    ),
    "go-hedged": publisher(
        published(
            "orders",
            profile(delay=ms(1500)),
            batching=Batching(max_messages=100, max_bytes=1_000_000, max_latency=ms(10)),
            flow_control=FlowControl(limit_exceeded="error"),
        ),
        service="go-hedged",
        language="go",
    ),
    "rust-hedged": publisher(
        published("orders", profile(ratio=0.001, tokens=1, delay=seconds(10))), service="rust-hedged", language="rust"
    ),
    "node-hedged": publisher(
        published("orders", profile(ratio=0.2, tokens=250, delay=ms(100))), service="node-hedged", language="node"
    ),
    "python-unhedged": publisher(
        published("orders", batching=Batching(max_latency=ms(50))), service="python-unhedged", language="python"
    ),
    "csharp-unhedged": publisher(
        published("orders", retry=COMPLETE_RETRY), service="csharp-unhedged", language="csharp", client_version="3.12.0"
    ),
    "without-topics": publisher(service="without-topics"),
}


def rendered(service: Publisher) -> dict[str, Any]:
    (content,) = render(fleet(service)).values()
    document = json.loads(content)
    assert isinstance(document, dict)
    return document


@pytest.mark.parametrize("name", CASES)
def test_a_document_is_what_it_was_byte_for_byte(name: str) -> None:
    documents = render(fleet(CASES[name]))
    assert list(documents) == [f"{name}.json"]
    golden = GOLDEN / f"{name}.json"
    if os.environ.get("HEDGEROW_UPDATE") == "1":
        golden.write_bytes(documents[golden.name])
    assert documents[golden.name] == golden.read_bytes()


def test_every_golden_file_has_its_case() -> None:
    assert sorted(path.stem for path in GOLDEN.glob("*.json")) == sorted(CASES)


def test_the_schema_is_a_schema_and_names_itself() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == SCHEMA_ID


@pytest.mark.parametrize("name", CASES)
def test_every_document_follows_the_schema(name: str) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(rendered(CASES[name]))] == []


@pytest.mark.parametrize("milliseconds", [100, 101, 199, 999, 1000, 1001, 9999, 10_000])
def test_the_schema_takes_every_delay_that_is_accepted(milliseconds: int) -> None:
    document = rendered(publisher(published(hedging=profile(delay=ms(milliseconds))), language="rust"))
    assert [error.message for error in VALIDATOR.iter_errors(document)] == []


def broken(path: str, value: Any) -> dict[str, Any]:
    """A good document with one part replaced, or removed by `None`; `/` separates keys, `T` is the topic."""
    document = rendered(CASES["java-hedged"])
    *parents, last = [key if key != "T" else "projects/acme-orders-prod/topics/orders" for key in path.split("/")]
    part = document
    for key in parents:
        part = part[key]
    if value is None:
        del part[last]
    else:
        part[last] = value
    return document


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("surprise", 1),
        ("formatVersion", "2"),
        ("service", "../checkout"),
        ("source/specDigest", None),
        ("source/generator", "by hand"),
        ("topics/orders", {}),
        ("topics/T/endpoint", "example.com:443"),
        ("topics/T/messageOrdering", True),
        ("topics/T/messageOrdering", None),
        ("topics/T/hedging", {}),
        ("topics/T/hedging/hedgeDelay", "0.099s"),
        ("topics/T/hedging/hedgeDelay", "0.2s"),
        ("topics/T/hedging/hedgeDelay", "1.000s"),
        ("topics/T/hedging/hedgeDelay", "10.001s"),
        ("topics/T/hedging/hedgeDelay", "0s"),
        ("topics/T/hedging/hedgeDelay", 200),
        ("topics/T/hedging/maxTokens", 0),
        ("topics/T/hedging/maxTokens", 251),
        ("topics/T/hedging/maxTokens", 50.5),
        ("topics/T/hedging/refillRatio", 0.0009),
        ("topics/T/hedging/refillRatio", 0.2001),
        ("topics/T/hedging/maxHedgedAttempts", 3),
        ("topics/T/retry/totalTimeout", None),
        ("topics/T/retry/totalTimeout", "0s"),
        ("topics/T/retry/totalTimeout", "0.000s"),
        ("topics/T/retry/totalTimeout", "600"),
        ("topics/T/retry/rpcTimeoutMultiplier", 0.5),
        ("topics/T/batching/maxMessages", 0),
        ("topics/T/flowControl/limitExceededBehavior", "drop"),
    ],
)
def test_the_schema_refuses_anything_else(path: str, value: Any) -> None:
    assert len(list(VALIDATOR.iter_errors(broken(path, value)))) > 0


def test_the_endpoint_is_global_or_a_regions() -> None:
    assert endpoint_address("global") == "pubsub.googleapis.com:443"
    assert endpoint_address("europe-west1") == "europe-west1-pubsub.googleapis.com:443"


@pytest.mark.parametrize("endpoint", ["", "eu", "europe-west1-b", "in:eu-locations", "example.com/"])
def test_there_is_no_endpoint_for_anything_else(endpoint: str) -> None:
    with pytest.raises(ValueError, match=r" is neither `global` nor a region$"):
        endpoint_address(endpoint)


def test_a_whole_number_of_tokens_is_written_as_one() -> None:
    (topic,) = rendered(publisher(published(hedging=profile(tokens=50.0))))["topics"].values()
    assert json.dumps(topic["hedging"]["maxTokens"]) == "50"


def test_names_outside_ascii_stay_readable() -> None:
    services = fleet(publisher())
    (content,) = render(replace(services, stack=replace(services.stack, name="première"))).values()
    assert '"stack": "première"' in content.decode()


def test_hedging_off_leaves_the_object_out() -> None:
    topic = rendered(publisher(published()))["topics"]["projects/acme-orders-prod/topics/orders"]
    assert sorted(topic) == ["batching", "endpoint", "flowControl", "messageOrdering", "retry"]


def test_a_change_in_one_service_leaves_the_files_of_others_alone() -> None:
    billing = publisher(published("orders"), service="billing")
    before = render(fleet(billing, publisher(published("orders", profile()))))
    after = render(fleet(billing, publisher(published("orders", profile(tokens=99)))))
    assert before["billing.json"] == after["billing.json"]
    assert before["checkout.json"] != after["checkout.json"]


def test_order_and_place_of_entries_do_not_count() -> None:
    one = publisher(published("orders", profile()), published("payments"), regions=("europe-west1", "us-east1"))
    other = publisher(
        published("payments", origin=Origin("elsewhere.yaml")),
        published("orders", profile()),
        regions=("us-east1", "europe-west1"),
        origin=Origin("elsewhere.yaml"),
    )
    assert render(fleet(one)) == render(fleet(other))


@pytest.mark.parametrize(
    "changed",
    [
        replace(CASES["java-hedged"], regions=("europe-west1",)),
        replace(CASES["java-hedged"], expected_requests_per_second=3),
        replace(CASES["java-hedged"], client_version="1.160.0"),
    ],
)
def test_whatever_is_declared_for_the_service_counts_in_its_digest(changed: Publisher) -> None:
    assert spec_digest(changed) != spec_digest(CASES["java-hedged"])


def test_services_are_rendered_in_canonical_order() -> None:
    services = fleet(publisher(service="b"), publisher(service="a"))
    assert list(render(services)) == ["a.json", "b.json"]


@pytest.mark.parametrize(
    ("service", "message"),
    [
        (publisher(language="cobol"), "checkout: nothing is known about language cobol"),
        (
            publisher(published(hedging=profile()), language="python"),
            "checkout: version 2.44.0 of google-cloud-pubsub has no hedging",
        ),
        (publisher(language="php"), "checkout: nothing is known about language php"),
        (
            publisher(published(), language="php", client_version="2.0.0"),
            "projects/acme-orders-prod/topics/orders: the PHP library's default timeouts are not known",
        ),
        (
            publisher(published(hedging=profile(), message_ordering=True), language="rust"),
            "projects/acme-orders-prod/topics/orders: no client hedges with this ordering and these timeouts",
        ),
        (
            publisher(published(hedging=profile(delay=seconds(5)))),
            "projects/acme-orders-prod/topics/orders: no client hedges with this ordering and these timeouts",
        ),
        (
            publisher(published(hedging=profile(ratio=float("nan"))), language="go"),
            "hedging profile eager: refill ratio nan is not between 0.001 and 0.2",
        ),
    ],
)
def test_a_fleet_that_skipped_the_rules_is_not_rendered(service: Publisher, message: str) -> None:
    with pytest.raises(ValueError, match=r"^\S") as caught:
        render(fleet(service))
    assert str(caught.value) == message


def test_a_table_of_ones_own_is_used() -> None:
    own = {**LIBRARIES, "cobol": replace(LIBRARIES["go"], language="cobol", coordinates="pubsub-cobol")}
    service = Fleet.of(fleet().stack, publishers=[publisher(language="cobol")])
    (content,) = render(service, own).values()
    assert json.loads(content)["clientLibrary"] == {"name": "pubsub-cobol", "version": "v2.9.0"}


@pytest.mark.parametrize("language", ["go", "rust"])
def test_timeouts_per_attempt_that_a_library_lacks_are_the_total(language: str) -> None:
    service = publisher(published(retry=COMPLETE_RETRY), language=language)
    assert rendered(service)["topics"]["projects/acme-orders-prod/topics/orders"]["retry"] == {
        "initialRpcTimeout": "30s",
        "maxRpcTimeout": "30s",
        "rpcTimeoutMultiplier": 1,
        "totalTimeout": "30s",
    }


def test_flow_control_that_a_library_lacks_is_left_out() -> None:
    service = publisher(published(flow_control=FlowControl(max_outstanding_messages=1)), language="rust")
    assert rendered(service)["topics"]["projects/acme-orders-prod/topics/orders"]["flowControl"] == {}
