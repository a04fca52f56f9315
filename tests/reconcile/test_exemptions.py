"""Topics that an exemption keeps as they are."""

from __future__ import annotations

from datetime import date

import pytest

from reconciler.model import (
    DISALLOWED_REGIONS,
    IN_TRANSIT_REQUIRED,
    DeclaredPolicy,
    Exemption,
    Exemptions,
    Explicit,
    Fleet,
    Inherit,
    RegionSet,
    Resolution,
    Resolutions,
    Stack,
    StoragePolicy,
    Unmanaged,
)
from reconciler.reconcile import Kind, Plan, ProjectPolicy, make_plan, plan_document
from tests.reconcile.worlds import CATALOGUE, NAME, ORIGIN, allowing, live, spec, stored

TODAY = date(2026, 11, 30)
BOTH = ("europe-west1", "europe-west4")
AMERICAN = stored((*BOTH, "us-east1"))
STACK = Stack(
    name="production",
    folder="stacks/production",
    organization="organizations/1",
    policy_source="live",
    projects=(NAME.project,),
    origin=ORIGIN,
)


def exempt(rule: str, expires: date = date(2027, 3, 31)) -> Exemption:
    return Exemption(
        topics=(NAME,), rule=rule, reason="ticket PLAT-812", owner="a@acme.example", expires=expires, origin=ORIGIN
    )


def planned(
    declared: DeclaredPolicy | None,
    policy: StoragePolicy | None,
    allowed: ProjectPolicy,
    *exemptions: Exemption,
    resolutions: Resolutions | None = None,
) -> Plan:
    topics = [] if declared is None else [spec(declared, resolutions)]
    return make_plan(
        Fleet.of(STACK, topics),
        {NAME.project: [live(policy)]},
        {NAME.project: allowed},
        CATALOGUE,
        exemptions=Exemptions.in_force(exemptions, TODAY),
    )


def test_a_topic_exempted_from_losing_regions_is_reported_and_not_restricted() -> None:
    one = exempt(DISALLOWED_REGIONS)
    plan = planned(Inherit(), AMERICAN, allowing(BOTH), one)
    (row,) = plan.rows

    assert (row.drift.kind, row.decision.resolution, row.decision.exemption) == (
        Kind.DISALLOWED,
        Resolution.REPORT,
        one,
    )
    assert plan.changes == plan.held == ()
    assert plan.exempt == plan.rows
    assert plan.has_drift is False
    assert plan_document(plan)["drifts"][0]["exemption"] == {
        "rule": "region-not-allowed",
        "reason": "ticket PLAT-812",
        "owner": "a@acme.example",
        "expires": "2027-03-31",
    }


@pytest.mark.parametrize(
    "other",
    [exempt(DISALLOWED_REGIONS, expires=date(2026, 11, 29)), exempt("single-region"), exempt(IN_TRANSIT_REQUIRED)],
    ids=["expired", "another rule", "another rule of the job"],
)
def test_what_does_not_count_keeps_nothing(other: Exemption) -> None:
    plan = planned(Inherit(), AMERICAN, allowing(BOTH), other)

    assert [change.resolution for change in plan.changes] == [Resolution.RESTRICT]
    assert (plan.exempt, plan.has_drift) == ((), True)
    assert plan_document(plan)["drifts"][0]["exemption"] is None


def test_an_exempt_topic_whose_regions_are_all_allowed_is_treated_like_any_other() -> None:
    plan = planned(Explicit(regions=RegionSet.of(*BOTH)), stored(BOTH[:1]), allowing(BOTH), exempt(DISALLOWED_REGIONS))

    assert [change.resolution for change in plan.held] == [Resolution.ENFORCE]


@pytest.mark.parametrize("declared", [None, Unmanaged()])
def test_an_exemption_is_shown_for_topics_that_are_only_judged(declared: DeclaredPolicy | None) -> None:
    plan = planned(declared, AMERICAN, allowing(BOTH), exempt(DISALLOWED_REGIONS))

    assert plan.exempt == plan.rows
    assert plan.has_drift is False


def test_enforcement_is_not_switched_on_for_a_topic_exempted_from_it() -> None:
    one = exempt(IN_TRANSIT_REQUIRED)
    plan = planned(Inherit(), stored(BOTH), allowing(BOTH, required=True), one)

    assert plan.changes == ()
    assert [row.decision.exemption for row in plan.exempt] == [one]


def test_enforcement_that_is_not_wanted_is_switched_off_all_the_same() -> None:
    declared = Explicit(regions=RegionSet.of(*BOTH), enforce_in_transit=False)
    plan = planned(declared, stored(BOTH, flag=True), allowing(BOTH), exempt(IN_TRANSIT_REQUIRED))

    assert [change.resolution for change in plan.held] == [Resolution.ENFORCE]


def test_regions_are_repaired_without_the_flag_that_a_topic_is_exempted_from() -> None:
    declared = Explicit(regions=RegionSet.of(*BOTH), enforce_in_transit=False)
    before = stored((*BOTH, "europe-north1"))
    allowed = allowing((*BOTH, "europe-north1"), required=True)

    (change,) = planned(declared, before, allowed, exempt(IN_TRANSIT_REQUIRED)).changes
    (unexempt,) = planned(declared, before, allowed).changes

    assert (change.resolution, change.after) == (Resolution.ENFORCE, stored(BOTH))
    assert unexempt.after == stored(BOTH, flag=True)
