import pytest

from reconciler.model import ALL_REGIONS, NO_REGIONS, RegionSet, endpoint_inside

EU = RegionSet.of("europe-west1", "europe-west4")


@pytest.mark.parametrize(
    ("own", "inside", "endpoint"),
    [
        (["us-east1"], ALL_REGIONS, "global"),
        ([], EU, "global"),
        (["us-east1"], EU, "global"),
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
    assert endpoint_inside(own, inside) == endpoint
