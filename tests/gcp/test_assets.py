"""Reading topics from the Asset Inventory through the official client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reconciler.errors import CallFailed
from reconciler.gcp import AssetTopics, Connection, PubsubTopics, read_inventory, read_single_topics
from reconciler.gcp import assets as module
from reconciler.model import Endpoints, LiveTopic, RegionSet, StoragePolicy, TopicName
from reconciler.orgpolicy import Resource, Snapshot
from reconciler.reconcile import Unavailable
from reconciler.sandbox import Call, Fault, Sandbox, World
from reconciler.sandbox.methods import Method
from reconciler.spec import load_catalogue

pytestmark = pytest.mark.network

ORGANIZATION, FOLDER = "organizations/123456789012", "folders/456"
ORDERS, BILLING, OTHERS = "acme-orders", "acme-billing", "acme-others"
RESOURCES = (
    Resource(name=ORGANIZATION),
    Resource(name=FOLDER, parent=ORGANIZATION),
    Resource(name=f"projects/{ORDERS}", parent=FOLDER, number="111"),
    Resource(name=f"projects/{BILLING}", parent=ORGANIZATION, number="112"),
    Resource(name=f"projects/{OTHERS}", parent=ORGANIZATION, number="113"),
)
HINT = (
    "the caller needs `cloudasset.assets.listResource` on the organization, held by roles/cloudasset.viewer, and "
    "`serviceusage.services.use`, held by roles/serviceusage.serviceUsageConsumer"
)


@pytest.fixture
def box() -> Iterator[Sandbox]:
    world = World(catalogue=load_catalogue())
    world.load_snapshot(Snapshot(organization=ORGANIZATION, resources={one.name: one for one in RESOURCES}))
    with Sandbox(world) as running:
        yield running


def policy(*regions: str, flag: bool = False) -> StoragePolicy:
    return StoragePolicy(regions=RegionSet.from_names(regions), enforce_in_transit=flag)


def link(box: Sandbox, quota_project: str | None = None) -> Connection:
    address = f"http://{box.grpc_address}"
    return Connection(
        endpoints=Endpoints(pubsub=address, asset=address),
        retry_budget=0.5,
        quota_project=quota_project,
    )


def inventory(box: Sandbox, pages: list[int] | None = None, quota_project: str | None = None) -> AssetTopics:
    return AssetTopics(link(box, quota_project), lambda: (pages if pages is not None else []).append(1))


def test_regions_come_as_they_are_and_the_flag_is_unknown(box: Sandbox) -> None:
    box.world.put_topic(f"projects/{ORDERS}/topics/a", policy("us-east1", "europe-west1", flag=True))
    box.world.put_topic(f"projects/{ORDERS}/topics/empty", policy())
    box.world.put_topic(f"projects/{BILLING}/topics/none", None)

    assert read_inventory(ORGANIZATION, [ORDERS, BILLING], inventory(box)) == {
        BILLING: [LiveTopic(name=TopicName(BILLING, "none"), policy=None, in_transit_known=False)],
        ORDERS: [
            LiveTopic(name=TopicName(ORDERS, "a"), policy=policy("europe-west1", "us-east1"), in_transit_known=False),
            LiveTopic(name=TopicName(ORDERS, "empty"), policy=policy(), in_transit_known=False),
        ],
    }


def test_projects_of_other_stacks_are_passed_over_and_an_empty_one_is_there(box: Sandbox) -> None:
    box.world.put_topic(f"projects/{OTHERS}/topics/a", None)

    assert read_inventory(ORGANIZATION, [ORDERS], inventory(box)) == {ORDERS: []}


def test_one_series_of_paced_pages_serves_all_projects(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 2)
    for project in (ORDERS, BILLING):
        for number in range(5):
            box.world.put_topic(f"projects/{project}/topics/t{number}", None)
    pages: list[int] = []
    found = read_inventory(ORGANIZATION, [ORDERS, BILLING], inventory(box, pages))

    assert {
        project: [topic.name.topic for topic in topics]
        for project, topics in found.items()
        if not isinstance(topics, Unavailable)
    } == {project: ["t0", "t1", "t2", "t3", "t4"] for project in (BILLING, ORDERS)}
    assert [request.method for request in box.log.requests] == ["ListAssets"] * 5
    assert len(pages) == 5


@pytest.mark.parametrize(("parent", "names"), [(FOLDER, ["a"]), (f"projects/{BILLING}", [])])
def test_a_folder_or_a_project_can_be_listed_too(box: Sandbox, parent: str, names: list[str]) -> None:
    box.world.put_topic(f"projects/{ORDERS}/topics/a", None)

    assert [topic.name.topic for topic in inventory(box).list(parent, [ORDERS])] == names


@pytest.mark.parametrize(("quota_project", "payer"), [("acme-payer", "acme-payer"), ("topic", BILLING), (None, None)])
def test_the_quota_project_pays(box: Sandbox, quota_project: str | None, payer: str | None) -> None:
    list(inventory(box, quota_project=quota_project).list(ORGANIZATION, [ORDERS, BILLING]))

    assert [request.quota_project for request in box.log.requests] == [payer]


def test_who_may_not_list_gets_no_project_and_the_permission_that_is_missing(box: Sandbox) -> None:
    box.world.deny(ORGANIZATION, "cloudasset", "no")
    denied = Unavailable(reason="the Asset Inventory could not be read: PERMISSION_DENIED: no", hint=HINT)

    assert read_inventory(ORGANIZATION, [ORDERS, BILLING], inventory(box)) == {BILLING: denied, ORDERS: denied}


def test_an_unknown_organization_is_the_stacks_mistake(box: Sandbox) -> None:
    assert read_inventory("organizations/1", [ORDERS], inventory(box)) == {
        ORDERS: Unavailable(
            reason="the Asset Inventory could not be read: NOT_FOUND: The resource does not exist: organizations/1.",
            hint="correct `organization` of stack.yaml",
        )
    }


def test_a_page_that_fails_for_good_leaves_no_half_of_a_list(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 1)
    for name in ("a", "b"):
        box.world.put_topic(f"projects/{ORDERS}/topics/{name}", None)
    box.faults.add(Fault(method="ListAssets", after=1, error="INTERNAL", message="broken"))

    assert read_inventory(ORGANIZATION, [ORDERS], inventory(box)) == {
        ORDERS: Unavailable(
            reason="the Asset Inventory could not be read: INTERNAL: broken",
            hint="run again; if it persists, read the API's message",
        )
    }


def test_a_passing_error_is_tried_again(box: Sandbox) -> None:
    box.world.put_topic(f"projects/{ORDERS}/topics/a", None)
    box.faults.add(Fault(method="ListAssets", times=1, error="RESOURCE_EXHAUSTED"))

    assert [topic.name.topic for topic in inventory(box).list(ORGANIZATION, [ORDERS])] == ["a"]


@pytest.mark.parametrize(
    "name",
    [
        "//pubsub.googleapis.com/projects/111/topics/a",
        "//pubsub.googleapis.com/projects/acme-orders/subscriptions",
        "projects/acme-orders/topics/a",
    ],
)
def test_a_name_that_does_not_tell_whose_topic_it_is_is_refused(name: str) -> None:
    with pytest.raises(CallFailed) as failed:
        module._parts(name)
    assert failed.value.message == f"UNKNOWN: it names a topic `{name}`"


def test_single_topics_are_read_paced_and_each_failure_stays_with_its_topic(box: Sandbox) -> None:
    flaky, gone, denied = TopicName(ORDERS, "returns"), TopicName(ORDERS, "gone"), TopicName(BILLING, "invoices")
    box.world.put_topic(flaky, policy("europe-west1", flag=True))
    box.world.deny(BILLING, "pubsub", "no")
    box.faults.add(Fault(method="GetTopic", resource=str(flaky), times=1, error="UNAVAILABLE"))
    paced: list[str] = []

    assert read_single_topics([gone, flaky, denied], PubsubTopics(link(box)), paced.append) == {
        denied: Unavailable(
            reason="the topic could not be read: PERMISSION_DENIED: no",
            hint="the caller needs `pubsub.topics.get`, held by roles/pubsub.viewer",
        ),
        flaky: LiveTopic(name=flaky, policy=policy("europe-west1", flag=True)),
        gone: None,
    }
    assert sorted(paced) == [BILLING, ORDERS, ORDERS]


def test_a_list_that_turns_in_circles_is_not_believed(box: Sandbox) -> None:
    def circle(method: Method, request: Any, call: Call, carry_out: Callable[[], Any]) -> Any:
        del method, request, call
        page = carry_out()
        page.next_page_token = "YWZ0ZXI6YQ=="  # noqa: S105 - after the name `a`
        return page

    box.stand_by(circle)

    assert read_inventory(ORGANIZATION, [ORDERS], inventory(box)) == {
        ORDERS: Unavailable(
            reason="the Asset Inventory could not be read: INTERNAL: ListAssets handed out the same page token twice",
            hint="run again; if it persists, read the API's message",
        )
    }
