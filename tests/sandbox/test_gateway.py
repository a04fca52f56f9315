"""What every request passes, whatever its method: permissions, quota, log."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from reconciler.sandbox import ApiError, Call, Code, Fault, World
from reconciler.sandbox.gateway import Gateway
from reconciler.sandbox.methods import Method
from tests.sandbox.builders import (
    FOLDER,
    LOCATIONS,
    NUMBER,
    PROJECT,
    TOPIC,
    method,
    new_world,
    raw,
    raw_policy,
    refusal,
    topic,
)


def ask(gateway: Gateway, name: str, request: Any, **call: Any) -> Any:
    return gateway.answer(method(name), request, Call(**call))


@pytest.fixture
def gateway(world: World) -> Gateway:
    world.put_topic(TOPIC, None)
    return Gateway(world)


GET = raw("GetTopicRequest", topic=TOPIC)


def test_denied_project_is_refused_in_that_service_only(gateway: Gateway) -> None:
    gateway.world.deny("acme-orders")
    assert refusal(lambda: ask(gateway, "GetTopic", GET)) == (
        "PERMISSION_DENIED",
        "The caller does not have permission to use pubsub.googleapis.com on projects/acme-orders.",
    )
    effective = raw_policy("GetEffectivePolicyRequest", name=f"{PROJECT}/policies/{LOCATIONS}")
    assert ask(gateway, "GetEffectivePolicy", effective).name == f"projects/{NUMBER}/policies/{LOCATIONS}"


def test_denial_holds_under_the_project_number_too_and_carries_its_text(gateway: Gateway) -> None:
    gateway.world.deny("acme-orders", "orgpolicy", "a quota project is required")
    effective = raw_policy("GetEffectivePolicyRequest", name=f"projects/{NUMBER}/policies/{LOCATIONS}")
    assert refusal(lambda: ask(gateway, "GetEffectivePolicy", effective)) == (
        "PERMISSION_DENIED",
        "a quota project is required",
    )


def test_denied_folder_does_not_deny_its_projects(gateway: Gateway) -> None:
    gateway.world.deny(FOLDER, "orgpolicy")
    effective = "GetEffectivePolicy"
    assert ask(gateway, effective, raw_policy(f"{effective}Request", name=f"{PROJECT}/policies/{LOCATIONS}"))
    code, _ = refusal(
        lambda: ask(gateway, effective, raw_policy(f"{effective}Request", name=f"{FOLDER}/policies/{LOCATIONS}"))
    )
    assert code == "PERMISSION_DENIED"


def test_allowed_project_answers_again(gateway: Gateway) -> None:
    gateway.world.deny("acme-orders")
    gateway.world.allow("acme-orders")
    assert ask(gateway, "GetTopic", GET).name == TOPIC


@pytest.fixture
def metered() -> Gateway:
    """A quota of two operations a minute."""
    world = new_world(administrator_operations_per_minute=2)
    world.put_topic(TOPIC, None)
    return Gateway(world)


def test_operations_over_the_quota_are_refused_until_time_has_passed(metered: Gateway) -> None:
    ask(metered, "GetTopic", GET)
    ask(metered, "ListTopics", raw("ListTopicsRequest", project=PROJECT))
    with pytest.raises(ApiError) as caught:
        ask(metered, "GetTopic", GET)
    assert (caught.value.code.name, caught.value.message) == (
        "RESOURCE_EXHAUSTED",
        (
            "Quota exceeded for quota metric 'Administrator operations' and limit 'Administrator operations per "
            f"minute' of service 'pubsub.googleapis.com' for consumer 'project_number:{NUMBER}'."
        ),
    )
    assert caught.value.to_json()["error"]["details"] == [
        {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "RATE_LIMIT_EXCEEDED",
            "domain": "googleapis.com",
            "metadata": {
                "consumer": f"projects/{NUMBER}",
                "quota_limit": "administratorPerMinutePerProject",
                "quota_limit_value": "2",
                "quota_location": "global",
                "quota_metric": "pubsub.googleapis.com/administrator",
                "service": "pubsub.googleapis.com",
            },
        }
    ]
    metered.world.clock.advance(timedelta(seconds=31))
    assert ask(metered, "GetTopic", GET).name == TOPIC


def test_named_project_pays_instead_of_the_topics(metered: Gateway) -> None:
    for _ in range(2):
        ask(metered, "GetTopic", GET, quota_project="acme-lab")
    code, _ = refusal(lambda: ask(metered, "GetTopic", GET, quota_project="acme-lab"))
    assert code == "RESOURCE_EXHAUSTED"
    assert ask(metered, "GetTopic", GET).name == TOPIC


def test_publishing_and_other_services_cost_no_administrator_operations(metered: Gateway) -> None:
    message = raw("PubsubMessage", data=b"x")
    for _ in range(3):
        ask(metered, "Publish", raw("PublishRequest", topic=TOPIC, messages=[message]))
        ask(metered, "ListPolicies", raw_policy("ListPoliciesRequest", parent=PROJECT))
    assert {request.status for request in metered.log.requests} == {"OK"}


def test_log_tells_who_asked_what_and_how_it_ended(gateway: Gateway) -> None:
    update = raw("UpdateTopicRequest", topic=topic(labels={"a": "b"}), update_mask=FieldMask(paths=["labels", "name"]))
    refusal(
        lambda: ask(gateway, "UpdateTopic", update, principal="nightly", quota_project="acme-lab", region="us-east1")
    )
    (entry,) = gateway.log.requests
    assert {key: value for key, value in entry.to_json().items() if key != "time"} == {
        "number": 1,
        "service": "google.pubsub.v1.Publisher",
        "method": "UpdateTopic",
        "resource": TOPIC,
        "mask": ["labels", "name"],
        "writes": True,
        "principal": "nightly",
        "quotaProject": "acme-lab",
        "region": "us-east1",
        "transport": "direct",
        "metadata": {},
        "status": "INVALID_ARGUMENT",
        "told": "INVALID_ARGUMENT",
        "request": {"topic": {"name": TOPIC, "labels": {"a": "b"}}, "updateMask": "labels,name"},
    }


def test_writes_are_changes_of_resources_refused_or_not(gateway: Gateway) -> None:
    ask(gateway, "GetTopic", GET)
    ask(gateway, "Publish", raw("PublishRequest", topic=TOPIC, messages=[raw("PubsubMessage", data=b"x")]))
    refusal(lambda: ask(gateway, "CreateTopic", topic()))
    ask(gateway, "DeleteTopic", raw("DeleteTopicRequest", topic=TOPIC))
    assert [(entry.method, entry.status) for entry in gateway.log.writes()] == [
        ("CreateTopic", "ALREADY_EXISTS"),
        ("DeleteTopic", "OK"),
    ]


def test_cleared_log_goes_on_counting(gateway: Gateway) -> None:
    ask(gateway, "GetTopic", GET)
    gateway.log.clear()
    ask(gateway, "GetTopic", GET)
    assert [entry.number for entry in gateway.log.requests] == [2]


def test_oldest_requests_leave_a_full_log(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reconciler.sandbox.log.CAPACITY", 2)
    for _ in range(3):
        ask(gateway, "GetTopic", GET)
    assert [entry.number for entry in gateway.log.requests] == [2, 3]


def test_list_of_a_malformed_project_is_refused(gateway: Gateway) -> None:
    assert refusal(lambda: ask(gateway, "ListTopics", raw("ListTopicsRequest", project="projects/UPPER"))) == (
        "INVALID_ARGUMENT",
        "Invalid [projects] name: (name=projects/UPPER)",
    )


def test_who_stands_by_sees_what_is_carried_out_and_may_change_the_answer(gateway: Gateway) -> None:
    seen: list[tuple[str, str, str]] = []

    def watch(method: Method, request: Any, call: Call, carry_out: Callable[[], Any]) -> Any:
        seen.append((method.name, method.subject(request), call.principal))
        return carry_out()

    def rename(method: Method, request: Any, call: Call, carry_out: Callable[[], Any]) -> Any:
        del method, request, call
        return topic(f"{carry_out().name}-renamed")

    gateway.stand_by(watch)
    gateway.stand_by(rename)
    assert ask(gateway, "GetTopic", GET, principal="somebody").name == f"{TOPIC}-renamed"
    gateway.faults.add(Fault(error="UNAVAILABLE", times=1))
    assert refusal(lambda: ask(gateway, "GetTopic", GET)) == ("UNAVAILABLE", "injected UNAVAILABLE")
    assert seen == [("GetTopic", TOPIC, "somebody")]


def test_who_stands_by_may_refuse(gateway: Gateway) -> None:
    def refuse(method: Method, request: Any, call: Call, carry_out: Callable[[], Any]) -> Any:
        del method, request, call, carry_out
        raise ApiError(Code.ABORTED, "not today")

    gateway.stand_by(refuse)
    assert refusal(lambda: ask(gateway, "GetTopic", GET)) == ("ABORTED", "not today")
    assert [entry.status for entry in gateway.log.requests] == ["ABORTED"]
