from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.apply import Pace, waves


def test_waves_are_numbers_or_shares_and_the_last_takes_the_rest() -> None:
    assert [list(wave) for wave in waves(range(12), ("1", "10%", "100%"))] == [[0], [1, 2], list(range(3, 12))]
    assert [list(wave) for wave in waves(range(3), ("5", "100%"))] == [[0, 1, 2]]
    assert list(waves([], ("1", "100%"))) == []


@given(
    st.lists(st.integers(), max_size=50),
    st.lists(
        st.one_of(st.integers(0, 60).map(str), st.integers(0, 100).map(lambda n: f"{n}%")), min_size=1, max_size=5
    ),
)
def test_every_item_is_in_exactly_one_wave_in_order(items: list[int], sizes: list[str]) -> None:
    assert [item for wave in waves(items, sizes) for item in wave] == items


def test_a_payer_never_spends_more_than_its_rate() -> None:
    now, slept = [0.0], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    pace = Pace(600, lambda: now[0], sleep)
    for _ in range(601):
        pace.take("a")
    assert now[0] == pytest.approx(60)
    pace.take("b")
    assert now[0] == pytest.approx(60)
    assert all(seconds > 0 for seconds in slept)
