"""Which Pulumi stack declares which topic, where a stack is too big for one.

A shard is chosen by nothing but the topic's own name, so that a new topic changes exactly one Pulumi stack. The choice
is a jump consistent hash (Lamping and Veach, https://arxiv.org/abs/1406.2294): with one shard more, the topics that
move are about one in as many as there are shards then, and all of them move to the new one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import assert_never

from reconciler.model.fleet import Fleet, Stack
from reconciler.model.names import TopicName
from reconciler.model.pulumi import OneStack, StackPerProject, StackPerShard


def pulumi_stacks(stack: Stack) -> tuple[str, ...]:
    """The names of the Pulumi stacks that declare a stack, in order; one of its own name where it is not split."""
    match stack.pulumi.split:
        case OneStack():
            return (stack.name,)
        case StackPerProject():
            return tuple(_of_project(stack, project) for project in stack.projects)
        case StackPerShard(count):
            return tuple(_of_shard(stack, index, count) for index in range(count))
        case _:
            assert_never(stack.pulumi.split)


def pulumi_stack_of(stack: Stack, topic: TopicName) -> str:
    """The name of the Pulumi stack that declares a topic."""
    match stack.pulumi.split:
        case OneStack():
            return stack.name
        case StackPerProject():
            return _of_project(stack, topic.project)
        case StackPerShard(count):
            key = int.from_bytes(hashlib.sha256(str(topic).encode()).digest()[:8])
            return _of_shard(stack, _jump(key, count), count)
        case _:
            assert_never(stack.pulumi.split)


def shards(fleet: Fleet) -> Mapping[str, Fleet]:
    """The part of a fleet that each of its Pulumi stacks declares, by name, in order; some may declare nothing.

    A part holds topics and nothing else, so that its fingerprint changes only with them and with the stack's settings.
    A fleet that is not split is its own only part.
    """
    names = pulumi_stacks(fleet.stack)
    if isinstance(fleet.stack.pulumi.split, OneStack):
        return {names[0]: fleet}
    parts: dict[str, list[TopicName]] = {name: [] for name in names}
    for topic in fleet.topics:
        parts[pulumi_stack_of(fleet.stack, topic.name)].append(topic.name)
    return {name: Fleet.of(fleet.stack, (fleet.by_name[topic] for topic in topics)) for name, topics in parts.items()}


def _of_project(stack: Stack, project: str) -> str:
    # A domain-scoped id (`example.com:shop`) has a colon, which Pulumi does not take, and it has only one after dots.
    return f"{stack.name}-{project.replace(':', '.')}"


def _of_shard(stack: Stack, index: int, count: int) -> str:
    return f"{stack.name}-{index}-of-{count}"


def _jump(key: int, buckets: int) -> int:
    bucket, following = 0, 0
    while following < buckets:
        bucket = following
        key = (key * 2862933555777941757 + 1) % 2**64
        following = int((bucket + 1) * (2**31 / ((key >> 33) + 1)))
    return bucket
