"""Resolutions that are refused, and the words they are refused with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reconciler.model import ALL_REGIONS, NO_REGIONS, DeclaredPolicy, Explicit, Inherit, RegionSet, Resolution
from reconciler.reconcile import ProjectPolicy, compare
from tests.reconcile.worlds import CATALOGUE, NAME, allowing, between, every, live, outcome, spec, stored

INHERIT = Inherit()
EXPLICIT = Explicit(regions=RegionSet.of("europe-west1"))


@pytest.mark.parametrize(
    ("declared", "resolution", "live", "allowed", "refusal"),
    [
        (
            INHERIT,
            Resolution.RESTRICT,
            ("us-east1",),
            allowing(("europe-west1",)),
            "nothing of what the topic has is allowed, and an empty list is never written",
        ),
        (
            INHERIT,
            Resolution.EXTEND,
            ("us-east1",),
            allowing(("europe-west1",)),
            (
                "`extend` would keep regions that are not allowed, which the API refuses; "
                "offered here: `restrict`, `recompute`, `report`"
            ),
        ),
        (
            EXPLICIT,
            Resolution.EXTEND,
            ("us-east1",),
            allowing(("europe-west1",)),
            (
                "`extend` would keep regions that are not allowed, which the API refuses; "
                "offered here: `restrict`, `enforce`, `report`"
            ),
        ),
        (
            EXPLICIT,
            Resolution.RECOMPUTE,
            ("europe-west4",),
            allowing(("europe-west1", "europe-west4")),
            "`recompute` needs a topic that inherits its policy; offered here: `enforce`, `report`",
        ),
        (
            INHERIT,
            Resolution.RESTRICT,
            ("europe-west1",),
            allowing(("europe-west1", "europe-west4")),
            "`restrict` is not offered for `missing`; offered here: `extend`, `recompute`, `report`",
        ),
        (
            INHERIT,
            Resolution.RECOMPUTE,
            ("us-east1",),
            allowing(()),
            "the organization's policy allows no Pub/Sub region, so the server would refuse to compute one",
        ),
        (
            INHERIT,
            Resolution.RECOMPUTE,
            ("europe-west1", "us-east1"),
            between(RegionSet.of("europe-west1"), RegionSet.of("europe-west1", "europe-west4")),
            "it is undecided what the server would compute",
        ),
        (
            Explicit(regions=RegionSet.of("europe-west1", "europe-west4")),
            Resolution.ENFORCE,
            ("us-east1",),
            between(RegionSet.of("europe-west1"), RegionSet.of("europe-west1", "europe-west4")),
            "it is undecided whether europe-west4 is allowed",
        ),
        (
            Explicit(regions=RegionSet.of("europe-west1", "us-east1")),
            Resolution.ENFORCE,
            ("us-east1",),
            allowing(("europe-west1",)),
            "there is nothing to enforce: it declares us-east1, which the organization's policy does not allow",
        ),
        (
            INHERIT,
            Resolution.RECOMPUTE,
            ("europe-west1",),
            ProjectPolicy(
                live=allowing(("europe-west1", "europe-west4", "us-east1")).live,
                declared=allowing(("europe-west1", "europe-west4")).live,
            ),
            "the live policy allows more than the snapshot; refresh the snapshot before anything is widened",
        ),
    ],
)
def test_what_is_refused_and_why(
    declared: DeclaredPolicy, resolution: Resolution, live: tuple[str, ...], allowed: ProjectPolicy, refusal: str
) -> None:
    _, decision = outcome(spec(declared, every(resolution)), stored(live), allowed)
    assert (decision.change, decision.refusal) == (None, refusal)


def test_all_but_a_denied_region_is_listed_from_the_known_ones() -> None:
    """A topic without a policy under "everything but us-east1" is restricted to the regions that are known today."""
    may = between(ALL_REGIONS - RegionSet.of("us-east1"), ALL_REGIONS - RegionSet.of("us-east1"))
    _, decision = outcome(spec(INHERIT), None, may)
    assert decision.change is not None
    assert decision.change.after == stored(("europe-north1", "europe-west1", "europe-west4"))
    assert decision.change.why == "- us-east1"


def test_a_doubt_is_named_with_the_ways_to_settle_it() -> None:
    drift, decision = outcome(spec(INHERIT), stored(("europe-west1",)), between(NO_REGIONS, ALL_REGIONS))
    assert drift.reason is not None
    assert drift.reason.reason.startswith("it is undecided whether the organization's policy allows europe-north1, ")
    assert drift.reason.hint == "capture the API's own answer into the snapshot, or extend `valueGroups` in it"
    assert decision.change is None


def test_a_long_list_of_undecided_regions_is_cut_in_the_reason_only() -> None:
    names = tuple(f"europe-west{number}" for number in range(1, 8))
    known = RegionSet.of(*names)
    catalogue = replace(CATALOGUE, regions=known)

    drift = compare(NAME, spec(Inherit()), live(stored(names)), between(NO_REGIONS, known), catalogue)

    assert drift.undecided == known
    assert drift.reason is not None
    assert drift.reason.reason == (
        "it is undecided whether the organization's policy allows europe-west1, europe-west2, europe-west3, "
        "europe-west4 and 3 more: the snapshot and the API disagree about them"
    )
