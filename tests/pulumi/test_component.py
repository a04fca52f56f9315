"""What `TopicFleet` registers."""

from __future__ import annotations

import inspect
from typing import Any

import pulumi_gcp as gcp
import pytest

from reconciler.errors import InvalidInput
from reconciler.model import RegionSet, StoragePolicy, TopicName
from reconciler.pulumi import DeclaredTopic, TopicFleet
from reconciler.pulumi.component import FIELDS
from tests.pulumi.conftest import RunProgram


def topic(name: str = "orders", **rest: Any) -> DeclaredTopic:
    return DeclaredTopic(name=TopicName("acme-orders", name), **rest)


def test_a_topic_without_a_policy_is_declared_without_the_block(run_program: RunProgram) -> None:
    ran = run_program(lambda: TopicFleet("fleet", topics=[topic()]))
    assert ran.topics == {
        "acme-orders/orders": {"name": "orders", "project": "acme-orders", "deletionPolicy": "PREVENT"}
    }


def test_a_storage_policy_is_declared_with_both_fields_and_sorted_regions(run_program: RunProgram) -> None:
    policy = StoragePolicy(regions=RegionSet.of("europe-west4", "europe-west1"), enforce_in_transit=False)
    ran = run_program(lambda: TopicFleet("fleet", topics=[topic(storage_policy=policy)]))
    assert ran.topics["acme-orders/orders"]["messageStoragePolicy"] == {
        "allowedPersistenceRegions": ["europe-west1", "europe-west4"],
        "enforceInTransit": False,
    }


def test_other_fields_are_declared_verbatim(run_program: RunProgram) -> None:
    fields = {
        "kmsKeyName": "projects/p/locations/europe-west1/keyRings/r/cryptoKeys/k",
        "messageRetentionDuration": "86400s",
        "schemaSettings": {"schema": "projects/p/schemas/s", "encoding": "JSON"},
        "messageTransforms": [{"javascriptUdf": {"functionName": "f", "code": "c"}, "disabled": True}],
        "ingestionDataSourceSettings": {"cloudStorage": {"bucket": "b", "textFormat": {"delimiter": ";"}}},
        "tags": {"123/some_env": "prod"},
    }
    labels = {"data_class": "personal"}
    ran = run_program(lambda: TopicFleet("fleet", topics=[topic(fields=fields, labels=labels)]))
    declared = ran.topics["acme-orders/orders"]
    assert {key: declared[key] for key in fields} == fields
    assert declared["labels"] == labels


def test_a_topics_urn_depends_on_its_own_name_alone(run_program: RunProgram) -> None:
    ran = run_program(lambda: TopicFleet("any", topics=[topic()]))
    assert ran.by_name["acme-orders/orders"].urn == (
        "urn:pulumi:demo::hedgerow::hedgerow:pubsub:TopicFleet$gcp:pubsub/topic:Topic::acme-orders/orders"
    )


def test_topics_are_protected_and_their_component_is_not(run_program: RunProgram) -> None:
    ran = run_program(lambda: TopicFleet("fleet", topics=[topic("a-1"), topic("b-1")]))
    assert {name: resource.protect for name, resource in ran.by_name.items()} == {
        "acme-orders/a-1": True,
        "acme-orders/b-1": True,
        "fleet": False,
    }


def test_an_expendable_topic_is_declared_without_protection(run_program: RunProgram) -> None:
    ran = run_program(lambda: TopicFleet("fleet", topics=[topic(expendable=True), topic("returns")]))
    assert {name: one["deletionPolicy"] for name, one in ran.topics.items()} == {
        "acme-orders/orders": "DELETE",
        "acme-orders/returns": "PREVENT",
    }
    assert [ran.by_name[name].protect for name in ran.topics] == [False, True]


def test_a_topic_that_is_there_is_taken_over_by_its_full_name(run_program: RunProgram) -> None:
    ran = run_program(lambda: TopicFleet("fleet", topics=[topic(imported=True), topic("returns")]))
    assert [ran.by_name[name].import_id for name in ran.topics] == ["projects/acme-orders/topics/orders", ""]


def test_a_field_that_the_provider_does_not_have_is_refused_before_anything_is_registered(
    run_program: RunProgram,
) -> None:
    def program() -> None:
        with pytest.raises(InvalidInput) as caught:
            TopicFleet("fleet", topics=[topic("a-1"), topic("b-1", fields={"state": "ACTIVE"})])
        assert str(caught.value) == (
            "error: `projects/acme-orders/topics/b-1`: the Pulumi provider cannot declare the field `state`\n"
            "  hint: remove it; these can be declared: ingestionDataSourceSettings, kmsKeyName,"
            " messageRetentionDuration, messageTransforms, schemaSettings, tags"
        )

    assert run_program(program).registered == []


def test_every_argument_of_the_providers_topic_has_its_place() -> None:
    own = {"deletion_policy", "labels", "message_storage_policy", "name", "project"}
    parameters = inspect.signature(gcp.pubsub.TopicArgs.__init__).parameters
    assert own | set(FIELDS.values()) == parameters.keys() - {"__self__"}
