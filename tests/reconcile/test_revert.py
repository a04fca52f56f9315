from __future__ import annotations

from dataclasses import replace

import pytest

from reconciler.model import NO_REGIONS, LiveTopic, RegionSet, Resolution, StoragePolicy, TopicName
from reconciler.reconcile import Change, Kind, ProjectPolicy, Reversal, Stay, Unavailable, Why, reverse
from tests.reconcile.worlds import NAME, allowing, between, stored

BEFORE, AFTER = stored(("europe-west1", "us-east1")), stored(("europe-west1",))
CHANGE = Change(
    name=NAME, kind=Kind.DISALLOWED, resolution=Resolution.RESTRICT, before=BEFORE, after=AFTER, why="- us-east1"
)
DENIED = Unavailable(reason="denied")


def back(
    change: Change,
    live: StoragePolicy | None,
    policy: ProjectPolicy | Unavailable,
) -> Reversal:
    return reverse([change], {NAME.project: [LiveTopic(name=NAME, policy=live)]}, {NAME.project: policy}, run="run r")


def test_a_topic_that_still_has_what_the_run_wrote_is_set_back() -> None:
    assert back(CHANGE, AFTER, allowing(("europe-west1", "us-east1"))).changes == (
        Change(
            name=NAME,
            kind=Kind.DISALLOWED,
            resolution=Resolution.ENFORCE,
            before=AFTER,
            after=BEFORE,
            why="back to what it was before run r",
        ),
    )


def test_the_way_back_to_no_policy_lets_the_server_compute_it() -> None:
    (change,) = back(replace(CHANGE, before=None), AFTER, allowing(None)).changes
    assert (change.resolution, change.after) == (Resolution.RECOMPUTE, None)


@pytest.mark.parametrize(
    ("change", "live", "policy", "why", "reason"),
    [
        (CHANGE, BEFORE, allowing(None), Why.AS_BEFORE, "it is as it was before the run"),
        (
            CHANGE,
            stored(("us-east1",), True),
            allowing(None),
            Why.CHANGED_SINCE,
            "it has been changed since: now us-east1, enforced in transit",
        ),
        (CHANGE, None, allowing(None), Why.CHANGED_SINCE, "it has been changed since: now no storage policy"),
        (
            CHANGE,
            AFTER,
            allowing(("europe-west1",)),
            Why.NOT_ALLOWED,
            "it had us-east1, which the organization's policy does not allow",
        ),
        (
            replace(CHANGE, before=None),
            AFTER,
            allowing(("europe-west1",)),
            Why.NOT_ALLOWED,
            "it had no storage policy, which the organization's policy does not allow",
        ),
        (
            replace(CHANGE, before=stored(())),
            AFTER,
            allowing(None),
            Why.NOT_ALLOWED,
            "it had no region, and an empty list is never written",
        ),
        (
            CHANGE,
            AFTER,
            allowing(None, True),
            Why.NOT_ALLOWED,
            "it did not enforce its regions in transit, which the organization's policy requires",
        ),
        (
            CHANGE,
            AFTER,
            allowing(None, None),
            Why.NOT_EVALUATED,
            "it is undecided whether in-transit enforcement is required",
        ),
        (
            CHANGE,
            AFTER,
            between(RegionSet.of("europe-west1"), RegionSet.of("europe-west1", "us-east1")),
            Why.NOT_EVALUATED,
            "it is undecided whether the organization's policy allows us-east1",
        ),
        (CHANGE, AFTER, DENIED, Why.NOT_EVALUATED, "denied"),
    ],
)
def test_what_stays_and_why(
    change: Change, live: StoragePolicy | None, policy: ProjectPolicy | Unavailable, why: Why, reason: str
) -> None:
    stay = Stay(name=NAME, why=why, reason=reason)
    way = back(change, live, policy)
    assert way == Reversal(changes=(), stays=(stay,))
    assert way.not_evaluated == ((stay,) if why is Why.NOT_EVALUATED else ())


def test_topics_that_are_gone_or_cannot_be_listed_stay() -> None:
    other = replace(CHANGE, name=TopicName("acme-lab", "x"))
    way = reverse(
        [CHANGE, other],
        {NAME.project: [], "acme-lab": DENIED},
        {NAME.project: between(NO_REGIONS, NO_REGIONS), "acme-lab": allowing(None)},
        run="run r",
    )
    assert [(stay.name, stay.why, stay.reason) for stay in way.stays] == [
        (other.name, Why.NOT_EVALUATED, "denied"),
        (NAME, Why.GONE, "the topic is gone"),
    ]
