"""The in-transit flag: three declared states, two live ones, required or not; and how it goes with the regions."""

from __future__ import annotations

import pytest

from reconciler.model import Explicit, Inherit, RegionSet, Resolution, Resolutions
from reconciler.reconcile import Decision, Kind
from tests.reconcile.worlds import allowing, between, outcome, spec, stored

ONE = RegionSet.of("europe-west1")


@pytest.mark.parametrize("required", [True, False, None])
@pytest.mark.parametrize("is_live", [True, False])
@pytest.mark.parametrize("declared", [None, True, False])
def test_the_table_of_declared_live_and_required(declared: bool | None, is_live: bool, required: bool | None) -> None:
    topic = spec(Explicit(regions=ONE, enforce_in_transit=declared))
    drift, decision = outcome(topic, stored(("europe-west1",), is_live), between(ONE, ONE, required))
    match declared, required:
        case None, _:
            wanted = required
        case True, _:
            wanted = True
        case _:
            # Declaring `false` is refused where it is required; a repair follows the organization.
            wanted = required
    assert drift.kind is Kind.IN_SYNC
    assert drift.flag_differs == (wanted is not None and wanted != is_live)
    if drift.flag_differs:
        assert decision.change is not None
        assert decision.change.after == stored(("europe-west1",), bool(wanted))
    else:
        assert decision.change is None


def test_restricting_switches_required_enforcement_on_in_the_same_write() -> None:
    _, decision = outcome(spec(Inherit()), stored(("europe-west1", "us-east1")), allowing(("europe-west1",), True))
    assert decision.change is not None
    assert decision.change.after == stored(("europe-west1",), True)
    assert decision.change.why == "- us-east1; enforceInTransit off -> on"
    assert not decision.change.widening


def test_restricting_never_brings_a_laxer_flag_with_it() -> None:
    _, decision = outcome(spec(Inherit()), stored(("europe-west1", "us-east1"), True), allowing(("europe-west1",)))
    assert decision.change is not None
    assert decision.change.after == stored(("europe-west1",), True)
    assert not decision.change.widening


def test_a_stricter_flag_does_not_wait_for_a_permission_to_widen() -> None:
    topic = spec(Inherit(), Resolutions(missing=Resolution.EXTEND))
    drift, decision = outcome(topic, stored(("europe-west1",)), allowing(("europe-west1", "europe-west4"), True))
    assert drift.kind is Kind.MISSING
    assert decision.change is not None
    assert decision.change.after == stored(("europe-west1",), True)
    assert not decision.change.widening


def test_extending_may_bring_a_laxer_flag_with_it() -> None:
    topic = spec(Inherit(), Resolutions(missing=Resolution.EXTEND))
    _, decision = outcome(topic, stored(("europe-west1",), True), allowing(("europe-west1", "europe-west4")))
    assert decision.change is not None
    assert decision.change.after == stored(("europe-west1", "europe-west4"))
    assert decision.change.widening


def test_regions_that_are_only_reported_still_get_their_flag() -> None:
    _, decision = outcome(spec(Inherit()), stored(("europe-west1",)), allowing(("europe-west1", "europe-west4"), True))
    assert decision.change is not None
    assert decision.change.after == stored(("europe-west1",), True)


def test_the_flag_waits_where_the_api_would_refuse_the_regions() -> None:
    topic = spec(Inherit(), Resolutions(disallowed=Resolution.REPORT))
    drift, decision = outcome(topic, stored(("europe-west1", "us-east1")), allowing(("europe-west1",), True))
    assert drift.flag_differs
    assert decision == Decision(resolution=Resolution.REPORT)


def test_a_topic_without_a_policy_gets_the_known_regions_with_the_flag() -> None:
    _, decision = outcome(spec(Inherit()), None, allowing(None, True))
    assert decision.change is not None
    assert decision.change.after == stored(("europe-north1", "europe-west1", "europe-west4", "us-east1"), True)


def test_only_enforce_and_report_are_offered_for_the_flag() -> None:
    topic = spec(Inherit(), Resolutions(in_transit=Resolution.RECOMPUTE))
    _, decision = outcome(topic, stored(("europe-west1",)), allowing(("europe-west1",), True))
    assert decision.refusal == "`recompute` is not offered for `in-transit`; offered here: `enforce`, `report`"
