"""Google's documented hierarchy rules, and the field cases on effective policies."""

from __future__ import annotations

import pytest

from reconciler.model import RegionSet
from reconciler.orgpolicy import EVERYTHING, NO_TAGS, NOTHING, UNKNOWN, Policy, RegionBounds, Step, Tags, parse_policy
from reconciler.orgpolicy.effective import Effect
from tests.orgpolicy.policies import (
    EU,
    FOLDER,
    ORGANIZATION,
    PROJECT,
    US,
    allow,
    deny,
    effective,
    exactly,
    in_transit,
    locations,
)

E1, E2, E3, E4 = "europe-west1", "europe-west4", "us-east1", "us-central1"


@pytest.mark.parametrize(
    ("organization", "project", "expected"),
    [
        (locations(ORGANIZATION, allow(E1, E2)), locations(PROJECT, allow(E3, E4)), exactly(E3, E4)),
        (
            locations(ORGANIZATION, allow(E1, E2)),
            locations(PROJECT, allow(E3, E4), inheritFromParent=True),
            exactly(E1, E2, E3, E4),
        ),
        (locations(ORGANIZATION, allow(E1, E2)), locations(PROJECT, deny(E1), inheritFromParent=True), exactly(E2)),
        (locations(ORGANIZATION, allow(E1, E2)), locations(PROJECT, reset=True), EVERYTHING),
        (None, None, EVERYTHING),
        (locations(ORGANIZATION, allow(E1, E2)), locations(PROJECT, {"allowAll": True}), EVERYTHING),
        (locations(ORGANIZATION, allow(E1, E2)), locations(PROJECT, {"denyAll": True}), NOTHING),
    ],
    ids=["replaces", "merges", "denies", "resets", "nothing set", "allows all", "denies all"],
)
def test_documented_hierarchy_examples(
    organization: Policy | None, project: Policy | None, expected: RegionBounds
) -> None:
    assert effective(*(policy for policy in (project, organization) if policy)).allowed == expected


def test_without_a_policy_on_the_project_the_nearest_ancestor_decides() -> None:
    policy = effective(locations(FOLDER, allow(E3)), locations(ORGANIZATION, allow(E1)))

    assert policy.allowed == exactly(E3)


def test_a_project_exception_widens_what_the_organization_allows() -> None:
    organization = locations(ORGANIZATION, allow("in:europe-west1-locations"))

    alone = effective(locations(PROJECT, allow("in:us-central1-locations")), organization)
    merged = effective(locations(PROJECT, allow("in:us-central1-locations"), inheritFromParent=True), organization)

    assert alone.allowed == exactly("us-central1")
    assert merged.allowed == exactly("us-central1", "europe-west1")


def test_a_policy_that_only_denies_leaves_everything_else() -> None:
    policy = effective(locations(PROJECT, deny(E1)))

    assert policy.allowed == RegionBounds.exactly(~RegionSet.of(E1))


def test_deny_wins_over_an_allow_further_down() -> None:
    policy = effective(
        locations(PROJECT, allow(E1), inheritFromParent=True),
        locations(ORGANIZATION, allow(E2), deny("in:eu-locations")),
    )

    assert policy.allowed == NOTHING


def test_denying_a_multi_region_denies_no_region() -> None:
    assert effective(locations(PROJECT, allow("in:eu-locations"), deny("eu"))).allowed == RegionBounds.exactly(EU)


def test_a_reset_further_up_cuts_off_what_lies_above_it() -> None:
    policy = effective(
        locations(PROJECT, deny(E1), inheritFromParent=True),
        locations(FOLDER, reset=True),
        locations(ORGANIZATION, allow(E1, E2)),
    )

    assert policy.allowed == RegionBounds.exactly(~RegionSet.of(E1))


def test_a_dry_run_policy_counts_as_not_set() -> None:
    dry_run = {"name": f"{PROJECT}/policies/gcp.resourceLocations", "dryRunSpec": {"rules": [allow(E3)]}}

    assert effective(parse_policy(dry_run), locations(ORGANIZATION, allow(E1))).allowed == exactly(E1)


def test_a_dry_run_spec_beside_a_spec_is_not_enforced() -> None:
    body = {
        "name": f"{PROJECT}/policies/gcp.resourceLocations",
        "spec": {"rules": [allow(E1, E2)]},
        "dryRunSpec": {"rules": [allow(E1)]},
    }

    assert effective(parse_policy(body)).allowed == exactly(E1, E2)


@pytest.mark.parametrize("value", ["us-east1", "is:us-east1", "in:us-east1-locations", "us-east1-locations"])
def test_every_spelling_of_a_region_admits_that_region(value: str) -> None:
    assert effective(locations(PROJECT, allow(value))).allowed == exactly("us-east1")


