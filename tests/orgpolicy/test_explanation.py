"""Why a region is allowed or not: the part of every policy, and the value that decides."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from reconciler.model import RegionSet
from reconciler.orgpolicy import (
    ENFORCE_IN_TRANSIT,
    RESOURCE_LOCATIONS,
    Explanation,
    Policy,
    RegionStory,
    Resource,
    Role,
    Snapshot,
    explain_policy,
    parse_policy,
)
from tests.orgpolicy.policies import CATALOGUE, FOLDER, ORGANIZATION, PROJECT, allow, deny, in_transit, locations

CONDITION = {"expression": "resource.hasTagKey('1/a')"}


def explained(
    *policies: Policy,
    regions: RegionSet | None = None,
    tags: Mapping[str, str] | None = None,
    answer: Policy | None = None,
) -> Explanation:
    snapshot = Snapshot(
        organization=ORGANIZATION,
        resources={
            ORGANIZATION: Resource(name=ORGANIZATION, tags={}),
            FOLDER: Resource(name=FOLDER, parent=ORGANIZATION, tags={}),
            PROJECT: Resource(name=PROJECT, parent=FOLDER, tags=tags),
        },
        policies={(policy.resource, policy.constraint): policy for policy in policies},
        effective={} if answer is None else {("acme-orders", RESOURCE_LOCATIONS): answer},
    )
    explanation = explain_policy(snapshot, "acme-orders", CATALOGUE, regions=regions)
    assert explanation is not None
    return explanation


def story(region: str, because: str, *, allowed: bool | None) -> RegionStory:
    return RegionStory(region=region, allowed=allowed, because=because)


def test_a_project_that_is_not_there_has_no_explanation() -> None:
    assert explain_policy(Snapshot(organization=ORGANIZATION), "acme-old", CATALOGUE) is None


def test_each_region_is_told_with_the_value_that_decides_allowed_ones_first() -> None:
    explanation = explained(
        locations(ORGANIZATION, allow("us-central1")),
        locations(FOLDER, allow("in:eu-locations"), deny("europe-west4"), allow("in:us-locations")),
    )

    assert explanation.regions == (
        story("europe-west1", "folders/4 rule 1: in:eu-locations", allowed=True),
        story("us-central1", "folders/4 rule 3: in:us-locations", allowed=True),
        story("us-east1", "folders/4 rule 3: in:us-locations", allowed=True),
        story("us-east7", "the members of `in:us-locations` in rule 3 at folders/4 are not all certain", allowed=None),
        story("europe-west4", "folders/4 rule 2: europe-west4 denies it", allowed=False),
    )


def test_a_region_that_only_a_replaced_policy_admits_is_told_so() -> None:
    explanation = explained(locations(ORGANIZATION, allow("us-central1")), locations(FOLDER, allow("europe-west1")))

    assert explanation.regions[-1] == story(
        "us-central1",
        "organizations/1 rule 1: us-central1 would admit it, but folders/4 replaces that policy",
        allowed=False,
    )


def test_the_policy_that_would_admit_a_region_may_lie_behind_another_replaced_one() -> None:
    explanation = explained(
        locations(ORGANIZATION, deny("us-east1"), allow("us-central1")),
        locations(FOLDER, allow("europe-west4")),
        locations(PROJECT, allow("europe-west1")),
        regions=RegionSet.of("us-central1"),
    )

    assert [one.because for one in explanation.regions] == [
        "organizations/1 rule 2: us-central1 would admit it, but projects/acme-orders replaces that policy"
    ]


def test_regions_that_are_asked_about_are_told_whether_a_policy_names_them_or_not() -> None:
    explanation = explained(locations(FOLDER, allow("europe-west1")), regions=RegionSet.of("us-west1"))

    assert explanation.regions == (story("us-west1", "no value in force admits it", allowed=False),)


@pytest.mark.parametrize(
    ("policies", "because"),
    [
        ((), "no policy is set: the constraint's default"),
        ((locations(FOLDER, deny("us-east1")),), "no rule allows anything else"),
        (
            (locations(FOLDER, reset=True), locations(ORGANIZATION, allow("us-east1"))),
            "the constraint's default, which a reset returns to",
        ),
        ((locations(FOLDER, {"allowAll": True}),), "folders/4 rule 1: allowAll"),
    ],
    ids=["none", "deny alone", "reset", "allow all"],
)
def test_what_is_allowed_by_no_named_value_is_told_why(policies: tuple[Policy, ...], because: str) -> None:
    explanation = explained(*policies, regions=RegionSet.of("europe-west1"))

    assert explanation.regions == (story("europe-west1", because, allowed=True),)


def roles(explanation: Explanation) -> list[tuple[str, Role, str | None]]:
    return [(part.policy.resource, part.role, part.replaced_by) for part in explanation.locations]


@pytest.mark.parametrize(
    ("policies", "expected"),
    [
        (
            (locations(ORGANIZATION, allow("us")), locations(PROJECT, allow("eu"), inheritFromParent=True)),
            [(ORGANIZATION, Role.IN_FORCE, None), (PROJECT, Role.MERGED, None)],
        ),
        (
            (locations(ORGANIZATION, allow("us")), locations(FOLDER, reset=True), locations(PROJECT, allow("eu"))),
            [(ORGANIZATION, Role.REPLACED, PROJECT), (FOLDER, Role.REPLACED, PROJECT), (PROJECT, Role.IN_FORCE, None)],
        ),
        (
            (
                locations(ORGANIZATION, allow("us")),
                locations(FOLDER, reset=True),
                parse_policy({"name": f"{PROJECT}/policies/{RESOURCE_LOCATIONS}", "dryRunSpec": {}}),
            ),
            [(ORGANIZATION, Role.REPLACED, FOLDER), (FOLDER, Role.RESET, None), (PROJECT, Role.DRY_RUN, None)],
        ),
    ],
    ids=["merged", "replaced", "reset and dry run"],
)
def test_every_policy_on_the_way_down_plays_its_part(
    policies: tuple[Policy, ...], expected: list[tuple[str, Role, str | None]]
) -> None:
    assert roles(explained(*policies)) == expected


def test_a_boolean_constraint_is_never_merged() -> None:
    explanation = explained(
        in_transit(ORGANIZATION, {"enforce": True}), in_transit(PROJECT, {"enforce": False}, inheritFromParent=True)
    )

    assert [(part.policy.resource, part.role) for part in explanation.in_transit] == [
        (ORGANIZATION, Role.REPLACED),
        (PROJECT, Role.IN_FORCE),
    ]
    assert explanation.effective.in_transit is False


def test_each_rule_is_told_with_whether_it_applies() -> None:
    policy = locations(FOLDER, allow("europe-west1"), allow("us-east1", condition=CONDITION))

    verdicts = [
        [applying for _, applying in explained(policy, tags=tags).locations[0].rules]
        for tags in ({"1/a": "b"}, {}, None)
    ]

    assert verdicts == [
        [True, True],
        [True, False],
        [True, "hangs on the tags of projects/acme-orders, which are not known"],
    ]


def test_the_answer_of_the_api_stands_beside_what_hedgerow_makes_of_the_policies() -> None:
    answer = locations(PROJECT, allow("us-east1"))
    explanation = explained(locations(FOLDER, allow("europe-west1")), answer=answer)

    assert explanation.answer == answer
    assert explanation.own.allowed.certain == RegionSet.of("europe-west1")
    assert explanation.effective.allowed.certain == RegionSet.of("us-east1")


def test_dry_runs_are_left_out_until_they_are_asked_for() -> None:
    body = {
        "name": f"{FOLDER}/policies/{RESOURCE_LOCATIONS}",
        "spec": {"rules": [allow("europe-west1")]},
        "dryRunSpec": {"rules": [allow("us-east1")]},
    }
    snapshot = Snapshot(
        organization=ORGANIZATION,
        resources={FOLDER: Resource(name=FOLDER), PROJECT: Resource(name=PROJECT, parent=FOLDER)},
        policies={(FOLDER, RESOURCE_LOCATIONS): parse_policy(body)},
        effective={
            ("acme-orders", RESOURCE_LOCATIONS): locations(PROJECT, allow("europe-west1")),
            ("acme-orders", ENFORCE_IN_TRANSIT): in_transit(PROJECT, {"enforce": True}),
        },
    )

    today = snapshot.effective_policy("acme-orders", CATALOGUE)
    then = snapshot.with_dry_runs().effective_policy("acme-orders", CATALOGUE)

    assert today is not None
    assert then is not None
    assert (today.allowed.certain, then.allowed.certain) == (RegionSet.of("europe-west1"), RegionSet.of("us-east1"))


def test_a_tried_policy_makes_the_answers_below_it_stale_and_no_others() -> None:
    answer, flag = locations(PROJECT, allow("europe-west1")), in_transit(PROJECT, {"enforce": True})
    snapshot = Snapshot(
        organization=ORGANIZATION,
        resources={
            FOLDER: Resource(name=FOLDER),
            PROJECT: Resource(name=PROJECT, parent=FOLDER),
            "projects/acme-lab": Resource(name="projects/acme-lab"),
        },
        effective={
            ("acme-orders", RESOURCE_LOCATIONS): answer,
            ("acme-orders", ENFORCE_IN_TRANSIT): flag,
            ("acme-lab", RESOURCE_LOCATIONS): answer,
        },
    )

    tried = snapshot.with_policies([locations(FOLDER, allow("us-east1"))])

    assert tried.effective == {("acme-orders", ENFORCE_IN_TRANSIT): flag, ("acme-lab", RESOURCE_LOCATIONS): answer}
