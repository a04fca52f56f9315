import pytest

from reconciler.hedging import first_hedge_after, refill_units

# Measured on the Java, Go and Rust clients: N - 1 successes give no hedge, N give one.
MEASURED = {
    0.2: (200, 5),
    0.1: (100, 10),
    0.05: (50, 20),
    0.03: (30, 34),
    0.0555: (56, 18),
    0.0025: (3, 334),
    0.0015: (2, 500),
    0.0014: (1, 1000),
    0.001: (1, 1000),
}


@pytest.mark.parametrize(("ratio", "units"), [(ratio, units) for ratio, (units, _) in MEASURED.items()])
def test_a_ratio_refills_what_the_clients_refill(ratio: float, units: int) -> None:
    assert refill_units(ratio) == units


@pytest.mark.parametrize(("ratio", "successes"), [(ratio, successes) for ratio, (_, successes) in MEASURED.items()])
def test_the_first_hedge_comes_when_it_comes_in_the_clients(ratio: float, successes: int) -> None:
    assert first_hedge_after(ratio) == successes


@pytest.mark.parametrize("ratio", [0, 0.0004, -0.1])
def test_a_bucket_that_never_fills_has_no_first_hedge(ratio: float) -> None:
    with pytest.raises(ValueError, match=rf"^a refill ratio of {ratio} never fills the bucket$"):
        first_hedge_after(ratio)