@pytest.mark.parametrize("value", ["us-east1-b", "us", "eu", "global", "eur3", "europe-west"])
def test_zones_and_multi_regions_admit_nothing(value: str) -> None:
    policy = effective(locations(PROJECT, allow(value)))

    assert policy.allowed == NOTHING
    assert policy.admits_nothing
    assert policy.doubts == ()


def test_overlapping_values_are_a_union() -> None:
    policy = effective(locations(PROJECT, allow("global", "in:eu-locations", "in:europe-west1-locations")))

    assert policy.allowed == RegionBounds.exactly(EU)


def test_an_unknown_group_is_undecided_and_named() -> None:
    policy = effective(locations(PROJECT, allow("in:foo-locations")))

    assert policy.allowed == UNKNOWN
    assert policy.doubts == ("unknown value `in:foo-locations` in rule 1 at projects/acme-orders",)


def test_a_value_of_unknown_shape_is_undecided() -> None:
    assert effective(locations(PROJECT, allow("under:organizations/1"))).allowed == UNKNOWN


def test_an_unknown_group_beside_known_regions_leaves_them_certain() -> None:
    policy = effective(locations(PROJECT, allow(E1, "in:foo-locations")))

    assert policy.allowed.certain == RegionSet.of(E1)
    assert policy.allowed.possible.is_all


def test_denying_an_unknown_group_leaves_nothing_certain() -> None:
    policy = effective(locations(PROJECT, allow(E1), deny("in:foo-locations")))

    assert policy.allowed == RegionBounds(RegionSet(), RegionSet.of(E1))


def test_an_uncertain_member_is_undecided_and_its_group_named_once() -> None:
    policy = effective(locations(PROJECT, allow("in:us-locations", "in:us-locations")))

    assert policy.allowed == RegionBounds(US, US | RegionSet.of("us-east7"))
    assert policy.doubts == ("the members of `in:us-locations` in rule 1 at projects/acme-orders are not all certain",)


def test_a_doubt_that_changes_nothing_is_not_raised() -> None:
    policy = effective(locations(PROJECT, allow("in:us-locations", "us-east7")))

    assert policy.allowed == RegionBounds.exactly(US | RegionSet.of("us-east7"))
    assert policy.doubts == ()


HANGS_ON_TAGS = "the condition of rule 2 at projects/acme-orders hangs on the tags of the project, which are not known"
CONDITION = {"expression": "resource.matchTag('1/region', 'eu')"}


def test_a_conditional_allow_is_only_possible() -> None:
    policy = effective(locations(PROJECT, allow(E1), allow(E2, condition=CONDITION)))

    assert policy.allowed == RegionBounds(RegionSet.of(E1), RegionSet.of(E1, E2))
    assert policy.doubts == (HANGS_ON_TAGS,)


def test_with_conditional_allows_alone_everything_is_possible() -> None:
    assert effective(locations(PROJECT, allow(E2, condition=CONDITION))).allowed == UNKNOWN


def test_a_conditional_allow_of_no_region_is_named_where_the_default_hangs_on_it() -> None:
    policy = effective(locations(PROJECT, allow("eu", condition=CONDITION)))

    assert policy.allowed == UNKNOWN
    assert policy.doubts == (HANGS_ON_TAGS.replace("rule 2", "rule 1"),)


def test_a_conditional_deny_takes_the_certainty_only() -> None:
    policy = effective(locations(PROJECT, allow(E1, E2), deny(E2, condition=CONDITION)))

    assert policy.allowed == RegionBounds(RegionSet.of(E1), RegionSet.of(E1, E2))


EU_BY_TAG = (
    allow("in:eu-locations", condition=CONDITION),
    allow("us-central1", condition={"expression": "!resource.matchTag('1/region', 'eu')"}),
)


@pytest.mark.parametrize(
    ("tags", "allowed"),
    [
        (Tags(values={"1/region": "eu"}), RegionBounds.exactly(EU)),
        (Tags(values={"1/region": "us"}), exactly(E4)),
        (NO_TAGS, exactly(E4)),
        (Tags(unknown_at=FOLDER), UNKNOWN),
    ],
    ids=["tag eu", "another tag", "no tag", "tags unknown"],
)
def test_the_rules_whose_condition_holds_apply(tags: Tags, allowed: RegionBounds) -> None:
    assert effective(locations(PROJECT, *EU_BY_TAG), tags=tags).allowed == allowed


def test_unknown_tags_and_other_expressions_are_never_taken_for_an_allowance() -> None:
    other = {"expression": "resource.name == 'x'"}
    policy = effective(
        locations(PROJECT, allow(E1), allow(E2, condition=CONDITION), allow(E3, condition=other)),
        tags=Tags(unknown_at=FOLDER),
    )

    assert policy.allowed == RegionBounds(RegionSet.of(E1), RegionSet.of(E1, E2, E3))
    assert policy.doubts == (
        "the condition of rule 2 at projects/acme-orders hangs on the tags of folders/4, which are not known",
        "the condition of rule 3 at projects/acme-orders says something else than Google's four functions on tags",
    )


