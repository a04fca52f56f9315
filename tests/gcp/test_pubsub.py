"""Single topics, read and written past the official client's wrappers: the same on the wire as with them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.pubsub_v1 import PublisherClient
from google.pubsub_v1 import types as pubsub
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport

from reconciler.errors import CallFailed
from reconciler.gcp import Connection, PubsubTopics, read_whole_topics
from reconciler.gcp.connection import open_transport
from reconciler.model import Endpoints, LiveTopic, RegionSet, StoragePolicy, TopicName
from reconciler.orgpolicy import Resource, Snapshot
from reconciler.reconcile import Unavailable
from reconciler.sandbox import LoggedRequest, Sandbox, World
from reconciler.spec import load_catalogue

pytestmark = pytest.mark.network

ORGANIZATION, PROJECT = "organizations/123456789012", "acme-orders"
NAME = TopicName(PROJECT, "a+b%c~d")
POLICY = StoragePolicy(regions=RegionSet.of("europe-west1", "europe-west4"), enforce_in_transit=True)


@pytest.fixture
def box() -> Iterator[Sandbox]:
    resources = (
        Resource(name=ORGANIZATION),
        Resource(name=f"projects/{PROJECT}", parent=ORGANIZATION, number="111"),
    )
    world = World(catalogue=load_catalogue())
    world.load_snapshot(Snapshot(organization=ORGANIZATION, resources={one.name: one for one in resources}))
    world.put_topic(NAME, StoragePolicy(regions=RegionSet.of("us-east1")))
    with Sandbox(world) as running:
        yield running


def topics(box: Sandbox) -> PubsubTopics:
    return PubsubTopics(
        Connection(endpoints=Endpoints(pubsub=f"http://{box.grpc_address}"), quota_project="acme-payer")
    )


def on_the_wire(request: LoggedRequest) -> tuple[object, ...]:
    ours = ("x-goog-request-params", "x-goog-user-project")
    return request.method, request.body, *(request.metadata.get(header) for header in ours)


def test_reading_and_writing_send_what_the_official_client_sends(box: Sandbox) -> None:
    bare = topics(box)
    bare.get(NAME)
    bare.write_storage_policy(NAME, POLICY)
    bare.recompute_storage_policy(NAME)
    sent = [on_the_wire(request) for request in box.log.requests]
    box.log.clear()

    transport = open_transport(PublisherGrpcTransport, f"http://{box.grpc_address}", PublisherClient.DEFAULT_ENDPOINT)
    client, mask = PublisherClient(transport=transport), FieldMask(paths=["message_storage_policy"])
    payer = [("x-goog-user-project", "acme-payer")]
    written = pubsub.MessageStoragePolicy(
        allowed_persistence_regions=["europe-west1", "europe-west4"], enforce_in_transit=True
    )
    client.get_topic(topic=str(NAME), metadata=payer)
    for topic in (pubsub.Topic(name=str(NAME), message_storage_policy=written), pubsub.Topic(name=str(NAME))):
        client.update_topic(pubsub.UpdateTopicRequest(topic=topic, update_mask=mask), metadata=payer)
    assert sent == [on_the_wire(request) for request in box.log.requests]
    assert sent[0][2] == "topic=projects/acme-orders/topics/a%2Bb%25c~d"


def test_a_call_says_which_client_makes_it(box: Sandbox) -> None:
    topics(box).get(NAME)
    (request,) = box.log.requests
    assert "gax/" in request.metadata["x-goog-api-client"]


def test_a_topic_is_read_back_as_it_was_written(box: Sandbox) -> None:
    bare = topics(box)
    bare.write_storage_policy(NAME, POLICY)
    assert bare.get(NAME) == LiveTopic(name=NAME, policy=POLICY)


def test_a_topic_that_is_not_there_is_none(box: Sandbox) -> None:
    assert topics(box).get(TopicName(PROJECT, "nowhere")) is None


def test_a_refused_write_fails_with_the_code_of_the_api(box: Sandbox) -> None:
    with pytest.raises(CallFailed) as failed:
        topics(box).write_storage_policy(TopicName(PROJECT, "nowhere"), POLICY)
    assert (failed.value.code, failed.value.is_transient) == ("NOT_FOUND", False)


def test_whole_topics_are_listed_with_every_field_under_its_rest_name(box: Sandbox) -> None:
    other = TopicName(PROJECT, "payments")
    box.world.put_topic(other, None, {"team": "payments"}, {"messageRetentionDuration": "86400s"})

    assert dict(topics(box).list_whole(PROJECT)) == {
        NAME: {"name": str(NAME), "messageStoragePolicy": {"allowedPersistenceRegions": ["us-east1"]}},
        other: {"name": str(other), "labels": {"team": "payments"}, "messageRetentionDuration": "86400s"},
    }


def test_projects_that_cannot_be_listed_hide_no_other(box: Sandbox) -> None:
    found = read_whole_topics([PROJECT, "acme-else"], topics(box))
    here, elsewhere = found[PROJECT], found["acme-else"]

    assert isinstance(elsewhere, Unavailable)
    assert not isinstance(here, Unavailable)
    assert list(here) == [NAME]
