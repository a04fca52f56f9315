"""What taking over a live topic would change, and the file that does it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reconciler.model import TopicName
from reconciler.preview import (
    Adoption,
    FieldChange,
    PulumiState,
    UnreadablePreview,
    adoptions,
    import_file,
    read_state,
)
from tests.preview.samples import STACK_URN, urn

ORDERS, RETURNS = TopicName("acme-orders", "orders"), TopicName("acme-orders", "returns")
NOTHING_YET = PulumiState(topics={})
FLEET = "urn:pulumi:production::hedgerow::hedgerow:pubsub:TopicFleet::fleet"
EUROPE = {"allowedPersistenceRegions": ["europe-west1"], "enforceInTransit": False}


def changes(declared: dict[str, Any], live: dict[str, Any]) -> tuple[FieldChange, ...]:
    (found,) = adoptions({ORDERS: declared}, {ORDERS: live}, NOTHING_YET)
    return found.changes


def test_declared_topics_that_are_live_and_not_in_the_state_are_to_be_taken_over() -> None:
    new, other = TopicName("acme-orders", "new"), TopicName("acme-orders", "other")
    declared: dict[TopicName, dict[str, Any]] = {RETURNS: {}, ORDERS: {}, new: {}}
    state = PulumiState(topics={RETURNS: urn("returns")})

    assert adoptions(declared, {ORDERS: {}, RETURNS: {}, other: {}}, state) == (Adoption(topic=ORDERS, changes=()),)


def test_a_policy_that_is_not_declared_stays() -> None:
    assert changes({}, {"messageStoragePolicy": {"allowedPersistenceRegions": ["us-east1"]}}) == ()


def test_a_policy_that_means_the_same_stays() -> None:
    assert changes({"messageStoragePolicy": EUROPE}, {"messageStoragePolicy": {"allowedPersistenceRegions": ["europe-west1"]}}) == ()  # fmt: skip


def test_another_policy_is_changed_at_once() -> None:
    live = {"messageStoragePolicy": {"allowedPersistenceRegions": ["us-east1"], "enforceInTransit": True}}

    assert changes({"messageStoragePolicy": EUROPE}, live) == (
        FieldChange(field="messageStoragePolicy", live=live["messageStoragePolicy"], declared=EUROPE),
    )
    assert changes({"messageStoragePolicy": EUROPE}, {}) == (
        FieldChange(field="messageStoragePolicy", live=None, declared=EUROPE),
    )


@pytest.mark.parametrize(
    ("declared", "live", "shown"),
    [
        ({"a": "b"}, {"a": "b", "foreign": "x"}, None),
        ({}, {"foreign": "x"}, None),
        ({"a": "b"}, {"a": "c", "foreign": "x"}, {"a": "c"}),
        ({"a": ""}, {"foreign": "x"}, {}),
    ],
)
def test_only_declared_labels_are_changed(declared: dict[str, str], live: dict[str, str], shown: Any) -> None:
    found = changes({"labels": declared} if declared else {}, {"labels": live})

    assert found == (() if shown is None else (FieldChange(field="labels", live=shown or None, declared=declared),))


def test_any_other_field_becomes_as_declared_or_goes() -> None:
    declared = {"messageRetentionDuration": "600s", "schemaSettings": {"schema": "s"}}
    live = {
        "messageRetentionDuration": "86400s",
        "kmsKeyName": "k",
        "schemaSettings": {"schema": "s"},
        "state": "ACTIVE",
    }

    assert changes(declared, live) == (
        FieldChange(field="kmsKeyName", live="k", declared=None),
        FieldChange(field="messageRetentionDuration", live="86400s", declared="600s"),
    )


def test_tags_would_replace_the_topic() -> None:
    assert changes({"tags": {"1/a": "b"}}, {}) == (
        FieldChange(field="tags", live=None, declared={"1/a": "b"}, replaces=True),
    )


def test_the_file_puts_topics_under_a_component_that_it_makes() -> None:
    found = (Adoption(topic=ORDERS, changes=()),)

    assert import_file(found, NOTHING_YET, "10.2.0") == {
        "resources": [
            {"type": "hedgerow:pubsub:TopicFleet", "name": "fleet", "component": True},
            {
                "type": "gcp:pubsub/topic:Topic",
                "name": "acme-orders/orders",
                "id": "projects/acme-orders/topics/orders",
                "parent": "fleet",
                "version": "10.2.0",
            },
        ]
    }


def test_the_file_refers_to_a_component_that_is_there() -> None:
    file = import_file((Adoption(topic=ORDERS, changes=()),), PulumiState(topics={}, component=FLEET), None)

    assert file["nameTable"] == {"fleet": FLEET}
    assert [(one["name"], one["parent"], "version" in one) for one in file["resources"]] == [
        ("acme-orders/orders", "fleet", False)
    ]


def test_a_state_is_read_for_its_topics_and_its_component() -> None:
    resources = [
        {"type": "pulumi:pulumi:Stack", "urn": STACK_URN},
        {"type": "hedgerow:pubsub:TopicFleet", "urn": FLEET.replace("::fleet", "::other")},
        {"type": "hedgerow:pubsub:TopicFleet", "urn": FLEET},
        {"type": "gcp:pubsub/topic:Topic", "urn": urn("orders"), "id": str(ORDERS)},
        {"type": "gcp:pubsub/topic:Topic", "urn": urn("odd"), "id": "odd"},
    ]

    read = read_state(json.dumps({"version": 3, "deployment": {"resources": resources}}))

    assert read == PulumiState(topics={ORDERS: urn("orders")}, component=FLEET)


@pytest.mark.parametrize("deployment", [{}, {"resources": None}])
def test_a_new_stack_has_nothing(deployment: dict[str, None]) -> None:
    assert read_state(json.dumps({"deployment": deployment})) == NOTHING_YET


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"deployment": []}', '{"deployment": {"resources": [5]}}', "nothing"]
)
def test_what_is_no_state_is_refused(text: str) -> None:
    with pytest.raises(UnreadablePreview, match="this is no exported state of a Pulumi stack"):
        read_state(text)
