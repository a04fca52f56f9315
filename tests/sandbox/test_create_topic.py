from __future__ import annotations

from typing import Any

import pytest

from reconciler.model import LiveTopic, TopicName
from reconciler.sandbox import World
from reconciler.sandbox.publisher import create_topic
from reconciler.spec.catalogue import load_catalogue
from tests.sandbox.builders import (
    DIRECT,
    NUMBER,
    ORGANIZATION,
    TOPIC,
    allow_only,
    enforce_in_transit,
    not_allowed,
    nothing_allowed,
    policy_message,
    refusal,
    storage,
    topic,
)


def test_topic_without_a_policy_gets_the_allowed_regions_listed_and_sorted(world: World) -> None:
    allow_only(world, "us-west1", "in:us-east1-locations", "europe-west4")
    created = create_topic(world, topic(), DIRECT)
    assert list(created.message_storage_policy.allowed_persistence_regions) == ["europe-west4", "us-east1", "us-west1"]
    assert created.message_storage_policy.enforce_in_transit is False


def test_topic_without_a_policy_has_none_where_nothing_constrains(world: World) -> None:
    created = create_topic(world, topic(), DIRECT)
    assert not created.HasField("message_storage_policy")
    assert world.topic(TOPIC) == LiveTopic(name=TopicName.parse(TOPIC), policy=None)


def test_value_group_stands_for_its_certain_members_only(world: World) -> None:
    allow_only(world, "in:us-locations")
    create_topic(world, topic(), DIRECT)
    live = world.topic(TOPIC)
    assert live is not None
    assert live.policy == storage(
        "us-central1", "us-east1", "us-east4", "us-east5", "us-south1", "us-west1", "us-west2", "us-west3", "us-west4"
    )


def test_all_but_some_means_the_known_regions_but_those(world: World) -> None:
    world.set_policy(
        {
            "name": f"{ORGANIZATION}/policies/gcp.resourceLocations",
            "spec": {"rules": [{"values": {"deniedValues": ["in:us-east1-locations"]}}]},
        }
    )
    create_topic(world, topic(), DIRECT)
    live = world.topic(TOPIC)
    assert live is not None
    assert live.policy is not None
    assert live.policy.regions == load_catalogue().regions - storage("us-east1").regions


def test_in_transit_flag_of_a_computed_policy_comes_from_the_organization(world: World) -> None:
    allow_only(world, "europe-west1")
    enforce_in_transit(world)
    create_topic(world, topic(), DIRECT)
    live = world.topic(TOPIC)
    assert live is not None
    assert live.policy == storage("europe-west1", in_transit=True)


def test_in_transit_alone_lists_every_region_with_the_flag(world: World) -> None:
    enforce_in_transit(world)
    create_topic(world, topic(), DIRECT)
    live = world.topic(TOPIC)
    assert live is not None
    assert live.policy == storage(*load_catalogue().regions, in_transit=True)


def test_explicit_policy_within_what_is_allowed_is_kept_sorted_without_repetitions(world: World) -> None:
    allow_only(world, "in:eu-locations")
    requested = topic(message_storage_policy=policy_message("europe-west4", "europe-west1", "europe-west4"))
    created = create_topic(world, requested, DIRECT)
    assert list(created.message_storage_policy.allowed_persistence_regions) == ["europe-west1", "europe-west4"]


def test_explicit_policy_without_the_flag_stays_so_under_an_enforcing_organization(world: World) -> None:
    allow_only(world, "in:eu-locations")
    enforce_in_transit(world)
    create_topic(world, topic(message_storage_policy=policy_message("europe-west1")), DIRECT)
    live = world.topic(TOPIC)
    assert live is not None
    assert live.policy == storage("europe-west1", in_transit=False)


def test_refusal_names_exactly_the_regions_that_are_not_allowed(world: World) -> None:
    allow_only(world, "europe-west1")
    requested = topic(message_storage_policy=policy_message("us-west1", "europe-west1", "us-east1"))
    assert refusal(lambda: create_topic(world, requested, DIRECT)) == (
        "FAILED_PRECONDITION",
        not_allowed("us-east1", "us-west1", number=NUMBER),
    )
    assert world.topic(TOPIC) is None


@pytest.mark.parametrize("fields", [{}, {"message_storage_policy": policy_message("europe-west1")}])
def test_policy_that_allows_no_pubsub_region_refuses_every_topic(world: World, fields: dict[str, Any]) -> None:
    allow_only(world, "us", "global", "europe-west1-b")
    assert refusal(lambda: create_topic(world, topic(**fields), DIRECT)) == ("FAILED_PRECONDITION", nothing_allowed())


def test_empty_policy_is_refused_even_with_the_flag(world: World) -> None:
    requested = topic(message_storage_policy=policy_message(in_transit=True))
    assert refusal(lambda: create_topic(world, requested, DIRECT)) == (
        "INVALID_ARGUMENT",
        "The message storage policy must allow at least one GCP region.",
    )


def test_zones_and_multi_regions_are_not_regions(world: World) -> None:
    requested = topic(message_storage_policy=policy_message("europe-west1-b", "us", "europe-west1"))
    assert refusal(lambda: create_topic(world, requested, DIRECT)) == (
        "INVALID_ARGUMENT",
        "The message storage policy contains values that are not GCP regions: europe-west1-b, us.",
    )


def test_second_topic_of_a_name_is_refused(world: World) -> None:
    create_topic(world, topic(), DIRECT)
    assert refusal(lambda: create_topic(world, topic(), DIRECT)) == ("ALREADY_EXISTS", "Topic already exists")


@pytest.mark.parametrize(
    "name",
    [
        "projects/acme-orders/topics/ab",
        "projects/acme-orders/topics/1orders",
        "projects/acme-orders/topics/google",
        "projects/acme-orders/topics/or/ders",
        "projects/acme-orders/topics/" + "a" * 256,
        "projects/UPPER/topics/orders",
        "projects/acme-orders/subscriptions/orders",
        "orders",
    ],
)
def test_name_that_is_not_a_topic_name_is_refused(world: World, name: str) -> None:
    assert refusal(lambda: create_topic(world, topic(name), DIRECT)) == (
        "INVALID_ARGUMENT",
        f"Invalid [topics] name: (name={name})",
    )


def test_project_outside_the_organization_does_not_exist(world: World) -> None:
    assert refusal(lambda: create_topic(world, topic("projects/acme-elsewhere/topics/orders"), DIRECT)) == (
        "NOT_FOUND",
        "Project not found: acme-elsewhere",
    )


def test_every_project_exists_without_an_organization() -> None:
    world = World(catalogue=load_catalogue())
    created = create_topic(world, topic("projects/acme-anywhere/topics/orders"), DIRECT)
    assert created.name == "projects/acme-anywhere/topics/orders"
    assert world.projects == ("acme-anywhere",)


def test_project_number_in_a_name_means_the_project(world: World) -> None:
    created = create_topic(world, topic(f"projects/{NUMBER}/topics/orders"), DIRECT)
    assert created.name == TOPIC


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"Team": "a"}, "Invalid label key: 'Team'."),
        ({"team": "A"}, "Invalid value of label 'team': 'A'."),
        ({"k" * 64: "a"}, f"Invalid label key: '{'k' * 64}'."),
        ({f"k{i}": "v" for i in range(65)}, "A resource can have at most 64 labels, not 65."),
    ],
)
def test_labels_keep_the_documented_rules(world: World, labels: dict[str, str], message: str) -> None:
    assert refusal(lambda: create_topic(world, topic(labels=labels), DIRECT)) == ("INVALID_ARGUMENT", message)
