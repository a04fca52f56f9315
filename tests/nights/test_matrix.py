"""The fault matrix: whatever goes wrong at whatever moment, a run tells the truth and the next one converges."""

from __future__ import annotations

import os

import pytest

from tests.nights.cases import Case, matrix
from tests.nights.conftest import NightOf

CASES = list(matrix())


def test_the_matrix_has_more_than_two_hundred_different_nights() -> None:
    assert len({case.id for case in CASES}) == len(CASES) == 368


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_run_tells_what_it_did_in_any_weather_and_the_next_converges(
    case: Case, night: NightOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    tonight = night(case.resolution)
    tonight.box.faults.add(case.fault)
    with monkeypatch.context() as patched:
        patched.setitem(os.environ, "HEDGEROW_RETRY_BUDGET", str(case.weather.budget))
        patched.setitem(os.environ, "HEDGEROW_CALL_TIMEOUT", "0.4")
        ended = tonight.hedgerow("reconcile")
    assert ended.code == case.code, ended.err
    assert tonight.statuses() == case.statuses
    assert tonight.untruths() == []
    tonight.assert_converges()
    assert tonight.untruths() == []
