"""Names, storage policies, fleets and digests."""

from __future__ import annotations

import dataclasses
import math
import random
from dataclasses import replace
from datetime import timedelta

import pytest

from reconciler.errors import InvalidInput
from reconciler.model import (
    ALL_REGIONS,
    NO_REGIONS,
    Explicit,
    Fleet,
    HedgingProfile,
    Inherit,
    Origin,
    Publisher,
    RegionSet,
    Stack,
    StoragePolicy,
    TopicName,
    TopicSpec,
    canonical_json,
    digest,
    is_project_id,
    is_project_number,
    is_topic_id,
    regions_of,
)

STACK = Stack(
    name="production",
    folder="stacks/production",
    organization="organizations/1",
    policy_source="live",
    projects=("acme-orders",),
    origin=Origin("stack.yaml"),
)


def topic(name: str, file: str = "a.yaml") -> TopicSpec:
    return TopicSpec(
        name=TopicName("acme-orders", name),
        policy=Explicit(regions=RegionSet.of("us-east1", "europe-west1")),
        origin=Origin(file, ("topics", 0)),
        policy_origin=Origin(file, ("topics", 0, "messageStoragePolicy")),
    )


@pytest.mark.parametrize("text", ["acme-orders", "example.com:acme-orders", "abcdef"])
def test_project_ids(text: str) -> None:
    assert is_project_id(text)


@pytest.mark.parametrize("text", ["My Project", "short", "123456", "acme-", "Acme-orders", "a" * 31, ""])
def test_what_is_no_project_id(text: str) -> None:
    assert not is_project_id(text)


@pytest.mark.parametrize(("text", "is_number"), [("111111111111", True), ("0", False), ("acme", False)])
def test_project_numbers(text: str, *, is_number: bool) -> None:
    assert is_project_number(text) is is_number


@pytest.mark.parametrize("text", ["orders", "a.b_c~d+e%f-9", "A" * 255])
def test_topic_ids(text: str) -> None:
    assert is_topic_id(text)


@pytest.mark.parametrize("text", ["ab", "1orders", "google-orders", "or ders", "A" * 256, "{region}"])
def test_what_is_no_topic_id(text: str) -> None:
    assert not is_topic_id(text)


def test_a_topic_name_reads_back_as_it_was_written() -> None:
    assert str(TopicName.parse("projects/p/topics/t")) == "projects/p/topics/t"


def test_what_is_no_topic_name_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        TopicName.parse("topics/t")

    assert str(refused.value) == (
        "error: `topics/t` is not a topic name\n  hint: write `projects/PROJECT/topics/TOPIC`"
    )


def test_absent_empty_and_explicit_policies_are_three_things() -> None:
    explicit = StoragePolicy(regions=RegionSet.of("us-east1"), enforce_in_transit=True)
    read = StoragePolicy.from_json({"allowedPersistenceRegions": ["us-east1"], "enforceInTransit": True})

    assert StoragePolicy.from_json(None) is None
    assert StoragePolicy.from_json({}) == StoragePolicy(regions=NO_REGIONS)
    assert StoragePolicy(regions=NO_REGIONS).is_empty
    assert read == explicit
    assert explicit.to_json() == {"allowedPersistenceRegions": ["us-east1"], "enforceInTransit": True}
    assert (regions_of(None), regions_of(explicit)) == (ALL_REGIONS, RegionSet.of("us-east1"))


def test_a_storage_policy_cannot_be_everything() -> None:
    with pytest.raises(ValueError, match="a storage policy lists its regions; no policy at all is `None`"):
        StoragePolicy(regions=ALL_REGIONS)


def test_a_fleet_is_blind_to_order_and_to_where_entries_stand() -> None:
    topics = [topic(f"topic-{number}") for number in range(5)]
    profiles = [
        HedgingProfile(
            name=name, hedge_delay=timedelta(milliseconds=200), max_tokens=50, refill_ratio=0.1, origin=Origin("a.yaml")
        )
        for name in ("eager", "standard")
    ]
    publishers = [
        Publisher(service=name, language="java", topics=(), origin=Origin("a.yaml")) for name in ("a", "b", "c")
    ]
    fleet = Fleet.of(STACK, topics, publishers, profiles)
    turn = random.Random(1)  # noqa: S311 - a fixed shuffle
    for items in (topics, publishers, profiles):
        turn.shuffle(items)
    moved = [replace(one, origin=Origin("b.yaml")) for one in topics]

    assert Fleet.of(STACK, topics, publishers, profiles) == fleet
    assert Fleet.of(STACK, moved, publishers, profiles).fingerprint == fleet.fingerprint
    assert fleet.by_name[TopicName("acme-orders", "topic-3")].name.topic == "topic-3"


def test_every_declaration_changes_the_fingerprint() -> None:
    fleet = Fleet.of(STACK, [topic("orders")])
    inherits = Fleet.of(STACK, [replace(topic("orders"), policy=Inherit())])

    assert len({fleet.fingerprint, inherits.fingerprint, Fleet.of(STACK).fingerprint}) == 3


def test_a_fleet_holds_each_topic_once() -> None:
    with pytest.raises(ValueError, match="two topics of one name"):
        Fleet.of(STACK, [topic("orders"), topic("orders", "b.yaml")])


def test_canonical_json_is_sorted_and_without_spaces() -> None:
    assert canonical_json({"b": [1, "ü"], "a": None}) == '{"a":null,"b":[1,"ü"]}'.encode()


def test_canonical_json_has_no_nan() -> None:
    with pytest.raises(ValueError, match="Out of range float values are not JSON compliant"):
        canonical_json(math.nan)


def test_digests_tell_values_apart_and_take_nan() -> None:
    values = [1.5, math.nan, math.inf, -math.inf, "nan2", timedelta(seconds=1), timedelta(milliseconds=1), ALL_REGIONS]

    assert len({digest(value) for value in values}) == len(values)
    assert digest([Origin("a.yaml")]) == digest([Origin("b.yaml")])
    assert digest({"a": ()}) == digest({"a": []})


def test_an_origin_leads_on() -> None:
    assert Origin("a.yaml").at("topics", 0).at("name") == Origin("a.yaml", ("topics", 0, "name"))


def test_everything_about_a_topic_but_where_it_was_written_counts_in_the_fingerprint() -> None:
    """A new field of `TopicSpec` has to be added to what `Fleet.fingerprint` shares topics by."""
    counted = {field.name for field in dataclasses.fields(TopicSpec) if field.compare}
    assert counted == {"name", "policy", "labels", "resolutions", "fields", "subscribers", "origin", "policy_origin"}
