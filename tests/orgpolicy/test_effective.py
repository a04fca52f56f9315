"""What an effective policy says about itself, and the API's own answers."""

from __future__ import annotations

import pytest

from reconciler.model import ALL_REGIONS, NO_REGIONS, RegionSet
from reconciler.orgpolicy import (
    EVERYTHING,
    NOTHING,
    UNKNOWN,
    EffectivePolicy,
    RegionBounds,
    from_answer,
)
from reconciler.spec import load_catalogue
from tests.orgpolicy.policies import (
    CATALOGUE,
    FOLDER,
    ORGANIZATION,
    PROJECT,
    allow,
    deny,
    effective,
    exactly,
    in_transit,
    locations,
)

EU_ANSWER_REGIONS = (
    "europe-central2",
    "europe-north1",
    "europe-north2",
    "europe-southwest1",
    "europe-west1",
    "europe-west10",
    "europe-west12",
    "europe-west3",
    "europe-west4",
    "europe-west8",
    "europe-west9",
)


def eu_answer() -> list[str]:
    """The shape of a recorded answer for `in:eu-locations`: 11 regions, 33 zones, 14 group names and 8 others."""
    zones = [f"{region}-{zone}" for region in EU_ANSWER_REGIONS for zone in "abc"]
    groups = [f"{name}-locations" for name in ("eu", "de", "it", *EU_ANSWER_REGIONS)]
    return [*EU_ANSWER_REGIONS, *zones, *groups, "EU", "eu", "de", "it", "eur3", "eur4", "eur8", "europe-west"]


def test_the_recorded_expansion_equals_the_group_it_came_from() -> None:
    catalogue = load_catalogue()
    values = eu_answer()
    answer = from_answer("acme-orders", locations(PROJECT, allow(*values)), in_transit(PROJECT), catalogue)
    group = effective(locations(ORGANIZATION, allow("in:eu-locations")), catalogue=catalogue)

    assert len(values) == 66
    assert answer.allowed == group.allowed == exactly(*EU_ANSWER_REGIONS)
    assert answer.fingerprint == group.fingerprint
    assert answer.doubts == ()


def test_london_is_in_europe_but_not_in_the_eu() -> None:
    catalogue = load_catalogue()

    eu = effective(locations(PROJECT, allow("in:eu-locations")), catalogue=catalogue)
    europe = effective(locations(PROJECT, allow("in:europe-locations")), catalogue=catalogue)

    assert "europe-west2" not in eu.allowed.possible
    assert "europe-west2" in europe.allowed.certain


def test_an_answer_ignores_zones_and_multi_regions() -> None:
    values = ["europe-west1-b", "eur3", "europe-west10", "europe-west10-c", "something:new"]

    answer = from_answer("acme-orders", locations(PROJECT, allow(*values)), in_transit(PROJECT), CATALOGUE)

    assert answer == EffectivePolicy(
        project="acme-orders", allowed=exactly("europe-west10"), in_transit=False, steps=answer.steps, source="live"
    )


def test_an_answer_that_still_names_a_group_is_expanded() -> None:
    answer = from_answer("acme-orders", locations(PROJECT, allow("in:eu-locations")), None, CATALOGUE)

    assert answer.allowed == exactly("europe-west1", "europe-west4")
    assert answer.in_transit is None
    assert answer.doubts == ("whether in-transit enforcement is required was not asked",)


def test_an_answer_without_rules_is_the_default() -> None:
    answer = from_answer("acme-orders", locations(PROJECT), in_transit(PROJECT, {"enforce": True}), CATALOGUE)

    assert (answer.allowed, answer.in_transit) == (EVERYTHING, True)


def test_a_project_without_any_policy_is_unrestricted() -> None:
    policy = EffectivePolicy.unrestricted("acme-orders", source="live")

    assert policy == EffectivePolicy(project="acme-orders", allowed=EVERYTHING, source="live")
    assert not policy.admits_nothing


def test_a_denial_decides_before_an_allow() -> None:
    policy = effective(
        locations(PROJECT, deny("europe-west1"), inheritFromParent=True), locations(FOLDER, allow("in:eu-locations"))
    )

    assert str(policy.step_for("europe-west1")) == (
        "gcp.resourceLocations at projects/acme-orders, rule 1: deny europe-west1"
    )
    assert str(policy.step_for("europe-west4")) == "gcp.resourceLocations at folders/4, rule 1: in:eu-locations"
    assert policy.step_for("us-east1") is None


def test_a_certain_step_decides_before_a_possible_one() -> None:
    policy = effective(locations(PROJECT, allow("in:foo-locations", "us-east1")))

    step = policy.step_for("us-east1")

    assert step is not None
    assert step.value == "us-east1"


@pytest.mark.parametrize(
    ("policy", "against", "reason"),
    [
        (
            effective(locations(FOLDER, allow("in:eu-locations"))),
            RegionSet.of("us-east1"),
            "gcp.resourceLocations at folders/4, rule 1: in:eu-locations",
        ),
        (
            effective(locations(FOLDER, allow("in:eu-locations"), deny("europe-west1"))),
            RegionSet.of("europe-west1", "us-east1"),
            "gcp.resourceLocations at folders/4, rule 2: deny europe-west1",
        ),
        (
            effective(locations(FOLDER, allow("a", "b", "c", "d", "e"))),
            RegionSet.of("us-east1"),
            "gcp.resourceLocations at folders/4, rule 1: a, b, c and 2 more",
        ),
        (
            effective(locations(FOLDER, allow("in:eu-locations"))),
            ALL_REGIONS,
            "gcp.resourceLocations at folders/4, rule 1: in:eu-locations",
        ),
        (
            EffectivePolicy(project="p", allowed=NOTHING, source="live"),
            RegionSet.of("us-east1"),
            "gcp.resourceLocations, live",
        ),
    ],
    ids=["what is allowed instead", "the denial", "long list", "no single region", "no steps"],
)
def test_the_reason_names_constraint_node_rule_and_values(
    policy: EffectivePolicy, against: RegionSet, reason: str
) -> None:
    assert policy.reason_against(against) == reason


def test_a_step_for_a_whole_policy_has_no_rule_number() -> None:
    policy = effective(locations(FOLDER, {"denyAll": True}))

    assert str(policy.steps[0]).startswith("gcp.resourceLocations at folders/4, rule 1: denyAll")


@pytest.mark.parametrize(
    ("left", "right", "both"),
    [(True, False, True), (None, True, True), (None, False, None), (False, False, False)],
)
def test_two_policies_agree_on_what_both_allow_and_either_requires(
    *, left: bool | None, right: bool | None, both: bool | None
) -> None:
    one = EffectivePolicy(project="p", allowed=exactly("europe-west1", "us-east1"), in_transit=left)
    other = EffectivePolicy(project="p", allowed=UNKNOWN, in_transit=right)

    agreed = one.agreed_with(other)

    assert agreed.allowed == RegionBounds(NO_REGIONS, RegionSet.of("europe-west1", "us-east1"))
    assert agreed.in_transit is both


def test_the_sides_of_bounds_cannot_be_swapped() -> None:
    with pytest.raises(ValueError, match="certain regions all are not within the possible ones none"):
        RegionBounds(ALL_REGIONS, NO_REGIONS)


def test_the_fingerprint_is_blind_to_what_led_to_the_result() -> None:
    by_group = effective(locations(FOLDER, allow("in:eu-locations")))
    by_name = effective(locations(PROJECT, allow("europe-west4", "europe-west1")))
    other = effective(locations(PROJECT, allow("europe-west4")))

    assert by_group.fingerprint == by_name.fingerprint != other.fingerprint
