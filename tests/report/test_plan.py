"""Plans as text: the lines that a reader acts on."""

from __future__ import annotations

from reconciler.model import NO_REGIONS, DeclaredPolicy, Explicit, Fleet, Inherit, Limits, Origin, RegionSet, Stack
from reconciler.reconcile import LiveProject, Plan, ProjectPolicy, Unavailable, make_plan
from reconciler.report import plan_summary, plan_text
from tests.reconcile.worlds import CATALOGUE, KNOWN, NAME, allowing, between, live, spec, stored

DIGEST = "sha256:0123456789abcdef"


def planned(topics: LiveProject, policy: ProjectPolicy | Unavailable, declared: DeclaredPolicy | None = None) -> Plan:
    stack = Stack(
        name="production",
        folder="stacks/production",
        organization="organizations/1",
        policy_source="organization.yaml",
        projects=(NAME.project,),
        origin=Origin("stack.yaml"),
    )
    fleet = Fleet.of(stack, [spec(declared or Inherit())])
    return make_plan(fleet, {NAME.project: topics}, {NAME.project: policy}, CATALOGUE)


def summary(plan: Plan, limits: Limits) -> list[str]:
    return plan_summary(plan, limits, (), DIGEST)


def test_the_share_of_changes_is_shown_beside_its_limit() -> None:
    plan = planned([live(stored(("europe-west1", "us-east1")))], allowing(("europe-west1",)))

    assert summary(plan, Limits(minimum_population=1))[0] == "1 of 1 topic would change (100.0 %, limit 20 %)"


def test_no_limit_is_shown_for_a_population_too_small_to_be_judged() -> None:
    plan = planned([live(stored(("europe-west1", "us-east1")))], allowing(("europe-west1",)))

    assert summary(plan, Limits())[0] == "1 of 1 topic would change (100.0 %, no limit below 20 topics)"


def test_why_a_topic_is_not_evaluated_stands_last_in_its_line() -> None:
    plan = planned([live(stored(("us-east1",)))], between(NO_REGIONS, KNOWN))

    assert plan_text(plan).splitlines()[1] == (
        "  ? orders  not evaluated    it is undecided whether the organization's policy allows "
        "europe-north1, europe-west1, europe-west4 and us-east1: the snapshot and the API disagree about them"
    )


def test_topics_that_are_not_evaluated_come_with_the_way_out() -> None:
    plan = planned(
        [live(stored(("us-east1",)))], between(NO_REGIONS, KNOWN), Explicit(regions=RegionSet.of("us-east1"))
    )

    assert summary(plan, Limits())[-2:] == [
        "not evaluated: 1 topic",
        "  hint: capture the API's own answer into the snapshot, or extend `valueGroups` in it",
    ]


def test_the_way_out_for_a_whole_project_stands_beside_the_project_only() -> None:
    denied = Unavailable(reason="PERMISSION_DENIED: no", hint="ask for the role")
    plan = planned([live(stored(("us-east1",)))], denied)

    assert summary(plan, Limits())[-1] == "not evaluated: 1 topic"
    assert plan_text(plan).splitlines()[:2] == [
        f"{NAME.project:38} not evaluated: PERMISSION_DENIED: no",
        f"{'':38} hint: ask for the role",
    ]
