"""`google.pubsub.v1.Publisher`: topics, and publishing to them.

Each function is one method: world, request and call in, response out, `ApiError` for a refusal. Requests and responses
are raw protobufs.
"""

from __future__ import annotations

from typing import Any

import google.pubsub_v1.types as pubsub
from google.protobuf.empty_pb2 import Empty

from reconciler.model import StoragePolicy, TopicName
from reconciler.orgpolicy import Resource
from reconciler.sandbox import masks, storage
from reconciler.sandbox.calls import Call
from reconciler.sandbox.errors import ApiError, Code, invalid
from reconciler.sandbox.names import check_labels, project_of, topic_name
from reconciler.sandbox.organization import Organization
from reconciler.sandbox.topics import TopicMessage
from reconciler.sandbox.world import World

ListTopicsResponse = pubsub.ListTopicsResponse.pb()
PublishResponse = pubsub.PublishResponse.pb()

_FIXED = frozenset({"name", "tags", "satisfies_pzs", "state"})
"""Immutable or output only, by the comments in `google/pubsub/v1/pubsub.proto`."""

_CHANGEABLE = frozenset(TopicMessage.DESCRIPTOR.fields_by_name) - _FIXED


def create_topic(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001 - one signature for all methods
    """Creates a topic; its storage policy is checked, or computed where the request has none."""
    name, project = _named(world, request.name)
    check_labels(request.labels)
    topic = TopicMessage()
    topic.CopyFrom(request)
    topic.name = str(name)
    topic.ClearField("tags")  # input only: never answered
    _place(topic, _policy_for(world, request, name, project))
    world.topic_store.create(name, topic)
    return topic


def get_topic(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """A topic."""
    return world.topic_store.existing(_named(world, request.topic)[0])


def list_topics(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """A page of a project's topics, by id."""
    project = world.project(project_of(request.project)).name.removeprefix("projects/")
    topics, following = world.topic_store.page(project, request.page_size, request.page_token)
    return ListTopicsResponse(topics=topics, next_page_token=following)


def update_topic(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """Changes the fields that the mask names, and looks at no other.

    A masked storage policy replaces the topic's whole; masked and absent, it is computed anew.
    """
    paths = list(request.update_mask.paths)
    masks.checked(paths, request="UpdateTopicRequest", resource="Topic", known=_CHANGEABLE, fixed=_FIXED)
    name, project = _named(world, request.topic.name)
    world.topic_store.existing(name)
    if "labels" in paths:
        check_labels(request.topic.labels)
    # What is allowed is looked up only where a storage policy is written: other changes pass on a drifted topic.
    policy = _policy_for(world, request.topic, name, project) if "message_storage_policy" in paths else None

    def change(topic: Any) -> None:
        for path in paths:
            topic.ClearField(path)
            if path == "message_storage_policy":
                _place(topic, policy)
        wanted = TopicMessage()
        wanted.CopyFrom(request.topic)
        for field, _ in request.topic.ListFields():
            if field.name not in paths or field.name == "message_storage_policy":
                wanted.ClearField(field.name)
        topic.MergeFrom(wanted)

    return world.topic_store.change(name, change)


def delete_topic(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """Deletes a topic; its subscriptions stay, without one."""
    name, _ = _named(world, request.topic)
    world.topic_store.delete(name)
    world.subscriptions.detach(str(name))
    return Empty()


def publish(world: World, request: Any, call: Call) -> Any:
    """Takes messages, if they may be stored from where the request arrives."""
    name, _ = _named(world, request.topic)
    topic = world.topic_store.existing(name)
    if not request.messages:
        raise invalid("No messages to publish")
    if any(not message.data and not message.attributes for message in request.messages):
        raise invalid("Some messages are empty")
    keys = {message.ordering_key for message in request.messages}
    if len(keys) > 1:
        # Text: https://github.com/yoshidan/google-cloud-rust/issues/226 (2024-01-08).
        raise ApiError(
            Code.FAILED_PRECONDITION,
            "In a single publish request, all messages must have no ordering key or they must all have the same "
            "ordering key.",
        )
    storage.check_arrival(topic, call, ordered=keys != {""})
    return PublishResponse(message_ids=world.subscriptions.deliver(str(name), request.messages))


def _named(world: World, text: str) -> tuple[TopicName, Resource]:
    """The topic's name, under the project's id, and its project."""
    name = topic_name(text)
    project = world.project(name.project)
    return TopicName(project.name.removeprefix("projects/"), name.topic), project


def _policy_for(world: World, requested: Any, name: TopicName, project: Resource) -> StoragePolicy | None:
    effective = world.organization.enforced(project)
    if not requested.HasField("message_storage_policy"):
        return storage.computed(str(name), name.project, effective, world.organization.catalogue)
    number = Organization.number(project)
    return storage.accepted(requested.message_storage_policy, str(name), name.project, number, effective)


def _place(topic: Any, policy: StoragePolicy | None) -> None:
    topic.ClearField("message_storage_policy")
    if policy is not None:
        topic.message_storage_policy.CopyFrom(storage.to_message(policy))
