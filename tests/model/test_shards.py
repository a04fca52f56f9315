"""Which Pulumi stack declares which topic."""

from __future__ import annotations

from collections import Counter

import pytest

from reconciler.model import (
    Fleet,
    Inherit,
    OneStack,
    Origin,
    PulumiSettings,
    Split,
    Stack,
    StackPerProject,
    StackPerShard,
    TopicName,
    TopicSpec,
    pulumi_stack_of,
    pulumi_stacks,
    shards,
)

HERE = Origin("topics.yaml")


def stack(split: Split, *projects: str) -> Stack:
    return Stack(
        name="production",
        folder="stacks/production",
        organization="organizations/1",
        policy_source="live",
        projects=projects or ("acme-orders",),
        pulumi=PulumiSettings(split=split),
        origin=Origin("stack.yaml"),
    )


def fleet(split: Split, *names: TopicName) -> Fleet:
    topics = [TopicSpec(name=name, policy=Inherit(), origin=HERE, policy_origin=HERE) for name in names]
    return Fleet.of(stack(split, *sorted({name.project for name in names})), topics)


TOPICS = [TopicName("acme-orders", f"topic-{index}") for index in range(9000)]


def test_a_stack_that_is_not_split_is_one_pulumi_stack_of_its_name() -> None:
    whole = fleet(OneStack(), *TOPICS[:3])

    assert pulumi_stacks(whole.stack) == ("production",)
    assert pulumi_stack_of(whole.stack, TOPICS[0]) == "production"
    assert shards(whole) == {"production": whole}


def test_each_project_can_be_a_pulumi_stack() -> None:
    names = [TopicName("acme.example:shop", "orders"), TopicName("acme-lab", "trial"), TopicName("acme-lab", "other")]
    parts = shards(fleet(StackPerProject(), *names))

    assert {name: [str(topic.name) for topic in part.topics] for name, part in parts.items()} == {
        "production-acme-lab": ["projects/acme-lab/topics/other", "projects/acme-lab/topics/trial"],
        "production-acme.example.shop": ["projects/acme.example:shop/topics/orders"],
    }


def test_a_project_without_topics_is_a_pulumi_stack_that_declares_nothing() -> None:
    empty = Fleet.of(stack(StackPerProject(), "acme-lab"))

    assert [(name, part.topics) for name, part in shards(empty).items()] == [("production-acme-lab", ())]


def test_shards_are_numbered_and_each_topic_is_in_exactly_one() -> None:
    whole = fleet(StackPerShard(4), *TOPICS[:400])
    parts = shards(whole)

    assert list(parts) == [f"production-{index}-of-4" for index in range(4)]
    assert sorted(topic.name for part in parts.values() for topic in part.topics) == sorted(whole.by_name)
    assert all(
        pulumi_stack_of(whole.stack, topic.name) == name for name, part in parts.items() for topic in part.topics
    )


def test_a_topic_keeps_its_shard_for_ever() -> None:
    of = [pulumi_stack_of(stack(StackPerShard(8)), TopicName("acme-orders", name)) for name in ("orders", "returns")]

    assert of == ["production-0-of-8", "production-4-of-8"]


@pytest.mark.parametrize("count", [2, 8, 31])
def test_shards_are_of_about_the_same_size(count: int) -> None:
    sizes = Counter(pulumi_stack_of(stack(StackPerShard(count)), topic) for topic in TOPICS)

    assert len(sizes) == count
    assert all(0.75 < size * count / len(TOPICS) < 1.25 for size in sizes.values())


def test_with_one_shard_more_only_its_own_topics_move() -> None:
    moved: Counter[str] = Counter()
    for topic in TOPICS:
        before, after = (pulumi_stack_of(stack(StackPerShard(count)), topic) for count in (8, 9))
        if before.removesuffix("-of-8") != after.removesuffix("-of-9"):
            moved[after] += 1

    assert list(moved) == ["production-8-of-9"]
    assert 800 < moved["production-8-of-9"] < 1200


def test_a_new_topic_changes_the_fingerprint_of_exactly_one_shard() -> None:
    before, after = (shards(fleet(StackPerShard(8), *TOPICS[:count])) for count in (100, 101))

    changed = [name for name in before if before[name].fingerprint != after[name].fingerprint]

    assert changed == [pulumi_stack_of(stack(StackPerShard(8)), TOPICS[100])]
