from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import httpx
import pytest

from reconciler.sandbox import Answer, Fault, Sandbox, World
from tests.sandbox.builders import TOPIC, allow_only, storage

pytestmark = pytest.mark.network


@pytest.fixture
def control(box: Sandbox) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{box.rest_url}/sandbox/v1/") as client:
        yield client


@pytest.fixture
def pubsub(box: Sandbox) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{box.rest_url}/v1/") as client:
        yield client


def test_log_can_be_read_filtered_and_cleared(control: httpx.Client, pubsub: httpx.Client) -> None:
    pubsub.get(TOPIC)
    pubsub.put(TOPIC, json={}, headers={"authorization": "Bearer sandbox:ada"})
    assert [entry["method"] for entry in control.get("log").json()["requests"]] == ["GetTopic", "CreateTopic"]
    assert [entry["method"] for entry in control.get("log", params={"method": "Get*"}).json()["requests"]] == [
        "GetTopic"
    ]
    (write,) = control.get("log", params={"writes": "true"}).json()["requests"]
    assert (write["principal"], write["status"], write["request"]) == ("ada", "OK", {"name": TOPIC})
    control.delete("log")
    assert control.get("log").json() == {"requests": []}


def test_faults_can_be_added_listed_and_ended(control: httpx.Client, box: Sandbox) -> None:
    control.post("faults", json={"method": "Publish", "latency": [[0.9, 0.01], [0.1, 0.5]], "answer": "lost"})
    control.post("faults", json={"faults": [{"error": "ABORTED"}]})
    assert box.faults.all == (
        Fault(method="Publish", latency=((0.9, 0.01), (0.1, 0.5)), answer=Answer.LOST),
        Fault(error="ABORTED"),
    )
    assert [fault["method"] for fault in control.get("faults").json()["faults"]] == ["Publish", "*"]
    control.delete("faults")
    assert len(box.faults.all) == 0


def test_denials_can_be_added_listed_and_ended(control: httpx.Client, pubsub: httpx.Client) -> None:
    control.post("denials", json={"project": "acme-orders", "message": "no"})
    assert pubsub.get(TOPIC).json()["error"] == {"code": 403, "message": "no", "status": "PERMISSION_DENIED"}
    assert control.get("denials").json() == {
        "denials": [{"resource": "projects/acme-orders", "service": "pubsub", "message": "no"}]
    }
    control.delete("denials")
    assert pubsub.get(TOPIC).status_code == 404


def test_topics_can_be_put_as_they_are(control: httpx.Client, world: World) -> None:
    allow_only(world, "europe-west1")
    body = {"name": TOPIC, "messageStoragePolicy": {"allowedPersistenceRegions": ["us-east1"]}}
    control.post("topics", json={"topics": [body]})
    found = world.topic(TOPIC)
    assert found is not None
    assert found.policy == storage("us-east1")
    assert control.get("topics").json() == {"topics": [body]}


def test_clock_can_be_advanced(control: httpx.Client, world: World) -> None:
    before = world.clock.now()
    now = datetime.fromisoformat(control.post("clock", json={"advanceSeconds": 3600}).json()["now"])
    assert timedelta(hours=1) <= now - before < timedelta(hours=1, minutes=1)


def test_reset_ends_the_weather_and_keeps_the_world(control: httpx.Client, box: Sandbox, world: World) -> None:
    world.put_topic(TOPIC, None)
    world.deny("acme-orders")
    box.faults.add(Fault(error="ABORTED"))
    control.post("reset")
    assert (box.faults.all, world.denials.all, box.log.requests) == ((), {}, ())
    assert [str(topic.name) for topic in world.topics()] == [TOPIC]


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("faults", {"methd": "x"}, "a fault has no field `methd`"),
        ("topics", {"topics": 1}, "`topics` is not a list of mappings"),
        ("denials", {"project": "p", "service": "x"}, "the request cannot be used: 'x' is not a valid Service"),
        ("clock", {"advanceSeconds": -1}, "the request cannot be used: time does not run backwards"),
    ],
)
def test_request_that_makes_no_sense_is_refused(
    control: httpx.Client, path: str, body: dict[str, object], message: str
) -> None:
    response = control.post(path, json=body)
    assert (response.status_code, response.json()) == (
        400,
        {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}},
    )
