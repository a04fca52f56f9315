from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from reconciler.model import ALL_REGIONS, NO_REGIONS, RegionSet

NAMES = ("europe-west1", "europe-west4", "us-east1", "us-east7", "asia-east1")
sets = st.builds(RegionSet, st.frozensets(st.sampled_from(NAMES)), st.booleans())
regions = st.sampled_from(NAMES)


@given(sets, sets, regions)
def test_operations_mean_what_membership_says(a: RegionSet, b: RegionSet, region: str) -> None:
    assert (region in (a | b)) == (region in a or region in b)
    assert (region in (a & b)) == (region in a and region in b)
    assert (region in (a - b)) == (region in a and region not in b)
    assert (region in ~a) == (region not in a)


@given(sets, sets, sets)
def test_boolean_algebra(a: RegionSet, b: RegionSet, c: RegionSet) -> None:
    assert a | b == b | a
    assert a & b == b & a
    assert a | (b | c) == (a | b) | c
    assert a & (b | c) == (a & b) | (a & c)
    assert ~(a | b) == ~a & ~b
    assert ~~a == a
    assert a | ~a == ALL_REGIONS
    assert a & ~a == NO_REGIONS
    assert a & ALL_REGIONS == a == a | NO_REGIONS


@given(sets, sets)
def test_inclusion_agrees_with_intersection(a: RegionSet, b: RegionSet) -> None:
    assert (a <= b) == (a & b == a)
    assert a & b <= a <= a | b


@given(sets)
def test_truth_is_not_being_empty(a: RegionSet) -> None:
    assert bool(a) == (not a.is_empty)
    assert a.is_all == (~a).is_empty


def test_an_explicit_set_is_a_sorted_list() -> None:
    found = RegionSet.of("us-east1", "europe-west4", "us-east1")

    assert (list(found), len(found), str(found)) == (["europe-west4", "us-east1"], 2, "europe-west4, us-east1")


@pytest.mark.parametrize(
    ("regions", "text"),
    [(ALL_REGIONS, "all"), (NO_REGIONS, "none"), (~RegionSet.of("us-east1"), "all but us-east1")],
)
def test_a_set_reads_as_words(regions: RegionSet, text: str) -> None:
    assert str(regions) == text


def test_everything_but_some_has_neither_list_nor_size() -> None:
    with pytest.raises(ValueError, match="all but us-east1 has no list of regions"):
        list(~RegionSet.of("us-east1"))
    with pytest.raises(ValueError, match="all has no size"):
        len(ALL_REGIONS)


def test_a_set_is_listed_in_a_world_of_known_regions() -> None:
    known = RegionSet.of("us-east1", "us-east7")

    assert (~RegionSet.of("us-east1")).listed(known) == RegionSet.of("us-east7")
    assert RegionSet.of("mars-north1").listed(known) == RegionSet.of("mars-north1")
