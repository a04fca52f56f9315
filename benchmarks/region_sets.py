"""Comparing 100,000 topics' storage policies with what their projects allow: `RegionSet` against bare frozensets."""

from __future__ import annotations

from benchmarks.comparison import Comparison, medians
from reconciler.model import LiveTopic, RegionSet, StoragePolicy, TopicName, regions_of
from reconciler.spec.catalogue import load_catalogue

TOPICS = 100_000
ROUNDS = 7


def measure() -> list[Comparison]:
    """How much the value types cost above the set operations that they stand for."""
    known = sorted(load_catalogue().regions)
    allowed = RegionSet.from_names(known[:30])
    bare = [frozenset(known[index % 40 : index % 40 + 3]) for index in range(TOPICS)]
    topics = [
        LiveTopic(name=TopicName("acme-orders", f"topic-{index}"), policy=StoragePolicy(regions=RegionSet(names)))
        for index, names in enumerate(bare)
    ]

    def ours() -> int:
        return sum(bool(regions_of(topic.policy) - allowed) for topic in topics)

    def theirs() -> int:
        return sum(bool(names - allowed.names) for names in bare)

    if ours() != theirs():
        raise AssertionError("the two ways of counting disagree")
    seconds, against_seconds = medians(ours, theirs, rounds=ROUNDS)
    return [
        Comparison(
            work=f"storage policies against what is allowed, {TOPICS:,} topics",
            seconds=seconds,
            against="the same on bare frozensets",
            against_seconds=against_seconds,
            target="well under 1 s",
        )
    ]
