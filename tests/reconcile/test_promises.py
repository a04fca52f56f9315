"""Promises that hold for every topic, policy and resolution."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.model import (
    ALL_REGIONS,
    DeclaredPolicy,
    Explicit,
    Inherit,
    RegionSet,
    Resolution,
    Resolutions,
    StoragePolicy,
    Within,
    regions_of,
)
from reconciler.reconcile import Change, Kind, ProjectPolicy, compare
from tests.reconcile.worlds import (
    CATALOGUE,
    KNOWN,
    NAME,
    REGIONS,
    SUBSETS,
    allowing,
    between,
    live,
    outcome,
    spec,
    stored,
)

subsets = st.sampled_from(SUBSETS)
some = st.sampled_from([subset for subset in SUBSETS if subset])
policies = st.one_of(st.none(), st.builds(stored, subsets, st.booleans()))
allowed = st.builds(allowing, st.one_of(st.none(), subsets), st.booleans())
declared: st.SearchStrategy[DeclaredPolicy] = st.one_of(
    st.just(Inherit()),
    st.builds(
        lambda s, f: Explicit(regions=RegionSet(s), enforce_in_transit=f), some, st.sampled_from([None, True, False])
    ),
    st.builds(lambda i: Within(groups=(f"in:group{i}",)), st.integers(0, len(SUBSETS) - 1)),
)
resolution = st.sampled_from(list(Resolution))
resolutions = st.builds(
    Resolutions,
    disallowed=resolution,
    missing=resolution,
    mixed=resolution,
    spec=resolution,
    in_transit=resolution,
    empty=resolution,
)


@st.composite
def uncertain(draw: st.DrawFn) -> ProjectPolicy:
    possible = draw(subsets)
    certain = frozenset(region for region in possible if draw(st.booleans()))
    return between(RegionSet(certain), RegionSet(possible), draw(st.sampled_from([True, False, None])))


def applied(change: Change) -> StoragePolicy | None:
    return change.after


@given(declared, resolutions, policies, allowed)
def test_what_is_written_is_allowed_and_never_empty(
    wanted: DeclaredPolicy, chosen: Resolutions, policy: StoragePolicy | None, may: ProjectPolicy
) -> None:
    _, decision = outcome(spec(wanted, chosen), policy, may)
    if decision.change is None:
        return
    after = regions_of(decision.change.after)
    assert after <= may.live.allowed.possible
    assert after
    if decision.change.after is None:
        assert decision.change.resolution is Resolution.RECOMPUTE


@given(declared, resolutions, policies, allowed)
def test_what_an_explicit_spec_does_not_name_is_never_added(
    wanted: DeclaredPolicy, chosen: Resolutions, policy: StoragePolicy | None, may: ProjectPolicy
) -> None:
    _, decision = outcome(spec(wanted, chosen), policy, may)
    if decision.change is None or not isinstance(wanted, Explicit):
        return
    assert regions_of(decision.change.after) <= regions_of(policy) | wanted.regions


@given(declared, resolutions, policies, allowed)
def test_the_in_transit_flag_is_only_lost_where_that_is_what_was_wanted(
    wanted: DeclaredPolicy, chosen: Resolutions, policy: StoragePolicy | None, may: ProjectPolicy
) -> None:
    drift, decision = outcome(spec(wanted, chosen), policy, may)
    change = decision.change
    if change is None or policy is None or not policy.enforce_in_transit:
        return
    if change.after is None or not change.after.enforce_in_transit:
        assert drift.desired is not None
        assert drift.desired.in_transit is False
        assert change.widening


@given(declared, resolutions, policies, allowed)
def test_a_run_converges_after_at_most_two_nights(
    wanted: DeclaredPolicy, chosen: Resolutions, policy: StoragePolicy | None, may: ProjectPolicy
) -> None:
    """One night may restrict and leave it to the next to bring in line with the spec; then nothing is left to do."""
    topic = spec(wanted, chosen)
    for _ in range(2):
        _, decision = outcome(topic, policy, may)
        if decision.change is None:
            return
        policy = applied(decision.change)
    _, decision = outcome(topic, policy, may)
    assert decision.change is None


@given(declared, policies, allowed)
def test_with_the_defaults_an_inheriting_topic_is_done_after_one_night(
    wanted: DeclaredPolicy, policy: StoragePolicy | None, may: ProjectPolicy
) -> None:
    if not isinstance(wanted, Inherit):
        return
    _, decision = outcome(spec(wanted), policy, may)
    if decision.change is not None and not decision.change.widening:
        _, again = outcome(spec(wanted), decision.change.after, may)
        assert again.change is None or again.change.widening


@given(declared, resolutions, policies, allowed, st.randoms(use_true_random=False))
def test_the_order_of_regions_changes_nothing(
    wanted: DeclaredPolicy,
    chosen: Resolutions,
    policy: StoragePolicy | None,
    may: ProjectPolicy,
    shuffle: random.Random,
) -> None:
    def shuffled(regions: RegionSet) -> RegionSet:
        names = sorted(regions.names)
        shuffle.shuffle(names)
        return RegionSet(frozenset(names), regions.complement)

    other = (
        None
        if policy is None
        else StoragePolicy(regions=shuffled(policy.regions), enforce_in_transit=policy.enforce_in_transit)
    )
    assert outcome(spec(wanted, chosen), policy, may) == outcome(spec(wanted, chosen), other, may)


@given(declared, resolutions, policies, allowed)
def test_a_change_is_a_widening_exactly_when_it_adds_a_region_or_frees_the_flag(
    wanted: DeclaredPolicy, chosen: Resolutions, policy: StoragePolicy | None, may: ProjectPolicy
) -> None:
    _, decision = outcome(spec(wanted, chosen), policy, may)
    if (change := decision.change) is None:
        return
    before = set(KNOWN.names) | {"elsewhere"} if policy is None else set(policy.regions.names)
    after = set(KNOWN.names) | {"elsewhere"} if change.after is None else set(change.after.regions.names)
    had, has = bool(policy and policy.enforce_in_transit), bool(change.after and change.after.enforce_in_transit)
    assert change.widening == (not after <= before or (had and not has))


@given(declared, policies, uncertain())
def test_restrict_never_removes_and_extend_never_adds_an_undecided_region(
    wanted: DeclaredPolicy, policy: StoragePolicy | None, may: ProjectPolicy
) -> None:
    doubtful = may.live.allowed.undecided
    chosen = Resolutions(disallowed=Resolution.RESTRICT, mixed=Resolution.RESTRICT, missing=Resolution.EXTEND)
    _, decision = outcome(spec(wanted, chosen), policy, may)
    if (change := decision.change) is None:
        return
    before, after = regions_of(policy), regions_of(change.after)
    if change.resolution is Resolution.RESTRICT and not isinstance(wanted, Explicit | Within):
        assert before & doubtful <= after
    if change.resolution in (Resolution.EXTEND, Resolution.ENFORCE):
        assert (after & doubtful) <= before


@given(declared, policies, uncertain(), st.data())
def test_a_decided_kind_holds_in_every_world_that_the_bounds_leave_open(
    wanted: DeclaredPolicy, policy: StoragePolicy | None, may: ProjectPolicy, data: st.DataObject
) -> None:
    bounds = may.live.allowed
    truth = bounds.certain | RegionSet.from_names(r for r in bounds.undecided if data.draw(st.booleans()))
    kind = compare(NAME, spec(wanted), live(policy), may, CATALOGUE).kind
    if kind is Kind.UNDECIDED:
        return
    exact = compare(NAME, spec(wanted), live(policy), between(truth, truth, may.live.in_transit), CATALOGUE).kind
    # Where something certainly is disallowed, a doubt about what else is missing does not hold the repair up.
    either = {Kind.DISALLOWED, Kind.MIXED}
    assert exact == kind or {exact, kind} <= either


@pytest.mark.parametrize("wanted", [Inherit(), Explicit(regions=RegionSet.of("europe-west1"))])
def test_an_undecided_kind_is_one_that_two_possible_worlds_disagree_about(wanted: DeclaredPolicy) -> None:
    for possible in SUBSETS:
        for certain in (subset for subset in SUBSETS if subset <= possible):
            may = between(RegionSet(certain), RegionSet(possible))
            worlds = [certain | extra for extra in SUBSETS if extra <= possible - certain]
            for regions in SUBSETS[1:]:
                kind = compare(NAME, spec(wanted), live(stored(regions)), may, CATALOGUE).kind
                kinds = {
                    compare(NAME, spec(wanted), live(stored(regions)), allowing(world), CATALOGUE).kind
                    for world in worlds
                }
                assert (kind is Kind.UNDECIDED) <= (len(kinds) > 1), (certain, possible, regions)


@given(subsets, subsets, subsets, resolutions)
def test_a_snapshot_that_differs_never_widens_and_never_removes_what_the_api_allows(
    snapshot: frozenset[str], now: frozenset[str], has: frozenset[str], chosen: Resolutions
) -> None:
    policy = ProjectPolicy(live=allowing(now).live, declared=allowing(snapshot).live)
    _, decision = outcome(spec(Inherit(), chosen), stored(has), policy)
    if (change := decision.change) is None:
        return
    before, after = RegionSet(has), regions_of(change.after)
    assert after - before <= RegionSet(snapshot & now)
    assert before - after <= ~RegionSet(now)


def test_all_regions_is_no_frozen_list() -> None:
    """A topic that lists everything Pub/Sub had last year misses the new region, and extending adds exactly that."""
    topic = spec(Inherit(), Resolutions(missing=Resolution.EXTEND))
    drift, decision = outcome(topic, stored(REGIONS[:3]), between(ALL_REGIONS, ALL_REGIONS))
    assert (drift.kind, drift.missing) == (Kind.MISSING, RegionSet.of(REGIONS[3]))
    assert decision.change is not None
    assert decision.change.after == stored(REGIONS)
    after, _ = outcome(topic, decision.change.after, between(ALL_REGIONS, ALL_REGIONS))
    assert after.kind is Kind.IN_SYNC
