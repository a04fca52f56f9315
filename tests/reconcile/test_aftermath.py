from __future__ import annotations

import pytest

from reconciler.model import RegionSet, Resolution, StoragePolicy, TopicName
from reconciler.reconcile import Change, Kind, Outcome, Status, live_after
from tests.reconcile.worlds import stored

NAME = TopicName("acme-orders-prod", "orders")
ONE = RegionSet.of("europe-west1")
BEFORE, AFTER, OTHER = stored(("europe-west1", "us-east1")), stored(("europe-west1",)), stored(("europe-west3",))


def outcome(
    status: Status,
    found: StoragePolicy | None = None,
    *,
    before: StoragePolicy | None = BEFORE,
    after: StoragePolicy | None = AFTER,
) -> Outcome:
    change = Change(
        name=NAME, kind=Kind.DISALLOWED, resolution=Resolution.RESTRICT, before=before, after=after, why="- us-east1"
    )
    return Outcome(change=change, status=status, found=found)


@pytest.mark.parametrize(
    ("ended", "live"),
    [
        (outcome(Status.MADE, AFTER), AFTER),
        (outcome(Status.MADE, None), None),
        (outcome(Status.STALE, OTHER), OTHER),
        (outcome(Status.SKIPPED), BEFORE),
        (outcome(Status.FAILED), stored(("europe-west1",))),
        (outcome(Status.FAILED, before=None), AFTER),
        (outcome(Status.FAILED, before=None, after=None), None),
        (outcome(Status.FAILED, after=OTHER), stored(())),
    ],
)
def test_a_topic_has_what_was_found_or_what_it_has_either_way(ended: Outcome, live: StoragePolicy | None) -> None:
    assert live_after({NAME: BEFORE}, [ended]) == {NAME: live}


@pytest.mark.parametrize(("before", "after"), [(True, False), (False, True)])
def test_a_failed_change_leaves_enforcement_possible(*, before: bool, after: bool) -> None:
    first = StoragePolicy(regions=ONE, enforce_in_transit=before)
    second = StoragePolicy(regions=ONE, enforce_in_transit=after)
    assert live_after({NAME: first}, [outcome(Status.FAILED, before=first, after=second)]) == {
        NAME: StoragePolicy(regions=ONE, enforce_in_transit=True)
    }


def test_topics_that_nobody_asked_about_are_left_out_and_others_stay() -> None:
    other = TopicName("acme-orders-prod", "returns")
    assert live_after({other: OTHER}, [outcome(Status.MADE, AFTER)]) == {other: OTHER}
