"""The REST/JSON side, as gcloud, the Terraform provider and plain HTTP clients use it."""

from __future__ import annotations

import contextlib
import time
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from reconciler.sandbox import Answer, Fault, Sandbox, World
from tests.sandbox.builders import FOLDER, LOCATIONS, NUMBER, ORGANIZATION, TOPIC, allow_only, not_allowed, storage

pytestmark = pytest.mark.network

PATH = f"/v1/{TOPIC}"
UNKNOWN = (
    "Invalid update_mask provided in the UpdateTopicRequest: message_storage_policy is not a known Topic field. "
    "Note that field paths must be of the form 'schemaSettings' rather than 'schema_settings'."
)


@pytest.fixture
def rest(box: Sandbox) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=box.rest_url) as client:
        yield client


def error(response: httpx.Response) -> tuple[int, str, str]:
    body = response.json()["error"]
    assert body["code"] == response.status_code
    return response.status_code, body["status"], body["message"]


def live(world: World) -> Any:
    found = world.topic(TOPIC)
    assert found is not None
    return found.policy


def test_put_creates_with_a_bare_topic(rest: httpx.Client, world: World) -> None:
    allow_only(world, "europe-west1")
    response = rest.put(PATH, json={"labels": {"a": "b"}})
    assert (response.status_code, response.json()) == (
        200,
        {
            "name": TOPIC,
            "labels": {"a": "b"},
            "messageStoragePolicy": {"allowedPersistenceRegions": ["europe-west1"]},
        },
    )


def test_refusal_is_http_400_with_status_and_text(rest: httpx.Client, world: World) -> None:
    allow_only(world, "europe-west1")
    response = rest.put(PATH, json={"messageStoragePolicy": {"allowedPersistenceRegions": ["us-east1"]}})
    assert error(response) == (400, "FAILED_PRECONDITION", not_allowed("us-east1"))


def test_patch_wants_the_wrapped_body(rest: httpx.Client, world: World) -> None:
    world.put_topic(TOPIC, storage("us-east1"))
    wrapped = {"topic": {"messageStoragePolicy": {"allowedPersistenceRegions": ["us-west1"]}}}
    response = rest.patch(PATH, json={**wrapped, "updateMask": "messageStoragePolicy"})
    assert response.json()["messageStoragePolicy"] == {"allowedPersistenceRegions": ["us-west1"]}


def test_patch_with_the_mask_in_the_query_is_what_the_terraform_provider_sends(
    rest: httpx.Client, world: World
) -> None:
    world.put_topic(TOPIC, storage("us-east1"))
    body = {"topic": {"name": TOPIC, "messageStoragePolicy": {"allowedPersistenceRegions": ["us-west1"]}}}
    response = rest.patch(PATH, params={"updateMask": "messageStoragePolicy,labels", "alt": "json"}, json=body)
    assert response.status_code == 200
    assert live(world) == storage("us-west1")


def test_bare_body_is_refused(rest: httpx.Client, world: World) -> None:
    world.put_topic(TOPIC, storage("us-east1"))
    response = rest.patch(PATH, params={"updateMask": "messageStoragePolicy"}, json={"messageStoragePolicy": {}})
    assert error(response) == (
        400,
        "INVALID_ARGUMENT",
        (
            'Invalid JSON payload received: Message type "google.pubsub.v1.UpdateTopicRequest" has no field named '
            '"messageStoragePolicy" at "UpdateTopicRequest".'
        ),
    )


def test_snake_case_mask_is_refused(rest: httpx.Client, world: World) -> None:
    world.put_topic(TOPIC, storage("us-east1"))
    response = rest.patch(PATH, json={"topic": {}, "updateMask": "message_storage_policy"})
    assert error(response) == (400, "INVALID_ARGUMENT", UNKNOWN)


def test_missing_mask_is_refused(rest: httpx.Client, world: World) -> None:
    world.put_topic(TOPIC, storage("us-east1"))
    assert error(rest.patch(PATH, json={"topic": {"labels": {}}})) == (
        400,
        "INVALID_ARGUMENT",
        "The update_mask in the UpdateTopicRequest must be set, and must contain a non-empty paths list.",
    )


def test_absent_policy_recomputes_and_a_present_empty_one_is_refused(rest: httpx.Client, world: World) -> None:
    world.put_topic(TOPIC, storage("us-east1"))
    allow_only(world, "europe-west1")
    empty = {"topic": {"messageStoragePolicy": {}}, "updateMask": "messageStoragePolicy"}
    assert error(rest.patch(PATH, json=empty))[:2] == (400, "INVALID_ARGUMENT")
    assert rest.patch(PATH, json={"topic": {}, "updateMask": "messageStoragePolicy"}).status_code == 200
    assert live(world) == storage("europe-west1")


