"""What the stand-in for the gcp provider copies from the real one (terraform-provider-google and the bridge)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.standin import topic
from tests.engine.standin.properties import UNKNOWN
from tests.engine.standin.settings import Settings
from tests.engine.standin.topic import Difference

LIVE: dict[str, Any] = {
    "name": "projects/acme-orders/topics/orders",
    "labels": {"goog-pulumi-provisioned": "true", "team": "orders", "cost-center": "7"},
    "messageStoragePolicy": {"allowedPersistenceRegions": ["europe-west1", "europe-west4"]},
}
DECLARED: dict[str, Any] = {
    "name": "orders",
    "project": "acme-orders",
    "labels": {"team": "orders"},
    "deletionPolicy": "PREVENT",
}
LABELS = {"goog-pulumi-provisioned": "true", "team": "orders"}
STATE = topic.state_of(LIVE, DECLARED, LABELS)


def differences(**inputs: Any) -> list[Difference]:
    declared = {key: value for key, value in {**DECLARED, **inputs}.items() if value is not None}
    return list(topic.differences(STATE, declared))


def test_a_policy_that_is_left_out_is_computed_and_no_difference() -> None:
    assert differences() == []


def test_regions_are_a_set_and_a_flag_that_is_off_is_one_that_is_not_there() -> None:
    regions = ["europe-west4", "europe-west1", "europe-west4"]
    assert differences(messageStoragePolicy={"allowedPersistenceRegions": regions, "enforceInTransit": False}) == []


def test_a_flag_that_the_program_does_not_state_is_taken_away() -> None:
    state = {**STATE, "messageStoragePolicy": {"allowedPersistenceRegions": ["europe-west1"], "enforceInTransit": True}}
    silent = {**DECLARED, "messageStoragePolicy": {"allowedPersistenceRegions": ["europe-west1"]}}
    assert list(topic.differences(state, silent)) == [
        Difference(path="messageStoragePolicy.enforceInTransit", verb="update")
    ]


def test_regions_that_differ_are_a_difference_of_their_own() -> None:
    assert differences(messageStoragePolicy={"allowedPersistenceRegions": ["europe-west1"]}) == [
        Difference(path="messageStoragePolicy.allowedPersistenceRegions", verb="update")
    ]


def test_a_value_that_is_not_known_yet_is_a_difference() -> None:
    assert differences(messageStoragePolicy=UNKNOWN) == [Difference(path="messageStoragePolicy", verb="update")]


@pytest.mark.parametrize(
    ("field", "value"), [("name", "other"), ("project", "other"), ("tags", {"123/environment": "production"})]
)
def test_name_project_and_tags_make_another_topic(field: str, value: Any) -> None:
    (found,) = differences(**{field: value})
    assert (found.field, found.replaces) == (field, True)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("labels", {"team": "payments"}),
        ("messageRetentionDuration", "600s"),
        ("kmsKeyName", "k"),
        ("deletionPolicy", "DELETE"),
    ],
)
def test_other_fields_are_changed_in_place(field: str, value: Any) -> None:
    (found,) = differences(**{field: value})
    assert (found.field, found.replaces) == (field, False)


def test_labels_that_the_program_does_not_declare_are_not_its_business() -> None:
    assert (STATE["labels"], STATE["pulumiLabels"]) == ({"team": "orders"}, LABELS)
    assert topic.labels_on_update(STATE, {**DECLARED, "labels": {"owner": "logistics"}}) == {
        "goog-pulumi-provisioned": "true",
        "cost-center": "7",
        "owner": "logistics",
    }


def test_a_topic_that_has_no_name_gets_one_that_it_keeps() -> None:
    inputs, failures = topic.check({}, {}, name="orders", seed=b"1", project="acme-orders")
    assert (inputs, failures) == (
        {"name": "orders-6b86b27", "project": "acme-orders", "__defaults": ["name", "project"]},
        [],
    )
    assert topic.check({}, inputs, name="orders", seed=b"2", project="acme-orders")[0] == inputs


def test_a_policy_without_its_regions_and_a_deletion_policy_that_there_is_not_fail_the_check() -> None:
    inputs = {"messageStoragePolicy": {"enforceInTransit": True}, "deletionPolicy": "KEEP"}
    _, failures = topic.check(inputs, {}, name="orders", seed=b"", project=None)
    assert failures == [
        ("messageStoragePolicy.allowedPersistenceRegions", "Missing required argument"),
        ("deletionPolicy", "expected one of DELETE, PREVENT, ABANDON, got KEEP"),
    ]


def test_a_flag_that_is_off_is_never_sent() -> None:
    policy = {"allowedPersistenceRegions": ["europe-west1"], "enforceInTransit": False, "__defaults": []}
    assert topic.body({**DECLARED, "messageStoragePolicy": policy}, LABELS) == {
        "messageStoragePolicy": {"allowedPersistenceRegions": ["europe-west1"]},
        "labels": LABELS,
    }


def test_a_refresh_takes_the_live_values_of_what_was_declared_and_an_import_all_of_them() -> None:
    policy = LIVE["messageStoragePolicy"]
    assert topic.inputs_of(STATE, {**DECLARED, "__defaults": ["name"]}) == {**DECLARED, "__defaults": ["name"]}
    older = {**DECLARED, "messageStoragePolicy": {"allowedPersistenceRegions": ["us-east1"]}}
    assert topic.inputs_of(STATE, older)["messageStoragePolicy"] == policy
    assert topic.inputs_of(STATE, None) == {
        "name": "orders",
        "project": "acme-orders",
        "messageStoragePolicy": policy,
        "__defaults": [],
    }


def test_a_preview_knows_no_policy_of_a_new_topic_that_states_none() -> None:
    assert topic.unknown_state(DECLARED)["messageStoragePolicy"] == UNKNOWN


def test_who_asks_and_who_pays_is_told_in_the_headers() -> None:
    assert Settings.of(
        {
            "pubsubCustomEndpoint": "http://127.0.0.1:1/v1/",
            "accessToken": "sandbox:deployer",
            "billingProject": "acme-billing",
            "userProjectOverride": "true",
            "addPulumiAttributionLabel": "false",
            "defaultLabels": '{"managed-by": "pulumi"}',
        }
    ) == Settings(
        endpoint="http://127.0.0.1:1/v1/",
        headers={"Authorization": "Bearer sandbox:deployer", "X-Goog-User-Project": "acme-billing"},
        labels={"managed-by": "pulumi"},
    )


def test_without_an_endpoint_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOOGLE_PUBSUB_CUSTOM_ENDPOINT", raising=False)
    with pytest.raises(ValueError, match="needs `gcp:pubsubCustomEndpoint`"):
        Settings.of({})
