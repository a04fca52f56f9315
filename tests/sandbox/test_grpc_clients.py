"""The official Python clients, unmodified, against the sandbox's gRPC port."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import orgpolicy_v2, pubsub_v1, resourcemanager_v3
from google.cloud.orgpolicy_v2.services.org_policy.transports import OrgPolicyGrpcTransport
from google.cloud.resourcemanager_v3.services.folders.transports import FoldersGrpcTransport
from google.cloud.resourcemanager_v3.services.organizations.transports import OrganizationsGrpcTransport
from google.cloud.resourcemanager_v3.services.projects.transports import ProjectsGrpcTransport
from google.protobuf.field_mask_pb2 import FieldMask
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport

from reconciler.sandbox import Answer, Fault, Sandbox, World
from tests.sandbox.builders import (
    FOLDER,
    IN_TRANSIT,
    LOCATIONS,
    NUMBER,
    ORGANIZATION,
    PROJECT,
    TOPIC,
    allow_only,
    not_allowed,
    storage,
)

pytestmark = pytest.mark.network


@pytest.fixture
def publisher(channel: grpc.Channel) -> Any:
    import google.pubsub_v1 as gapic

    return gapic.PublisherClient(transport=PublisherGrpcTransport(channel=channel))


@pytest.fixture
def subscriber(channel: grpc.Channel) -> Any:
    import google.pubsub_v1 as gapic

    return gapic.SubscriberClient(transport=SubscriberGrpcTransport(channel=channel))


@pytest.fixture
def policies(channel: grpc.Channel) -> Any:
    return orgpolicy_v2.OrgPolicyClient(transport=OrgPolicyGrpcTransport(channel=channel))


def regions(topic: Any) -> list[str]:
    return list(topic.message_storage_policy.allowed_persistence_regions)


def test_topic_lives_from_creation_to_deletion(publisher: Any, world: World) -> None:
    allow_only(world, "europe-west1", "europe-west4")
    created = publisher.create_topic(name=TOPIC)
    assert regions(created) == ["europe-west1", "europe-west4"]
    narrowed = {"name": TOPIC, "message_storage_policy": {"allowed_persistence_regions": ["europe-west1"]}}
    mask = FieldMask(paths=["message_storage_policy"])
    assert regions(publisher.update_topic(request={"topic": narrowed, "update_mask": mask})) == ["europe-west1"]
    assert regions(publisher.update_topic(request={"topic": {"name": TOPIC}, "update_mask": mask})) == [
        "europe-west1",
        "europe-west4",
    ]
    assert publisher.get_topic(topic=TOPIC).name == TOPIC
    publisher.delete_topic(topic=TOPIC)
    assert list(publisher.list_topics(project=PROJECT)) == []


def test_refusal_arrives_with_code_and_text(publisher: Any, world: World) -> None:
    allow_only(world, "europe-west1")
    topic = {"name": TOPIC, "message_storage_policy": {"allowed_persistence_regions": ["us-east1"]}}
    with pytest.raises(exceptions.FailedPrecondition) as caught:
        publisher.create_topic(request=topic)
    assert caught.value.message == not_allowed("us-east1")


def test_pager_walks_every_page(publisher: Any, world: World) -> None:
    names = [f"{PROJECT}/topics/t{number:03}" for number in range(250)]
    for name in names:
        world.put_topic(name, storage("europe-west1"))
    assert [topic.name for topic in publisher.list_topics(project=PROJECT)] == names


def test_empty_policy_and_none_stay_apart_on_the_wire(publisher: Any, world: World) -> None:
    world.put_topic(f"{TOPIC}-empty", storage())
    world.put_topic(f"{TOPIC}-none", None)
    found = {
        topic.name: type(topic).pb(topic).HasField("message_storage_policy")
        for topic in publisher.list_topics(project=PROJECT)
    }
    assert found == {f"{TOPIC}-empty": True, f"{TOPIC}-none": False}


def test_published_messages_can_be_pulled(publisher: Any, subscriber: Any, world: World) -> None:
    world.put_topic(TOPIC, None)
    name = f"{PROJECT}/subscriptions/billing"
    subscriber.create_subscription(name=name, topic=TOPIC)
    sent = publisher.publish(topic=TOPIC, messages=[{"data": b"one"}, {"data": b"two"}])
    pulled = subscriber.pull(subscription=name, max_messages=10).received_messages
    assert [(item.message.message_id, item.message.data) for item in pulled] == list(
        zip(sent.message_ids, [b"one", b"two"], strict=True)
    )
    subscriber.acknowledge(subscription=name, ack_ids=[item.ack_id for item in pulled])


def test_batching_publisher_reaches_the_sandbox_through_the_emulator_variable(
    box: Sandbox, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.put_topic(TOPIC, storage("europe-west1", in_transit=True))
    monkeypatch.setenv("PUBSUB_EMULATOR_HOST", box.environment()["PUBSUB_EMULATOR_HOST"])
    credentials: Any = AnonymousCredentials  # the library does not say its types
    client: Any = pubsub_v1.PublisherClient(credentials=credentials())
    ids = [client.publish(TOPIC, f"{number}".encode()) for number in range(20)]
    assert sorted((future.result(timeout=10) for future in ids), key=int) == [str(n) for n in range(1, 21)]
    client.stop()
    client.transport.close()


def test_region_header_says_where_a_publish_arrives(publisher: Any, world: World) -> None:
    world.put_topic(TOPIC, storage("europe-west1", in_transit=True))
    message = [{"data": b"x"}]
    assert publisher.publish(topic=TOPIC, messages=message, metadata=[("x-hedgerow-region", "europe-west1")])
    with pytest.raises(exceptions.FailedPrecondition, match="enforcement in transit"):
        publisher.publish(topic=TOPIC, messages=message, metadata=[("x-hedgerow-region", "us-east1")])


def test_policy_lives_from_creation_to_deletion(policies: Any) -> None:
    name = f"{FOLDER}/policies/{LOCATIONS}"
    spec = {"rules": [{"values": {"allowed_values": ["europe-west1"]}}]}
    created = policies.create_policy(parent=FOLDER, policy={"name": name, "spec": spec})
    assert list(created.spec.rules[0].values.allowed_values) == ["in:europe-west1-locations"]
    created.spec.rules[0].values.allowed_values = ["in:de-locations"]
    policies.update_policy(policy=created)
    with pytest.raises(exceptions.Aborted):
        policies.update_policy(policy=created)
    assert [found.name for found in policies.list_policies(parent=FOLDER)] == [name]
    policies.delete_policy(name=name)
    with pytest.raises(exceptions.NotFound):
        policies.get_policy(name=name)


def test_effective_policies_answer_by_id_with_the_number(policies: Any, world: World) -> None:
    allow_only(world, "europe-west1")
    locations = policies.get_effective_policy(name=f"{PROJECT}/policies/{LOCATIONS}")
    assert locations.name == f"projects/{NUMBER}/policies/{LOCATIONS}"
    assert "europe-west1" in locations.spec.rules[0].values.allowed_values
    assert locations.etag == locations.spec.etag == ""
    in_transit = policies.get_effective_policy(name=f"{PROJECT}/policies/{IN_TRANSIT}")
    assert in_transit.spec.rules[0].enforce is False


def test_resource_manager_clients_walk_the_tree(channel: grpc.Channel) -> None:
    projects = resourcemanager_v3.ProjectsClient(transport=ProjectsGrpcTransport(channel=channel))
    folders = resourcemanager_v3.FoldersClient(transport=FoldersGrpcTransport(channel=channel))
    organizations = resourcemanager_v3.OrganizationsClient(transport=OrganizationsGrpcTransport(channel=channel))
    project = projects.get_project(name=PROJECT)
    folder = folders.get_folder(name=project.parent)
    assert organizations.get_organization(name=folder.parent).name == ORGANIZATION
    assert [found.project_id for found in projects.search_projects()] == ["acme-lab", "acme-orders"]
    assert [found.name for found in folders.list_folders(parent=ORGANIZATION)] == [FOLDER]


def test_caller_and_payer_are_read_from_the_metadata(publisher: Any, box: Sandbox, world: World) -> None:
    world.put_topic(TOPIC, None)
    metadata = [("authorization", "Bearer sandbox:nightly@acme.example"), ("x-goog-user-project", "acme-lab")]
    publisher.get_topic(topic=TOPIC, metadata=metadata)
    (entry,) = box.log.requests
    assert (entry.principal, entry.quota_project, entry.transport) == ("nightly@acme.example", "acme-lab", "grpc")
    assert entry.metadata["x-goog-request-params"] == f"topic={TOPIC}"


def test_exhausted_quota_carries_its_reason(publisher: Any, world: World) -> None:
    world.put_topic(TOPIC, None)
    world.quota.per_minute = 1
    publisher.get_topic(topic=TOPIC)
    with pytest.raises(exceptions.ResourceExhausted) as caught:
        publisher.get_topic(topic=TOPIC, retry=None)
    assert caught.value.reason == "RATE_LIMIT_EXCEEDED"


def test_client_retries_over_errors_that_pass(publisher: Any, box: Sandbox, world: World) -> None:
    world.put_topic(TOPIC, None)
    box.faults.add(Fault(method="GetTopic", error="UNAVAILABLE", times=2))
    assert publisher.get_topic(topic=TOPIC).name == TOPIC
    assert [entry.status for entry in box.log.requests] == ["UNAVAILABLE", "UNAVAILABLE", "OK"]


def test_stalled_request_ends_at_the_clients_deadline(publisher: Any, box: Sandbox) -> None:
    box.faults.add(Fault(method="CreateTopic", answer=Answer.STALLED))
    with pytest.raises(exceptions.DeadlineExceeded):
        publisher.create_topic(name=TOPIC, retry=None, timeout=0.2)


def test_stop_cuts_off_what_is_in_work(world: World) -> None:
    box = Sandbox(world)
    box.start()
    box.faults.add(Fault(answer=Answer.SILENT))
    with grpc.insecure_channel(box.grpc_address) as channel, ThreadPoolExecutor(1) as pool:
        import google.pubsub_v1 as gapic

        client = gapic.PublisherClient(transport=PublisherGrpcTransport(channel=channel))
        waiting = pool.submit(client.create_topic, name=TOPIC, retry=None, timeout=30)
        while world.topic(TOPIC) is None:
            time.sleep(0.01)
        begun = time.monotonic()
        box.stop()
        with pytest.raises(exceptions.GoogleAPICallError):
            waiting.result(timeout=5)
    assert time.monotonic() - begun < 5
    assert [(entry.status, entry.told) for entry in box.log.requests] == [("OK", None)]


def test_world_outlives_its_servers(world: World) -> None:
    world.put_topic(TOPIC, None)
    for _ in range(2):
        with Sandbox(world) as box, grpc.insecure_channel(box.grpc_address) as channel:
            import google.pubsub_v1 as gapic

            client = gapic.PublisherClient(transport=PublisherGrpcTransport(channel=channel))
            assert client.get_topic(topic=TOPIC).name == TOPIC
