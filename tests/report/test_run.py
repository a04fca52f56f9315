"""Runs as text."""

from __future__ import annotations

import pytest

from reconciler.model import Resolution
from reconciler.reconcile import Change, Kind, Outcome, Run, Status, Wave
from reconciler.report import run_summary
from tests.reconcile.worlds import NAME, stored

CHANGE = Change(
    name=NAME,
    kind=Kind.DISALLOWED,
    resolution=Resolution.RESTRICT,
    before=stored(("europe-west1", "us-east1")),
    after=stored(("europe-west1",)),
    why="- us-east1",
)


@pytest.mark.parametrize(
    ("statuses", "summary"),
    [
        ((Status.MADE, Status.STALE), "2 changes: 1 made, 1 stale; verified by reading back"),
        ((Status.FAILED,), "1 change: 1 failed"),
        ((), "nothing to change"),
    ],
    ids=["made", "failed", "nothing"],
)
def test_only_what_was_made_was_verified(statuses: tuple[Status, ...], summary: str) -> None:
    outcomes = tuple(Outcome(change=CHANGE, status=status) for status in statuses)
    run = Run(id="r", waves=(Wave(number=1, outcomes=outcomes, seconds=0.1),), journal="runs/r.jsonl")

    assert run_summary(run) == [summary, "journal runs/r.jsonl"]
