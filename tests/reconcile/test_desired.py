from __future__ import annotations

import pytest

from reconciler.model import ALL_REGIONS, NO_REGIONS, DeclaredPolicy, Explicit, Inherit, RegionSet, Unmanaged, Within
from reconciler.reconcile import Decision, Outcome, ProjectPolicy, Run, Status, Wave, desired
from tests.reconcile.worlds import CATALOGUE, KNOWN, allowing, between, outcome, spec, stored

BOTH = ("europe-west1", "europe-west4")


def wanted(declared: DeclaredPolicy, policy: ProjectPolicy):  # type: ignore[no-untyped-def]  # the tests narrow it
    return desired(spec(declared), policy.live, CATALOGUE)


def test_a_program_leaves_out_what_the_server_owns() -> None:
    inherited = wanted(Inherit(), allowing(BOTH, True))
    assert inherited.declared_policy(KNOWN) is None
    assert inherited.storage_policy(KNOWN) == stored(BOTH, True)


def test_a_program_declares_explicit_policies_with_both_fields() -> None:
    declared = Explicit(regions=RegionSet.of("europe-west4", "europe-west1"))
    assert wanted(declared, allowing(BOTH, True)).declared_policy(KNOWN).to_json() == {
        "allowedPersistenceRegions": ["europe-west1", "europe-west4"],
        "enforceInTransit": True,
    }


def test_no_restriction_is_no_policy_unless_the_flag_needs_one() -> None:
    assert wanted(Inherit(), allowing(None)).storage_policy(KNOWN) is None
    assert wanted(Inherit(), allowing(None, True)).storage_policy(KNOWN) == stored(tuple(KNOWN), True)


def test_within_is_the_part_of_what_is_allowed_that_lies_in_the_groups() -> None:
    assert wanted(Within(groups=("europe-west1", "us-east1")), allowing(BOTH)).storage_policy(KNOWN) == stored(BOTH[:1])


def test_nobody_wants_anything_of_an_unmanaged_topic() -> None:
    assert wanted(Unmanaged(), allowing(BOTH)) is None


@pytest.mark.parametrize(
    ("declared", "policy", "message"),
    [
        (
            Explicit(regions=RegionSet.of("us-east1", "europe-west1")),
            allowing(BOTH),
            "no definite storage policy: it declares us-east1, which the organization's policy does not allow",
        ),
        (Inherit(), allowing(()), "no definite storage policy: the organization's policy allows no Pub/Sub region"),
        (
            Within(groups=("us-east1",)),
            allowing(BOTH),
            "no definite storage policy: no region that is allowed lies within the declared groups",
        ),
        (Inherit(), between(NO_REGIONS, ALL_REGIONS), "no definite storage policy: undecided"),
        (Inherit(), allowing(BOTH, None), "no definite storage policy: undecided"),
    ],
)
def test_where_there_is_no_answer_none_is_made_up(
    declared: DeclaredPolicy, policy: ProjectPolicy, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        wanted(declared, policy).storage_policy(KNOWN)


def test_a_run_counts_its_outcomes_over_all_waves() -> None:
    _, decision = outcome(spec(Inherit()), stored((*BOTH, "us-east1")), allowing(BOTH))
    assert isinstance(decision, Decision)
    assert decision.change is not None
    made, stale, skipped = (
        Outcome(change=decision.change, status=status) for status in (Status.MADE, Status.STALE, Status.SKIPPED)
    )
    wave = Wave(number=1, outcomes=(made, stale), seconds=0.1)
    run = Run(id="1", waves=(wave,), skipped=(skipped,), journal="runs/1.jsonl")
    assert run.outcomes == (made, stale, skipped)
    assert {status: run.count(status) for status in Status} == {
        Status.MADE: 1,
        Status.FAILED: 0,
        Status.STALE: 1,
        Status.SKIPPED: 1,
    }
    assert wave.count(Status.SKIPPED) == 0
