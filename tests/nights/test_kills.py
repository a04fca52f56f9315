"""`kill -9` at every step of the journal and at every request; the journal tells what may have happened."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from reconciler.model import Resolution
from reconciler.sandbox.errors import Gone
from tests.nights.cases import Moment
from tests.nights.conftest import NightOf
from tests.nights.ledger import journal
from tests.nights.night import DRIFTS, TOPICS, Night
from tests.nights.nursery import Nursery, Process


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A record of the journal at which the process dies.

    Attributes:
        event: its kind; the `nth` of it.
        moment: `before` the record, `amid` it (half of it is on the disk), or `after` it.
        records: whole records that are left.
        written: topics that have been written by then.
    """

    event: str
    nth: int
    moment: str
    records: int
    written: int

    @property
    def id(self) -> str:
        return f"{self.moment}-{self.event}-{self.nth}"

    @property
    def is_open(self) -> bool:
        """Whether an intent is left without its outcome."""
        return (self.event, self.moment) in {("intent", "after"), ("outcome", "before"), ("outcome", "amid")}


STEPS = (
    Step(event="begin", nth=1, moment="before", records=0, written=0),
    Step(event="begin", nth=1, moment="amid", records=0, written=0),
    Step(event="begin", nth=1, moment="after", records=1, written=0),
    Step(event="intent", nth=1, moment="before", records=1, written=0),
    Step(event="intent", nth=1, moment="amid", records=1, written=0),
    Step(event="intent", nth=1, moment="after", records=2, written=0),
    Step(event="outcome", nth=1, moment="before", records=2, written=1),
    Step(event="outcome", nth=1, moment="amid", records=2, written=1),
    Step(event="outcome", nth=1, moment="after", records=3, written=1),
    Step(event="intent", nth=3, moment="before", records=5, written=2),
    Step(event="intent", nth=3, moment="after", records=6, written=2),
    Step(event="outcome", nth=3, moment="before", records=6, written=3),
    Step(event="outcome", nth=3, moment="after", records=7, written=3),
    Step(event="end", nth=1, moment="before", records=7, written=3),
    Step(event="end", nth=1, moment="amid", records=7, written=3),
    Step(event="end", nth=1, moment="after", records=8, written=3),
)

KILLING = [pytest.param(r, step, id=f"{r}-{step.id}") for r in DRIFTS for step in STEPS]


@pytest.mark.parametrize(("resolution", "step"), KILLING)
def test_a_run_that_is_killed_at_a_step_of_its_journal_leaves_what_the_next_needs(
    resolution: Resolution, step: Step, night: NightOf, nursery: Nursery
) -> None:
    tonight = night(resolution)
    die = {"event": step.event, "nth": step.nth, "moment": step.moment}
    process = tonight.start(nursery, "reconcile", die=die)
    assert process.wait() == -signal.SIGKILL, process.err
    (run,) = tonight.runs
    records = journal(tonight.folder / "runs")
    assert [sent.topic for sent in tonight.warden.sent] == list(TOPICS[: step.written])
    assert len(records) == step.records
    assert _open(records) == ([TOPICS[step.nth - 1]] if step.is_open else [])
    _assert_survived(tonight, run, is_open=step.is_open)


MOMENTS = (
    Moment(name="reading-the-policy", method="GetEffectivePolicy"),
    Moment(name="listing", method="ListTopics"),
    Moment(name="reading-the-first-again", method="GetTopic", number=1),
    Moment(name="writing-the-first", method="UpdateTopic", number=1),
    Moment(name="reading-the-first-back", method="GetTopic", number=1, after=1),
    Moment(name="writing-the-last", method="UpdateTopic", number=3),
    Moment(name="reading-the-last-back", method="GetTopic", number=3, after=1),
)
KILLING_IN_CALLS = [
    pytest.param(r, moment, is_carried_out, id=f"{r}-{moment.name}-{'answered' if is_carried_out else 'not-done'}")
    for r in DRIFTS
    for moment in MOMENTS
    for is_carried_out in (False, True)
    if moment.is_write or not is_carried_out
]


@pytest.mark.parametrize(("resolution", "moment", "is_carried_out"), KILLING_IN_CALLS)
def test_a_run_that_is_killed_in_a_call_leaves_what_the_next_needs(
    resolution: Resolution, moment: Moment, is_carried_out: bool, night: NightOf, nursery: Nursery
) -> None:
    tonight = night(resolution)
    processes: list[Process] = []

    def kill(carry_out: Callable[[], Any]) -> Any:
        if is_carried_out:
            carry_out()
        processes[0].kill()
        processes[0].wait()
        raise Gone

    tonight.box.stand_by(moment.met(kill))
    processes.append(tonight.start(nursery, "reconcile"))
    assert processes[0].wait() == -signal.SIGKILL, processes[0].err
    written = max(moment.number - 1, 0) + (is_carried_out or moment.after)
    assert [sent.topic for sent in tonight.warden.sent if sent.carried_out] == list(TOPICS[:written])
    is_open = moment.is_write or moment.after == 1
    assert _open(journal(tonight.folder / "runs")) == ([TOPICS[moment.number - 1]] if is_open else [])
    run = re.findall(r"^run (\S+)", processes[0].err, re.MULTILINE)[0]
    assert tonight.runs == ([run] if moment.number else [])
    _assert_survived(tonight, run, is_open=is_open)


def _open(records: list[dict[str, Any]]) -> list[str]:
    outcomes = {record["topic"] for record in records if record["event"] == "outcome"}
    return [record["topic"] for record in records if record["event"] == "intent" and record["topic"] not in outcomes]


def _assert_survived(tonight: Night, run: str, *, is_open: bool) -> None:
    """The journal tells no lie, can be shown and taken back as far as it goes; the next run converges."""
    assert tonight.untruths(run) == []
    if tonight.runs:
        shown = tonight.hedgerow("runs", "show", run)
        assert shown.code == 0, shown.err
        assert ("the write may or may not have happened" in shown.out) == is_open
        assert tonight.hedgerow("revert", run).code == 0
    tonight.assert_converges()
    assert tonight.untruths(run) == []


def test_a_journal_of_which_half_a_record_is_left_is_read_up_to_there(night: NightOf, nursery: Nursery) -> None:
    tonight = night(Resolution.RESTRICT)
    tonight.start(nursery, "reconcile", die={"event": "outcome", "nth": 1, "moment": "amid"}).wait()
    (run,) = tonight.runs
    left = (tonight.folder / f"runs/production/{run}.jsonl").read_bytes().split(b"\n")
    assert [json.loads(line)["event"] for line in left[:-1]] == ["begin", "intent"]
    assert left[-1].startswith(b'{"at": "')
    assert tonight.hedgerow("runs", "list").out == f"{run}  not ended   3 changes: 1 that may have been made\n"
