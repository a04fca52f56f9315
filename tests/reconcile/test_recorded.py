from __future__ import annotations

from typing import Any

import pytest

from reconciler.reconcile import Entry, Recorded, Status, change_document, recorded
from tests.reconcile.test_revert import AFTER, CHANGE
from tests.reconcile.worlds import NAME

BEGIN: dict[str, Any] = {"event": "begin", "at": "t0", "stack": "production", "plan": {"digest": "d"}, "changes": 2}
INTENT: dict[str, Any] = {"event": "intent", "at": "t1", **change_document(CHANGE)}
MADE: dict[str, Any] = {
    "event": "outcome",
    "topic": str(NAME),
    "status": "made",
    "found": AFTER and AFTER.to_json(),
    "message": "",
}
STALE: dict[str, Any] = {
    "event": "outcome",
    "topic": "projects/p/topics/t",
    "status": "stale",
    "found": None,
    "message": "gone",
}
END: dict[str, Any] = {"event": "end", "at": "t9", "stopped": None}


def test_a_whole_journal_tells_what_was_made() -> None:
    run = recorded("r", [BEGIN, STALE, INTENT, MADE, END])
    assert run == Recorded(
        id="r",
        stack="production",
        begun_at="t0",
        ended_at="t9",
        plan={"digest": "d"},
        planned=2,
        entries=(Entry(change=CHANGE, status=Status.MADE, found=AFTER),),
        not_written={"projects/p/topics/t": STALE},
        stopped=None,
    )
    assert (run.count(Status.MADE), run.count(Status.FAILED), run.count(None)) == (1, 0, 0)


@pytest.mark.parametrize("length", range(5))
def test_a_journal_that_a_crash_cut_off_tells_what_may_have_been_made(length: int) -> None:
    run = recorded("r", [BEGIN, INTENT, MADE, END][:length])
    assert (run.ended_at is None) == (length < 4)
    assert [entry.status for entry in run.entries] == {0: [], 1: [], 2: [None]}.get(length, [Status.MADE])
    assert run.planned == (2 if length else 0)
