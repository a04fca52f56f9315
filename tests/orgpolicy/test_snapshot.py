from __future__ import annotations

from dataclasses import replace

import pytest

from reconciler.model import RegionSet
from reconciler.orgpolicy import (
    ENFORCE_IN_TRANSIT,
    RESOURCE_LOCATIONS,
    Catalogue,
    Resource,
    Snapshot,
    TagKey,
)
from tests.orgpolicy.policies import (
    CATALOGUE,
    FOLDER,
    ORGANIZATION,
    PROJECT,
    allow,
    deny,
    exactly,
    in_transit,
    locations,
)

SNAPSHOT = Snapshot(
    organization=ORGANIZATION,
    resources={
        ORGANIZATION: Resource(name=ORGANIZATION),
        FOLDER: Resource(name=FOLDER, parent=ORGANIZATION),
        PROJECT: Resource(name=PROJECT, parent=FOLDER, number="42"),
        "projects/acme-lab": Resource(name="projects/acme-lab", parent=ORGANIZATION),
    },
    policies={
        (FOLDER, RESOURCE_LOCATIONS): locations(FOLDER, allow("in:eu-locations")),
        (ORGANIZATION, ENFORCE_IN_TRANSIT): in_transit(ORGANIZATION, {"enforce": True}),
    },
)

EU = exactly("europe-west1", "europe-west4")


def test_projects_are_listed_by_id() -> None:
    assert SNAPSHOT.projects == ("acme-lab", "acme-orders")


def test_a_project_is_named_by_id_or_number() -> None:
    assert [SNAPSHOT.project_id(name) for name in ("acme-orders", "42", "43")] == ["acme-orders", "acme-orders", "43"]


def test_policies_of_all_ancestors_count() -> None:
    policy = SNAPSHOT.effective_policy("acme-orders", CATALOGUE)

    assert policy is not None
    assert (policy.allowed, policy.in_transit, policy.source) == (EU, True, "snapshot")


def test_a_project_outside_the_snapshot_has_no_policy_rather_than_an_open_one() -> None:
    assert SNAPSHOT.effective_policy("acme-old", CATALOGUE) is None


def test_the_snapshots_value_groups_correct_the_catalogue() -> None:
    corrected = replace(SNAPSHOT, value_groups={"in:eu-locations": RegionSet.of("europe-west1")})

    policy = corrected.effective_policy("acme-orders", CATALOGUE)

    assert policy is not None
    assert policy.allowed == exactly("europe-west1")


def test_the_apis_answer_is_used_and_keeps_the_steps_that_say_where_values_are_set() -> None:
    answer = locations("projects/42", allow("europe-west1", "europe-west4", "europe-west1-b", "eu"))
    snapshot = replace(SNAPSHOT, effective={("acme-orders", RESOURCE_LOCATIONS): answer})

    policy = snapshot.effective_policy("acme-orders", CATALOGUE)

    assert policy is not None
    assert (policy.allowed, policy.in_transit, policy.doubts) == (EU, True, ())
    assert policy.source == "the API's answer in the snapshot"
    assert policy.disagreement is None
    assert [step.node for step in policy.steps] == [FOLDER]


def test_an_answer_that_differs_is_used_and_reported() -> None:
    answer = locations("projects/42", allow("europe-west1", "us-east1"))
    flag = in_transit("projects/42", {"enforce": False})
    effective = {("acme-orders", RESOURCE_LOCATIONS): answer, ("acme-orders", ENFORCE_IN_TRANSIT): flag}

    policy = replace(SNAPSHOT, effective=effective).effective_policy("acme-orders", CATALOGUE)

    assert policy is not None
    assert (policy.allowed, policy.in_transit) == (exactly("europe-west1", "us-east1"), False)
    assert policy.disagreement == (
        "the API's answer differs from the policies in the snapshot: it allows us-east1, it does not allow "
        "europe-west4 and it does not require enforcement in transit"
    )


def test_an_answer_that_lists_what_a_denial_leaves_is_no_disagreement() -> None:
    denied = {(FOLDER, RESOURCE_LOCATIONS): locations(FOLDER, deny("us-east1"))}
    listed = CATALOGUE.regions - RegionSet.of("us-east1")
    answer = {("acme-orders", RESOURCE_LOCATIONS): locations("projects/42", allow(*listed))}

    policy = replace(SNAPSHOT, policies=denied, effective=answer).effective_policy("acme-orders", CATALOGUE)

    assert policy is not None
    assert policy.disagreement is None
    assert [step.words for step in policy.steps] == ["deny us-east1"]


