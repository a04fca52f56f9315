"""What the sandbox and Google's own emulator can both do, they do alike."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import google.pubsub_v1 as gapic
import grpc
import httpx
import pytest
from google.api_core import exceptions
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport

from reconciler.sandbox import Sandbox, World
from reconciler.spec.catalogue import load_catalogue
from tests.sandbox.builders import PROJECT, TOPIC

pytestmark = pytest.mark.network

SUBSCRIPTION = f"{PROJECT}/subscriptions/billing"


def emulator_jar() -> Path | None:
    """The emulator in the SDK that gcloud belongs to."""
    gcloud = shutil.which("gcloud")
    roots = [Path(gcloud).resolve().parents[1]] if gcloud else []
    found = [jar for root in roots for jar in root.glob("platform/pubsub-emulator/lib/*pubsub-emulator*.jar")]
    return found[0] if found else None


@pytest.fixture(scope="module")
def emulator() -> Iterator[str]:
    """The address of a running emulator."""
    jar, java = emulator_jar(), shutil.which("java")
    if (jar is None or java is None) and "CI" not in os.environ:
        pytest.skip("Google's Pub/Sub emulator or Java is not installed (CI installs both)")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(java), "-jar", str(jar), "--host=127.0.0.1", f"--port={port}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"127.0.0.1:{port}"
        process.kill()


@pytest.fixture(params=["sandbox", "emulator"])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    """The gRPC address of a Pub/Sub without topics; the emulator is on the same port over REST."""
    if request.param == "emulator":
        found: str = request.getfixturevalue("emulator")
        yield found
    else:
        with Sandbox(World(catalogue=load_catalogue())) as box:
            yield box.grpc_address


@pytest.fixture
def publisher(address: str) -> Iterator[Any]:
    with grpc.insecure_channel(address) as channel:
        client = gapic.PublisherClient(transport=PublisherGrpcTransport(channel=channel))
        yield client
        for topic in client.list_topics(project=PROJECT):
            client.delete_topic(topic=topic.name)


@pytest.fixture
def subscriber(address: str) -> Iterator[Any]:
    with grpc.insecure_channel(address) as channel:
        client = gapic.SubscriberClient(transport=SubscriberGrpcTransport(channel=channel))
        yield client
        for subscription in client.list_subscriptions(project=PROJECT):
            client.delete_subscription(subscription=subscription.name)


def test_storage_policy_given_at_creation_is_kept(publisher: Any) -> None:
    policy = {"allowed_persistence_regions": ["europe-west4", "europe-west1"], "enforce_in_transit": True}
    publisher.create_topic(request={"name": TOPIC, "message_storage_policy": policy, "labels": {"team": "orders"}})
    found = publisher.get_topic(topic=TOPIC)
    assert set(found.message_storage_policy.allowed_persistence_regions) == {"europe-west1", "europe-west4"}
    assert found.message_storage_policy.enforce_in_transit is True
    assert dict(found.labels) == {"team": "orders"}


def test_topic_without_a_storage_policy_has_none_where_no_organization_constrains(publisher: Any) -> None:
    publisher.create_topic(name=TOPIC)
    found = gapic.Topic.pb(publisher.get_topic(topic=TOPIC))
    assert not found.HasField("message_storage_policy")


def test_topics_are_listed_by_name(publisher: Any) -> None:
    for name in ("b", "a", "c"):
        publisher.create_topic(name=f"{TOPIC}-{name}")
    pages = list(publisher.list_topics(request={"project": PROJECT, "page_size": 2}).pages)
    assert [[topic.name for topic in page.topics] for page in pages] == [
        [f"{TOPIC}-a", f"{TOPIC}-b"],
        [f"{TOPIC}-c"],
    ]


def test_published_message_reaches_the_subscription(publisher: Any, subscriber: Any) -> None:
    publisher.create_topic(name=TOPIC)
    created = subscriber.create_subscription(name=SUBSCRIPTION, topic=TOPIC)
    assert (created.ack_deadline_seconds, created.message_retention_duration.days) == (10, 7)
    (message_id,) = publisher.publish(topic=TOPIC, messages=[{"data": b"x", "attributes": {"k": "v"}}]).message_ids
    (received,) = subscriber.pull(subscription=SUBSCRIPTION, max_messages=5).received_messages
    assert (received.message.message_id, received.message.data) == (message_id, b"x")
    assert dict(received.message.attributes) == {"k": "v"}
    subscriber.acknowledge(subscription=SUBSCRIPTION, ack_ids=[received.ack_id])


def test_subscription_of_a_deleted_topic_says_so(publisher: Any, subscriber: Any) -> None:
    publisher.create_topic(name=TOPIC)
    subscriber.create_subscription(name=SUBSCRIPTION, topic=TOPIC)
    publisher.delete_topic(topic=TOPIC)
    assert subscriber.get_subscription(subscription=SUBSCRIPTION).topic == "_deleted-topic_"


@pytest.mark.parametrize(
    ("method", "request_", "error", "message"),
    [
        ("get_topic", {"topic": f"{TOPIC}-none"}, exceptions.NotFound, "Topic not found"),
        ("delete_topic", {"topic": f"{TOPIC}-none"}, exceptions.NotFound, "Topic not found"),
        ("publish", {"topic": f"{TOPIC}-none", "messages": [{"data": b"x"}]}, exceptions.NotFound, "Topic not found"),
        ("create_topic", {"name": TOPIC}, exceptions.AlreadyExists, "Topic already exists"),
        ("create_topic", {"name": "orders"}, exceptions.InvalidArgument, "Invalid [topics] name: (name=orders)"),
        (
            "create_topic",
            {"name": f"{PROJECT}/topics/google"},
            exceptions.InvalidArgument,
            f"Invalid [topics] name: (name={PROJECT}/topics/google)",
        ),
        ("publish", {"topic": TOPIC, "messages": []}, exceptions.InvalidArgument, "No messages to publish"),
        ("publish", {"topic": TOPIC, "messages": [{}]}, exceptions.InvalidArgument, "Some messages are empty"),
        (
            "update_topic",
            {"topic": {"name": TOPIC}},
            exceptions.InvalidArgument,
            "The update_mask in the UpdateTopicRequest must be set, and must contain a non-empty paths list.",
        ),
        (
            "update_topic",
            {"topic": {"name": TOPIC}, "update_mask": {"paths": ["messageStoragePolicy"]}},
            exceptions.InvalidArgument,
            (
                "Invalid update_mask provided in the UpdateTopicRequest: messageStoragePolicy is not a known Topic "
                "field. Note that field paths must be of the form 'schema_settings' rather than 'schemaSetings'."
            ),
        ),
    ],
)
def test_refusals_have_the_same_code_and_text(
    publisher: Any, method: str, request_: Any, error: type[exceptions.GoogleAPICallError], message: str
) -> None:
    publisher.create_topic(name=TOPIC)
    with pytest.raises(error) as caught:
        getattr(publisher, method)(request=request_, retry=None)
    assert caught.value.message == message


@pytest.fixture(params=["sandbox", "emulator"])
def rest(request: pytest.FixtureRequest) -> Iterator[str]:
    """The base of REST requests."""
    if request.param == "emulator":
        yield f"http://{request.getfixturevalue('emulator')}"
    else:
        with Sandbox(World(catalogue=load_catalogue())) as box:
            yield box.rest_url


def test_rest_creates_reads_and_deletes(rest: str) -> None:
    url = f"{rest}/v1/{TOPIC}"
    body = {"messageStoragePolicy": {"allowedPersistenceRegions": ["europe-west1"]}}
    assert httpx.put(url, json=body).json() == {"name": TOPIC, **body}
    assert httpx.get(url).json() == {"name": TOPIC, **body}
    assert httpx.post(f"{url}:publish", json={"messages": [{"data": "eA=="}]}).json()["messageIds"]
    assert httpx.delete(url).json() == {}
    missing = httpx.get(url)
    assert (missing.status_code, missing.json()) == (
        404,
        {"error": {"code": 404, "message": "Topic not found", "status": "NOT_FOUND"}},
    )
