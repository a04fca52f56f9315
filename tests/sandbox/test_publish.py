from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from reconciler.sandbox import Call, World
from reconciler.sandbox.publisher import delete_topic, publish
from reconciler.sandbox.subscriber import (
    acknowledge,
    create_subscription,
    delete_subscription,
    get_subscription,
    list_subscriptions,
    pull,
)
from tests.sandbox.builders import DIRECT, PROJECT, TOPIC, raw, refusal, storage

SUBSCRIPTION = f"{PROJECT}/subscriptions/billing"
FORWARDED = (
    f"Cannot publish messages that contain ordering keys to topic {TOPIC} due a message storage policy on the topic "
    "that would require the messages to be forwarded to another region. Please either change the topic's message "
    "storage policy or publish to an allowed region using the appropriate regional Cloud Pub/Sub endpoint."
)


def message(data: bytes = b"x", **fields: Any) -> Any:
    return raw("PubsubMessage", data=data, **fields)


def send(world: World, *messages: Any, region: str | None = None) -> list[str]:
    response = publish(world, raw("PublishRequest", topic=TOPIC, messages=messages), Call(region=region))
    return list(response.message_ids)


def subscribe(world: World, **fields: Any) -> Any:
    return create_subscription(world, raw("Subscription", name=SUBSCRIPTION, topic=TOPIC, **fields), DIRECT)


def received(world: World, region: str | None = None) -> list[tuple[str, bytes]]:
    response = pull(world, raw("PullRequest", subscription=SUBSCRIPTION, max_messages=10), Call(region=region))
    return [(item.message.message_id, item.message.data) for item in response.received_messages]


def test_each_message_gets_an_id_even_when_its_content_repeats(world: World) -> None:
    world.put_topic(TOPIC, None)
    subscribe(world)
    assert send(world, message(b"a"), message(b"b")) == ["1", "2"]
    assert send(world, message(b"a")) == ["3"]
    assert received(world) == [("1", b"a"), ("2", b"b"), ("3", b"a")]


@pytest.mark.parametrize("region", [None, "europe-west1"])
@pytest.mark.parametrize("in_transit", [True, False])
def test_message_from_inside_or_nowhere_is_taken(world: World, region: str | None, in_transit: bool) -> None:
    world.put_topic(TOPIC, storage("europe-west1", in_transit=in_transit))
    assert send(world, message(ordering_key="k"), region=region) == ["1"]


def test_unordered_message_from_outside_is_forwarded(world: World) -> None:
    world.put_topic(TOPIC, storage("europe-west1"))
    assert send(world, message(), region="us-east1") == ["1"]


def test_message_from_outside_a_topic_that_enforces_in_transit_is_refused(world: World) -> None:
    world.put_topic(TOPIC, storage("europe-west1", in_transit=True))
    assert refusal(lambda: send(world, message(), region="us-east1")) == (
        "FAILED_PRECONDITION",
        (
            "The topic's message storage policy requires enforcement in transit, but the Publish request was received "
            "by a Pub/Sub server in a non-allowed region."
        ),
    )


def test_ordered_message_that_would_be_forwarded_is_refused(world: World) -> None:
    world.put_topic(TOPIC, storage("europe-west1"))
    assert refusal(lambda: send(world, message(ordering_key="k"), region="us-east1")) == (
        "FAILED_PRECONDITION",
        FORWARDED,
    )


def test_topic_that_allows_no_region_takes_nothing(world: World) -> None:
    world.put_topic(TOPIC, storage())
    assert refusal(lambda: send(world, message())) == (
        "FAILED_PRECONDITION",
        f"The message storage policy of topic {TOPIC} does not allow any GCP region.",
    )


def test_pull_from_outside_a_topic_that_enforces_in_transit_is_refused(world: World) -> None:
    world.put_topic(TOPIC, storage("europe-west1", in_transit=True))
    subscribe(world)
    assert refusal(lambda: received(world, region="us-east1")) == (
        "FAILED_PRECONDITION",
        (
            "The topic's message storage policy requires enforcement in transit, but the Pull request was received by "
            "a Pub/Sub server in a non-allowed region."
        ),
    )


@pytest.mark.parametrize(
    ("messages", "code", "text"),
    [
        ([], "INVALID_ARGUMENT", "No messages to publish"),
        ([message(b"")], "INVALID_ARGUMENT", "Some messages are empty"),
        (
            [message(ordering_key="a"), message()],
            "FAILED_PRECONDITION",
            (
                "In a single publish request, all messages must have no ordering key or they must all have the same "
                "ordering key."
            ),
        ),
    ],
)
def test_malformed_publish_is_refused(world: World, messages: list[Any], code: str, text: str) -> None:
    world.put_topic(TOPIC, None)
    assert refusal(lambda: send(world, *messages)) == (code, text)


def test_message_comes_again_after_the_deadline_unless_acknowledged(world: World) -> None:
    world.put_topic(TOPIC, None)
    subscribe(world, ack_deadline_seconds=20)
    send(world, message(b"kept"), message(b"done"))
    assert received(world) == [("1", b"kept"), ("2", b"done")]
    acknowledge(world, raw("AcknowledgeRequest", subscription=SUBSCRIPTION, ack_ids=[f"{SUBSCRIPTION}:2"]), DIRECT)
    assert received(world) == []
    world.clock.advance(timedelta(seconds=21))
    assert received(world) == [("1", b"kept")]


def test_subscription_outlives_its_topic(world: World) -> None:
    world.put_topic(TOPIC, None)
    subscribe(world)
    send(world, message())
    delete_topic(world, raw("DeleteTopicRequest", topic=TOPIC), DIRECT)
    found = get_subscription(world, raw("GetSubscriptionRequest", subscription=SUBSCRIPTION), DIRECT)
    assert found.topic == "_deleted-topic_"
    assert received(world) == [("1", b"x")]


def test_subscription_is_listed_until_it_is_deleted(world: World) -> None:
    world.put_topic(TOPIC, None)
    subscribe(world)
    request = raw("ListSubscriptionsRequest", project=PROJECT)
    assert [found.name for found in list_subscriptions(world, request, DIRECT).subscriptions] == [SUBSCRIPTION]
    delete_subscription(world, raw("DeleteSubscriptionRequest", subscription=SUBSCRIPTION), DIRECT)
    assert list(list_subscriptions(world, request, DIRECT).subscriptions) == []
    assert refusal(lambda: received(world)) == ("NOT_FOUND", "Subscription does not exist")


def test_subscription_needs_a_topic_and_a_free_name(world: World) -> None:
    assert refusal(lambda: subscribe(world)) == ("NOT_FOUND", "Subscription topic does not exist")
    world.put_topic(TOPIC, None)
    subscribe(world)
    assert refusal(lambda: subscribe(world)) == ("ALREADY_EXISTS", "Subscription already exists")


@pytest.mark.parametrize(
    ("kind", "fields", "run", "text"),
    [
        ("PullRequest", {"max_messages": 0}, pull, "No max_messages specified"),
        ("AcknowledgeRequest", {"ack_ids": []}, acknowledge, "No ack ids specified."),
    ],
)
def test_malformed_pull_and_acknowledgement_are_refused(
    world: World, kind: str, fields: dict[str, Any], run: Any, text: str
) -> None:
    world.put_topic(TOPIC, None)
    subscribe(world)
    request = raw(kind, subscription=SUBSCRIPTION, **fields)
    assert refusal(lambda: run(world, request, DIRECT)) == ("INVALID_ARGUMENT", text)
