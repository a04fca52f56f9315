from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from reconciler.sandbox import World
from reconciler.sandbox.publisher import update_topic
from tests.sandbox.builders import (
    DIRECT,
    TOPIC,
    allow_only,
    enforce_in_transit,
    not_allowed,
    nothing_allowed,
    policy_message,
    raw,
    refusal,
    storage,
    topic,
)

MASK = "message_storage_policy"


def update(world: World, *paths: str, **fields: Any) -> Any:
    return update_topic(
        world, raw("UpdateTopicRequest", topic=topic(**fields), update_mask=FieldMask(paths=paths)), DIRECT
    )


@pytest.fixture
def drifted(world: World) -> World:
    """`orders` was made when the United States were allowed; now only Europe is."""
    world.put_topic(TOPIC, storage("us-east1", "europe-west1", in_transit=True), {"team": "orders"})
    allow_only(world, "in:eu-locations")
    return world


def live(world: World) -> Any:
    found = world.topic(TOPIC)
    assert found is not None
    return found.policy


def test_changed_organization_policy_leaves_existing_topics_as_they_are(drifted: World) -> None:
    assert live(drifted) == storage("us-east1", "europe-west1", in_transit=True)


def test_storage_policy_is_replaced_as_a_whole_so_that_an_omitted_flag_is_off(drifted: World) -> None:
    update(drifted, MASK, message_storage_policy=policy_message("europe-west1"))
    assert live(drifted) == storage("europe-west1", in_transit=False)


def test_masked_and_absent_policy_is_computed_anew(world: World) -> None:
    world.put_topic(TOPIC, storage("us-east1", in_transit=True))
    allow_only(world, "europe-west1", "europe-west4")
    update(world, MASK)
    assert live(world) == storage("europe-west1", "europe-west4")


def test_computing_anew_takes_the_flag_from_the_organization(world: World) -> None:
    world.put_topic(TOPIC, storage("us-east1"))
    allow_only(world, "europe-west1")
    enforce_in_transit(world)
    update(world, MASK)
    assert live(world) == storage("europe-west1", in_transit=True)


def test_computing_anew_without_constraints_removes_the_policy(world: World) -> None:
    world.put_topic(TOPIC, storage("us-east1"))
    answer = update(world, MASK)
    assert live(world) is None
    assert not answer.HasField(MASK)


def test_computing_anew_where_nothing_is_allowed_is_refused(drifted: World) -> None:
    allow_only(drifted)
    assert refusal(lambda: update(drifted, MASK)) == ("FAILED_PRECONDITION", nothing_allowed())
    assert live(drifted) == storage("us-east1", "europe-west1", in_transit=True)


def test_masked_and_empty_policy_is_refused(drifted: World) -> None:
    assert refusal(lambda: update(drifted, MASK, message_storage_policy=policy_message())) == (
        "INVALID_ARGUMENT",
        "The message storage policy must allow at least one GCP region.",
    )


def test_region_that_is_not_allowed_is_refused_even_if_the_topic_already_has_it(drifted: World) -> None:
    asked = policy_message("us-east1", "europe-west1", "europe-west4")
    assert refusal(lambda: update(drifted, MASK, message_storage_policy=asked)) == (
        "FAILED_PRECONDITION",
        not_allowed("us-east1"),
    )


def test_labels_change_on_a_drifted_topic_without_touching_its_policy(drifted: World) -> None:
    answer = update(drifted, "labels", labels={"team": "billing"}, message_storage_policy=policy_message("mars"))
    assert dict(answer.labels) == {"team": "billing"}
    assert live(drifted) == storage("us-east1", "europe-west1", in_transit=True)


def test_masked_and_absent_labels_are_removed_and_other_fields_stay(drifted: World) -> None:
    answer = update(drifted, "labels")
    assert dict(answer.labels) == {}
    assert live(drifted) == storage("us-east1", "europe-west1", in_transit=True)


def test_several_fields_change_at_once(drifted: World) -> None:
    answer = update(drifted, MASK, "labels", labels={"a": "b"}, message_storage_policy=policy_message("europe-west4"))
    assert dict(answer.labels) == {"a": "b"}
    assert live(drifted) == storage("europe-west4")


@pytest.mark.parametrize("mask", [FieldMask(), None])
def test_missing_or_empty_mask_is_refused(drifted: World, mask: FieldMask | None) -> None:
    request = raw("UpdateTopicRequest", topic=topic(), update_mask=mask)
    assert refusal(lambda: update_topic(drifted, request, DIRECT)) == (
        "INVALID_ARGUMENT",
        "The update_mask in the UpdateTopicRequest must be set, and must contain a non-empty paths list.",
    )


@pytest.mark.parametrize(
    "path", ["messageStoragePolicy", "regions", "message_storage_policy.enforce_in_transit", "*", ""]
)
def test_path_that_names_no_field_is_refused(drifted: World, path: str) -> None:
    assert refusal(lambda: update(drifted, path)) == (
        "INVALID_ARGUMENT",
        (
            f"Invalid update_mask provided in the UpdateTopicRequest: {path} is not a known Topic field. "
            "Note that field paths must be of the form 'schema_settings' rather than 'schemaSetings'."
        ),
    )


@pytest.mark.parametrize("path", ["name", "tags", "state", "satisfies_pzs"])
def test_immutable_field_is_refused(drifted: World, path: str) -> None:
    assert refusal(lambda: update(drifted, path)) == (
        "INVALID_ARGUMENT",
        f"Invalid update_mask provided in the UpdateTopicRequest: {path} cannot be changed.",
    )


def test_topic_that_does_not_exist_is_not_made(world: World) -> None:
    assert refusal(lambda: update(world, "labels")) == ("NOT_FOUND", "Topic not found")
    assert world.topics() == []
