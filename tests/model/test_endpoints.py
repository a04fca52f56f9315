import pytest

from reconciler.model import ALL_REGIONS, NO_REGIONS, RegionSet, distance, endpoint_inside

EU = RegionSet.of("europe-west1", "europe-west4")
AT = {"europe-west1": (50.5, 4.5), "europe-west4": (52.1, 5.3), "europe-west9": (48.9, 2.4), "us-east1": (33.8, -81.2)}


@pytest.mark.parametrize(
    ("own", "inside", "endpoint"),
    [
        (["us-east1"], ALL_REGIONS, "global"),
        ([], EU, "global"),
        (["europe-west4"], EU, "global"),
        (["europe-west4", "europe-west1"], EU, "global"),
        (["us-east1", "europe-west4"], EU, "europe-west4"),
        (["us-east1", "europe-west4", "europe-west1"], EU, "europe-west1"),
        (["us-east1"], RegionSet.of("europe-west4"), "europe-west4"),
        ([], RegionSet.of("europe-west4"), "europe-west4"),
        (["us-east1"], NO_REGIONS, "global"),
    ],
)
def test_an_own_region_that_is_the_topics_comes_first_then_its_only_one(
    own: list[str], inside: RegionSet, endpoint: str
) -> None:
    assert endpoint_inside(own, inside, AT) == endpoint
    assert endpoint_inside(own, inside, {}) == endpoint


@pytest.mark.parametrize(
    ("own", "inside", "endpoint"),
    [
        (["us-east1"], EU, "europe-west4"),
        (["europe-west9"], EU, "europe-west1"),
        (["us-east1", "europe-west9"], RegionSet.of("europe-west4", "us-east5", "europe-west1"), "europe-west1"),
        (["europe-west1"], ~RegionSet.of("europe-west1"), "europe-west4"),
        (["europe-west1"], RegionSet.of("us-east1", "us-east7"), "us-east1"),
    ],
)
def test_else_the_nearest_of_the_topics_regions_is_chosen(own: list[str], inside: RegionSet, endpoint: str) -> None:
    assert endpoint_inside(own, inside, AT) == endpoint


@pytest.mark.parametrize("own", [["us-east7"], []])
def test_nothing_is_nearest_to_what_lies_nobody_knows_where(own: list[str]) -> None:
    assert endpoint_inside(own, EU, AT) == "global"
    assert endpoint_inside(["us-east1"], RegionSet.of("us-east7", "us-central2"), AT) == "global"


def test_of_regions_that_are_equally_near_the_first_by_name_is_chosen() -> None:
    around = {"a-a1": (0.0, 10.0), "b-b1": (0.0, -10.0), "c-c1": (0.0, 0.0)}
    assert endpoint_inside(["c-c1"], RegionSet.of("a-a1", "b-b1"), around) == "a-a1"


def test_distances_go_along_great_circles() -> None:
    """Berlin to Tokyo, across the date line, and half around the earth."""
    assert distance("one", "other", {"one": (52.5, 13.4), "other": (35.7, 139.7)}) == pytest.approx(8918, rel=0.005)
    assert distance("one", "other", {"one": (0.0, 179.0), "other": (0.0, -179.0)}) == pytest.approx(222.4, abs=0.1)
    assert distance("one", "other", {"one": (0.0, 0.0), "other": (0.0, 180.0)}) == pytest.approx(20015, abs=1)
    assert distance("one", "one", {"one": (52.5, 13.4)}) == 0
    assert distance("one", "other", {"one": (52.5, 13.4)}) is None
