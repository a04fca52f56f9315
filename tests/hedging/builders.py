"""Short ways to declare publishers in tests."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from reconciler.model import (
    DeclaredPolicy,
    Explicit,
    Fleet,
    HedgingProfile,
    Inherit,
    Origin,
    PublishedTopic,
    Publisher,
    RegionSet,
    Stack,
    Subscriber,
    TopicName,
    TopicSpec,
)

PROJECT = "acme-orders-prod"
STACK = Stack(
    name="production",
    folder="stacks/production",
    organization="organizations/123456789012",
    policy_source="policies/organization.yaml",
    projects=(PROJECT,),
    origin=Origin("stack.yaml"),
)


def ms(milliseconds: float) -> timedelta:
    return timedelta(milliseconds=milliseconds)


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def name(topic: str) -> TopicName:
    return TopicName(PROJECT, topic)


def profile(
    label: str = "eager",
    delay: timedelta = timedelta(milliseconds=200),
    tokens: float = 100,
    ratio: float = 0.05,
) -> HedgingProfile:
    return HedgingProfile(
        name=label,
        hedge_delay=delay,
        max_tokens=tokens,
        refill_ratio=ratio,
        origin=Origin("profiles.yaml", ("hedgingProfiles", label)),
    )


def published(topic: str = "orders", hedging: HedgingProfile | None = None, **fields: Any) -> PublishedTopic:
    origin = Origin("checkout.yaml", ("publishers", 0, "topics", topic))
    fields = {"origin": origin, "hedging_origin": origin.at("hedging"), **fields}
    return PublishedTopic(topic=name(topic), hedging=hedging, **fields)


def publisher(*topics: PublishedTopic, service: str = "checkout", language: str = "java", **fields: Any) -> Publisher:
    fields = {"duplicates_tolerated": True, "origin": Origin(f"{service}.yaml", ("publishers", 0)), **fields}
    return Publisher(service=service, language=language, topics=topics, **fields)


def explicit(*regions: str, enforce: bool | None = None) -> Explicit:
    return Explicit(regions=RegionSet.of(*regions), enforce_in_transit=enforce)


def spec(
    topic: str = "orders",
    policy: DeclaredPolicy = Inherit(),  # noqa: B008 - immutable
    *subscribers: Subscriber,
) -> TopicSpec:
    origin = Origin("topics.yaml", ("topics", topic))
    return TopicSpec(
        name=name(topic),
        policy=policy,
        subscribers=subscribers,
        origin=origin,
        policy_origin=origin.at("messageStoragePolicy"),
    )


def fleet(*publishers: Publisher, topics: tuple[TopicSpec, ...] | None = None) -> Fleet:
    """A stack with these publishers; unless told otherwise it declares, as `inherit`, every topic they publish to."""
    if topics is None:
        names = sorted({published.topic.topic for service in publishers for published in service.topics})
        topics = tuple(spec(topic) for topic in names)
    profiles = {published.hedging for service in publishers for published in service.topics if published.hedging}
    return Fleet.of(STACK, topics, publishers, profiles)