def test_list_pages_and_publish_and_delete(rest: httpx.Client, world: World) -> None:
    for name in ("a", "b", "c"):
        world.put_topic(f"{TOPIC}-{name}", None)
    first = rest.get("/v1/projects/acme-orders/topics", params={"pageSize": 2}).json()
    second = rest.get("/v1/projects/acme-orders/topics", params={"pageToken": first["nextPageToken"]}).json()
    assert [[topic["name"] for topic in answer["topics"]] for answer in (first, second)] == [
        [f"{TOPIC}-a", f"{TOPIC}-b"],
        [f"{TOPIC}-c"],
    ]
    message = {"messages": [{"data": b64encode(b"x").decode()}]}
    assert rest.post(f"{PATH}-a:publish", json=message).json() == {"messageIds": ["1"]}
    assert rest.delete(f"{PATH}-a").json() == {}
    assert error(rest.get(f"{PATH}-a")) == (404, "NOT_FOUND", "Topic not found")


def test_topic_id_with_reserved_characters_is_decoded_once(rest: httpx.Client, world: World) -> None:
    assert rest.put("/v1/projects/acme-orders/topics/a%2541~b", json={}).json()["name"].endswith("/topics/a%41~b")
    assert [str(topic.name) for topic in world.topics()] == ["projects/acme-orders/topics/a%41~b"]


def test_regional_host_says_where_a_publish_arrives(rest: httpx.Client, world: World) -> None:
    world.put_topic(TOPIC, storage("europe-west1", in_transit=True))
    message = {"messages": [{"data": "eA=="}]}
    inside = rest.post(f"{PATH}:publish", json=message, headers={"host": "europe-west1-pubsub.googleapis.com"})
    outside = rest.post(f"{PATH}:publish", json=message, headers={"host": "us-east1-pubsub.googleapis.com"})
    assert (inside.status_code, outside.status_code) == (200, 400)


def test_organization_policies_over_rest(rest: httpx.Client) -> None:
    name = f"{FOLDER}/policies/{LOCATIONS}"
    policy = {"name": name, "spec": {"rules": [{"values": {"allowedValues": ["us-east1"]}}]}}
    created = rest.post(f"/v2/{FOLDER}/policies", json=policy).json()
    assert created["spec"]["rules"] == [{"values": {"allowedValues": ["in:us-east1-locations"]}}]
    policy["spec"] = {"rules": [{"denyAll": True}]}
    assert rest.patch(f"/v2/{name}", params={"updateMask": "policy.spec"}, json=policy).status_code == 200
    effective = rest.get(f"/v2/projects/acme-orders/policies/{LOCATIONS}:getEffectivePolicy").json()
    assert effective == {
        "name": f"projects/{NUMBER}/policies/{LOCATIONS}",
        "spec": {"rules": [{"denyAll": True}]},
    }
    assert rest.delete(f"/v2/{name}").json() == {}
    assert rest.get(f"/v2/{FOLDER}/policies").json() == {}


def test_resource_manager_over_rest(rest: httpx.Client) -> None:
    assert rest.get("/v3/projects/acme-orders").json()["parent"] == FOLDER
    assert rest.get("/v3/folders", params={"parent": ORGANIZATION, "showDeleted": "true"}).json()["folders"][0][
        "name"
    ] == (FOLDER)
    found = rest.get("/v3/projects:search", params={"query": f"parent:{FOLDER}"}).json()["projects"]
    assert [project["projectId"] for project in found] == ["acme-orders"]


@pytest.mark.parametrize(
    ("verb", "path", "body", "expected"),
    [
        ("GET", "/v1/nowhere", b"", (404, "NOT_FOUND", "The sandbox has no method at GET /v1/nowhere.")),
        (
            "PUT",
            PATH,
            b"[1]",
            (400, "INVALID_ARGUMENT", "Invalid JSON payload received: not an object"),
        ),
        (
            "PUT",
            PATH,
            b"{",
            (
                400,
                "INVALID_ARGUMENT",
                (
                    "Invalid JSON payload received: Expecting property name enclosed in double quotes: "
                    "line 1 column 2 (char 1)"
                ),
            ),
        ),
        (
            "PATCH",
            PATH,
            b'{"topic": 3}',
            (400, "INVALID_ARGUMENT", "Invalid JSON payload received: `topic` is not an object"),
        ),
        (
            "GET",
            PATH,
            b'{"a": 1}',
            (400, "INVALID_ARGUMENT", "Invalid JSON payload received: this method takes no body"),
        ),
    ],
)
def test_what_is_no_request_is_refused(
    rest: httpx.Client, verb: str, path: str, body: bytes, expected: tuple[int, str, str]
) -> None:
    assert error(rest.request(verb, path, content=body)) == expected


def test_client_that_goes_away_ends_a_stalled_request(rest: httpx.Client, box: Sandbox) -> None:
    box.faults.add(Fault(answer=Answer.STALLED))
    with pytest.raises(httpx.ReadTimeout):
        rest.get(PATH, timeout=0.2)
    deadline = time.monotonic() + 5
    while box.log.requests[0].status is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [(entry.status, entry.told) for entry in box.log.requests] == [("CANCELLED", None)]


def test_stop_cuts_off_what_is_in_work(world: World) -> None:
    box = Sandbox(world)
    box.start()
    box.faults.add(Fault(answer=Answer.SILENT))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(httpx.put, f"{box.rest_url}{PATH}", json={}, timeout=30)
        while world.topic(TOPIC) is None:
            time.sleep(0.01)
        begun = time.monotonic()
        box.stop()
        with contextlib.suppress(httpx.HTTPError):
            assert waiting.result(timeout=5).status_code == 499
    assert time.monotonic() - begun < 5
