"""Plans as text: the lines that a reader acts on."""

from __future__ import annotations

from dataclasses import replace

from reconciler.model import (
    NO_REGIONS,
    DeclaredPolicy,
    Explicit,
    Fleet,
    Inherit,
    Limits,
    Origin,
    RegionSet,
    Stack,
    TopicName,
)
from reconciler.orgpolicy import RESOURCE_LOCATIONS, evaluate, parse_policy
from reconciler.reconcile import LiveProject, Plan, ProjectPolicy, Unavailable, make_plan
from reconciler.report import allowed_text, plan_summary, plan_text
from tests.reconcile.worlds import CATALOGUE, KNOWN, NAME, allowing, between, live, spec, stored

VALUES = {"deniedValues": ["us-east1"]}
DIGEST = "sha256:0123456789abcdef"


def planned(
    topics: LiveProject, policy: ProjectPolicy | Unavailable, declared: DeclaredPolicy | None = None, *, others: int = 0
) -> Plan:
    stack = Stack(
        name="production",
        folder="stacks/production",
        organization="organizations/1",
        policy_source="organization.yaml",
        projects=(NAME.project,),
        origin=Origin("stack.yaml"),
    )
    first = spec(declared or Inherit())
    more = [replace(first, name=TopicName(NAME.project, f"other-{number}")) for number in range(others)]
    fleet = Fleet.of(stack, [first, *more])
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
    assert plan_text(plan).splitlines()[:3] == [
        f"{NAME.project:38} not evaluated: PERMISSION_DENIED: no",
        f"{'':38} hint: ask for the role",
        "  ? orders  not evaluated",
    ]


def test_the_next_command_repeats_what_the_plan_needed() -> None:
    plan = planned([live(stored(("europe-west1", "us-east1")))], allowing(("europe-west1",)))

    lines = plan_summary(plan, Limits(), (), DIGEST, options=["--allow-widening"])

    assert lines[-1] == ("next: hedgerow plan production --allow-widening -o plan.json, then hedgerow apply plan.json")


def test_topics_that_are_not_evaluated_for_the_same_reason_share_a_line() -> None:
    denied = Unavailable(reason="the topics could not be read: PERMISSION_DENIED: no")
    plan = planned(denied, allowing(("europe-west1",)), others=2)

    assert plan_text(plan).splitlines()[1:3] == [
        "  ? 3 topics  not evaluated    the topics could not be read: PERMISSION_DENIED: no",
        "",
    ]
    assert [line.split()[1] for line in plan_text(plan, verbose=True).splitlines()[1:4]] == [
        "orders",
        "other-0",
        "other-1",
    ]


def test_a_denial_is_told_from_a_permission() -> None:
    policy = evaluate(
        NAME.project,
        [parse_policy({"name": f"folders/4/policies/{RESOURCE_LOCATIONS}", "spec": {"rules": [{"values": VALUES}]}})],
        [],
        CATALOGUE,
    )

    assert allowed_text(policy) == "all but us-east1   (folders/4, rule 1: deny us-east1)"


def test_flags_that_the_source_does_not_hold_are_counted_with_the_way_out() -> None:
    shown = replace(live(stored(("europe-west1",))), in_transit_known=False)
    plan = planned([shown], allowing(("europe-west1",)))

    assert summary(plan, Limits())[:3] == [
        "looked at 1 topic in 1 project: 1 in sync",
        "in-transit enforcement not evaluated: 1 topic from the Asset Inventory, which does not hold it",
        "  hint: `--reader pubsub` evaluates it",
    ]


def test_no_drift_is_said_of_regions_only_where_the_flag_is_not_known() -> None:
    theirs = replace(live(stored(("europe-west1",))), name=TopicName(NAME.project, "theirs"), in_transit_known=False)
    ours = replace(theirs, name=NAME)
    plan = planned([ours, theirs], allowing(("europe-west1",)))

    assert summary(plan, Limits())[0] == "no changes proposed; no drift in regions"