def test_an_answer_without_policies_to_explain_it_says_what_it_comes_to() -> None:
    answer = {("acme-orders", RESOURCE_LOCATIONS): locations("projects/42", allow("us-east1"))}

    policy = replace(SNAPSHOT, policies={}, effective=answer).effective_policy("acme-orders", CATALOGUE)

    assert policy is not None
    assert policy.disagreement == (
        "the API's answer differs from the policies in the snapshot: it allows only us-east1"
    )


def test_an_answer_settles_what_was_undecided_without_a_disagreement() -> None:
    undecided = {(FOLDER, RESOURCE_LOCATIONS): locations(FOLDER, allow("in:foo-locations"))}
    answer = {("acme-orders", RESOURCE_LOCATIONS): locations("projects/42", allow("us-east1"))}

    policy = replace(SNAPSHOT, policies=undecided, effective=answer).effective_policy("acme-orders", CATALOGUE)

    assert policy is not None
    assert (policy.allowed, policy.disagreement) == (exactly("us-east1"), None)


@pytest.mark.parametrize(
    "changed",
    [
        replace(
            SNAPSHOT,
            resources={**SNAPSHOT.resources, PROJECT: Resource(name=PROJECT, parent=ORGANIZATION, number="42")},
        ),
        replace(
            SNAPSHOT,
            resources={**SNAPSHOT.resources, PROJECT: Resource(name=PROJECT, parent=FOLDER, tags={"1/a": "b"})},
        ),
        replace(SNAPSHOT, policies={}),
        replace(
            SNAPSHOT,
            policies={**SNAPSHOT.policies, (FOLDER, RESOURCE_LOCATIONS): locations(FOLDER, allow("us-east1"))},
        ),
        replace(SNAPSHOT, effective={("acme-orders", RESOURCE_LOCATIONS): locations(PROJECT, allow("us-east1"))}),
        replace(SNAPSHOT, value_groups={"in:eu-locations": RegionSet.of("europe-west1")}),
        replace(SNAPSHOT, tag_keys={"1/a": TagKey(id="tagKeys/7")}),
    ],
    ids=["another parent", "tags", "fewer policies", "another policy", "an answer", "value groups", "ids of tags"],
)
def test_whatever_can_change_an_answer_changes_the_fingerprint(changed: Snapshot) -> None:
    assert changed.fingerprint != SNAPSHOT.fingerprint


def test_order_names_time_and_dry_runs_do_not_change_the_fingerprint() -> None:
    turned = replace(
        SNAPSHOT,
        captured_at="2026-11-30T02:00:00Z",
        resources={
            name: replace(resource, display_name="shown")
            for name, resource in reversed(list(SNAPSHOT.resources.items()))
        },
        policies={
            key: replace(policy, dry_run=replace(policy, rules=(), reset=True))
            for key, policy in reversed(list(SNAPSHOT.policies.items()))
        },
    )

    assert turned.fingerprint == SNAPSHOT.fingerprint


def test_a_group_of_the_snapshot_adds_its_regions_to_the_known_ones() -> None:
    catalogue = CATALOGUE.with_groups({"in:benelux-locations": RegionSet.of("europe-west99")})

    assert "europe-west99" in catalogue.regions
    assert catalogue.expand("in:benelux-locations") == exactly("europe-west99")


@pytest.mark.parametrize(
    ("region", "similar"),
    [
        ("us-est1", ("us-east1",)),
        ("eurpe-west1", ("europe-west1",)),
        ("europe-wset1", ("europe-west1",)),
        ("europe-west11", ("europe-west1",)),
        ("europe-west7", ()),
        ("us-east1", ()),
        ("mars-north1", ()),
        ("europewest1", ("europe-west1",)),
    ],
)
def test_similar_names_are_those_one_slip_away(region: str, similar: tuple[str, ...]) -> None:
    known = Catalogue(as_of="2026-10-27", regions=RegionSet.of("us-east1", "europe-west1", "europe-west4"))

    assert known.similar_names(region) == similar
