"""`google.pubsub.v1.Subscriber`, the part of it that shows what was published: unary pull, no streaming.

Each function is one method; see `reconciler.sandbox.publisher`.
"""

from __future__ import annotations

from typing import Any

import google.pubsub_v1.types as pubsub
from google.protobuf.empty_pb2 import Empty

from reconciler.sandbox import storage
from reconciler.sandbox.calls import Call
from reconciler.sandbox.errors import ApiError, Code, invalid
from reconciler.sandbox.names import check_labels, project_of, subscription_id, topic_name
from reconciler.sandbox.subscriptions import DELETED_TOPIC
from reconciler.sandbox.world import World

SubscriptionMessage = pubsub.Subscription.pb()
ListSubscriptionsResponse = pubsub.ListSubscriptionsResponse.pb()
PullResponse = pubsub.PullResponse.pb()
ReceivedMessage = pubsub.ReceivedMessage.pb()

_DEFAULT_DEADLINE = 10
"""Seconds; documented in `Subscription.ack_deadline_seconds`."""

_DEFAULT_RETENTION = 7 * 24 * 3600
"""Seconds; documented in `Subscription.message_retention_duration`. Answered, not acted on."""


def create_subscription(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001 - one signature for all
    """Creates a pull subscription."""
    name = _name(world, request.name)
    check_labels(request.labels)
    topic = topic_name(request.topic)
    if world.topic(topic) is None:
        raise ApiError(Code.NOT_FOUND, "Subscription topic does not exist")
    subscription = SubscriptionMessage()
    subscription.CopyFrom(request)
    subscription.name = name
    subscription.push_config.SetInParent()
    subscription.ack_deadline_seconds = request.ack_deadline_seconds or _DEFAULT_DEADLINE
    if not request.HasField("message_retention_duration"):
        subscription.message_retention_duration.seconds = _DEFAULT_RETENTION
    world.subscriptions.create(subscription)
    return subscription


def get_subscription(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """A subscription."""
    return world.subscriptions.existing(_name(world, request.subscription))


def list_subscriptions(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """A page of a project's subscriptions, by name."""
    project = world.project(project_of(request.project)).name.removeprefix("projects/")
    found, following = world.subscriptions.page(project, request.page_size, request.page_token)
    return ListSubscriptionsResponse(subscriptions=found, next_page_token=following)


def delete_subscription(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """Deletes a subscription with its messages."""
    world.subscriptions.delete(_name(world, request.subscription))
    return Empty()


def pull(world: World, request: Any, call: Call) -> Any:
    """What waits in a subscription, at once, without waiting for more."""
    name = _name(world, request.subscription)
    if request.max_messages <= 0:
        raise invalid("No max_messages specified")
    source = world.subscriptions.existing(name).topic
    topic = None if source == DELETED_TOPIC else world.topic_store.get(topic_name(source))
    if topic is not None:
        storage.check_arrival(topic, call, ordered=False, what="Pull")
    received = world.subscriptions.pull(name, request.max_messages)
    return PullResponse(received_messages=[ReceivedMessage(ack_id=i, message=message) for i, message in received])


def acknowledge(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """Forgets messages that were pulled."""
    if not request.ack_ids:
        raise invalid("No ack ids specified.")
    world.subscriptions.acknowledge(_name(world, request.subscription), request.ack_ids)
    return Empty()


def _name(world: World, text: str) -> str:
    project, subscription = subscription_id(text)
    return f"{world.project(project).name}/subscriptions/{subscription}"