def test_a_condition_on_the_id_of_a_tag_needs_the_ids() -> None:
    by_id = {"expression": "resource.hasTagKeyId('tagKeys/7')"}
    policy = effective(locations(PROJECT, allow(E1), allow(E2, condition=by_id)), tags=Tags(values={"1/region": "eu"}))

    assert policy.doubts == (
        "the condition of rule 2 at projects/acme-orders hangs on ids of tags, which are not known",
    )


def test_a_policy_none_of_whose_rules_applies_is_undecided_because_nothing_says_what_it_means() -> None:
    policy = effective(locations(PROJECT, allow(E1, condition=CONDITION)), tags=NO_TAGS)

    assert policy.allowed == UNKNOWN
    assert policy.doubts == (
        "no rule of the policy at projects/acme-orders applies here, and what that means is not documented",
    )


def test_an_inheriting_policy_none_of_whose_rules_applies_changes_nothing() -> None:
    chain = (
        locations(PROJECT, allow(E3, condition=CONDITION), inheritFromParent=True),
        locations(ORGANIZATION, allow(E1)),
    )

    assert effective(*chain, tags=NO_TAGS).allowed == exactly(E1)


NO_DEFAULT = "the policy at projects/acme-orders for in-transit enforcement does not have one rule without a condition"
FLAG_BY_TAG = in_transit(PROJECT, {"enforce": True}, {"enforce": False, "condition": CONDITION})


@pytest.mark.parametrize(
    ("policy", "tags", "required", "doubts"),
    [
        (FLAG_BY_TAG, Tags(values={"1/region": "eu"}), False, ()),
        (FLAG_BY_TAG, NO_TAGS, True, ()),
        (
            in_transit(PROJECT, {"enforce": False, "condition": CONDITION}),
            NO_TAGS,
            None,
            (NO_DEFAULT,),
        ),
        (
            in_transit(PROJECT, {"enforce": True}, {"enforce": False}),
            NO_TAGS,
            None,
            (NO_DEFAULT,),
        ),
        (in_transit(PROJECT, {"enforce": True}, {"enforce": True, "condition": CONDITION}), NO_TAGS, True, ()),
    ],
    ids=["holds", "does not hold", "only a conditional rule", "two unconditional rules", "an exception that is none"],
)
def test_a_condition_that_holds_goes_before_the_rule_without_one(
    policy: Policy, tags: Tags, required: bool | None, doubts: tuple[str, ...]
) -> None:
    answer = effective(flags=[policy], tags=tags)

    assert (answer.in_transit, answer.doubts) == (required, doubts)


def test_a_policy_without_rules_is_undecided_because_nothing_says_what_it_means() -> None:
    policy = effective(locations(PROJECT))

    assert policy.allowed == UNKNOWN
    assert policy.doubts == ("the policy at projects/acme-orders has no rules, and what that means is not documented",)


def test_a_policy_that_only_inherits_changes_nothing() -> None:
    policy = effective(locations(PROJECT, inheritFromParent=True), locations(ORGANIZATION, allow(E1)))

    assert policy.allowed == exactly(E1)


@pytest.mark.parametrize(
    ("policies", "required", "doubts"),
    [
        ([], False, ()),
        ([in_transit(PROJECT, {"enforce": True})], True, ()),
        ([in_transit(PROJECT, {"enforce": False}), in_transit(ORGANIZATION, {"enforce": True})], False, ()),
        ([in_transit(PROJECT, reset=True), in_transit(ORGANIZATION, {"enforce": True})], False, ()),
        (
            [in_transit(PROJECT, {"enforce": True}, {"enforce": False, "condition": CONDITION})],
            None,
            (f"in-transit enforcement: {HANGS_ON_TAGS}",),
        ),
        (
            [in_transit(PROJECT, allow(E1))],
            None,
            ("the policy at projects/acme-orders for in-transit enforcement has a rule without `enforce`",),
        ),
    ],
    ids=["not set", "enforced", "nearest wins", "reset", "conditional", "wrong kind of rule"],
)
def test_in_transit_enforcement(policies: list[Policy], doubts: tuple[str, ...], *, required: bool | None) -> None:
    policy = effective(flags=policies)

    assert (policy.in_transit, policy.doubts) == (required, doubts)


def test_steps_name_node_rule_and_value_nearest_first() -> None:
    policy = effective(
        locations(PROJECT, {"denyAll": True}, inheritFromParent=True), locations(FOLDER, allow(E1), {"allowAll": True})
    )

    assert policy.steps == (
        Step(node=PROJECT, rule=1, value="denyAll", effect=Effect.DENY, regions=EVERYTHING),
        Step(node=FOLDER, rule=1, value=E1, effect=Effect.ALLOW, regions=exactly(E1)),
        Step(node=FOLDER, rule=2, value="allowAll", effect=Effect.ALLOW, regions=EVERYTHING),
    )
