from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.apply import Pace, waves
from reconciler.apply.pace import interleaved


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


def test_a_payer_whose_quota_is_used_up_pauses_while_others_go_on() -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    pace = Pace(600, lambda: now[0], sleep)
    pace.pause("a", 30)
    pace.pause("a", 10)
    pace.take("b")
    assert now[0] == 0
    pace.take("a")
    assert now[0] == 30


def test_payers_take_turns() -> None:
    assert interleaved(["a1", "a2", "a3", "b1", "c1", "b2"], lambda item: item[0]) == [0, 3, 4, 1, 5, 2]
    assert interleaved([], lambda item: item) == []


def test_as_long_as_somebody_waits_no_slot_is_lost_and_none_is_given_early() -> None:
    """Ten workers whose calls take 35 ms, at 200 a second, on a simulated clock: the rate is kept to the call."""
    now = [0.0]
    waits: list[float] = []
    pace = Pace(12_000, lambda: now[0], waits.append)
    free = [0.0] * 10
    starts = []
    while (begin := min(free)) < 10:
        now[0], worker = begin, free.index(begin)
        waits.clear()
        pace.take("a")
        starts.append(begin + sum(waits))
        free[worker] = starts[-1] + 0.035
    started = [at for at in starts if at < 10]
    assert 0.95 * 2000 <= len(started) <= 2000
    for first in range(0, len(started) - 200, 50):
        assert started[first + 200] - started[first] >= 1 - 1e-9


def test_the_rate_is_kept_in_real_time() -> None:
    pace, ended, starts = Pace(6_000, time.monotonic, time.sleep), time.monotonic() + 2, []

    def work() -> None:
        while True:
            pace.take("a")
            now = time.monotonic()
            if now >= ended:
                return
            starts.append(now)
            time.sleep(0.02)

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert 0.95 * 200 <= len(starts) <= 201
