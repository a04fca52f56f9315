"""What becomes of a change when the cloud, the journal, the lease or the code fails in the middle of it."""

from __future__ import annotations

import json
import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reconciler.apply import Execution, Journal, RunBroke, execute, read_run
from reconciler.apply.folder import FolderStore
from reconciler.errors import CallFailed, HedgerowError
from reconciler.model import LiveTopic, StoragePolicy, TopicName
from reconciler.reconcile import Change, Run, Status
from tests.apply.fakes import PERMISSION_DENIED, UNAVAILABLE, FakeTopics, policy
from tests.apply.test_executor import AFTER, BEFORE, Clock, change
from tests.apply.test_trouble import NOT_ALLOWED, NOWHERE

REFUSED = CallFailed("FAILED_PRECONDITION", NOT_ALLOWED, is_transient=False)
THROTTLED = CallFailed("RESOURCE_EXHAUSTED", "quota", is_transient=True)


def lab(name: str, **settings: Any) -> Change:
    return replace(change(name, **settings), name=TopicName("acme-lab", name))


def cloud(*changes: Change, **settings: Any) -> FakeTopics:
    return FakeTopics(policies={one.name: one.before for one in changes}, **settings)


class Night:
    """A run on a fake cloud, with a clock that only sleeping moves."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.clock = Clock()
        self.store = FolderStore(str(folder), "production")
        self.execution = Execution(clock=self.clock, sleep=self.clock.sleep, **{"concurrency": 1, **settings})

    def run(self, topics: FakeTopics, *changes: Change) -> Run:
        with Journal(self.store.begin_log("run"), "run") as journal:
            return execute(changes, topics, journal, run="run", execution=self.execution)


def told(done: Run) -> list[tuple[str, Status, str]]:
    return [(outcome.change.name.topic, outcome.status, outcome.message) for outcome in done.outcomes]


CHANGING = "the policy is changing; the next run will look again"


def test_a_region_that_is_not_allowed_fails_at_once_and_closes_its_project(tmp_path: Path) -> None:
    changes = [lab("x"), change("a"), change("b")]
    topics = cloud(*changes, failures=deque([(REFUSED, False)]))
    night = Night(tmp_path)
    assert told(night.run(topics, change("a"), change("b"), lab("x"))) == [
        ("a", Status.FAILED, f"{REFUSED.message}; the policy is not the one that the plan was computed from"),
        ("b", Status.SKIPPED, CHANGING),
        ("x", Status.MADE, ""),
    ]
    assert night.clock.now < 1
    assert [name.topic for name in topics.writes] == ["a", "x"]


def test_a_recomputation_that_comes_to_something_else_closes_its_project(tmp_path: Path) -> None:
    changes = [change("a", resolution="recompute"), change("b"), lab("x")]
    done = Night(tmp_path).run(cloud(*changes, computed=policy("us-east1")), *changes)
    assert told(done) == [
        ("a", Status.FAILED, "read back otherwise than written: the topic now has us-east1; the policy is changing"),
        ("b", Status.SKIPPED, CHANGING),
        ("x", Status.MADE, ""),
    ]


def test_a_policy_that_allows_nothing_yet_is_waited_for_but_not_for_ever(tmp_path: Path) -> None:
    nowhere = CallFailed("FAILED_PRECONDITION", NOWHERE, is_transient=False)
    patient = Night(tmp_path / "one")
    assert told(patient.run(cloud(change("a"), failures=deque([(nowhere, False)] * 3)), change("a"))) == [
        ("a", Status.MADE, "")
    ]
    impatient = Night(tmp_path / "two", retry_budget=5)
    done = impatient.run(cloud(change("a"), failures=deque([(nowhere, False)] * 99)), change("a"), change("b"))
    assert told(done) == [
        ("a", Status.FAILED, nowhere.message),
        ("b", Status.SKIPPED, "the calls before it failed: FAILED_PRECONDITION"),
    ]
    assert 5 <= impatient.clock.now < 16


def test_a_quota_that_is_used_up_for_minutes_is_waited_for(tmp_path: Path) -> None:
    class Quota(FakeTopics):
        def get(self, name: TopicName) -> LiveTopic | None:
            self.spend()
            return super().get(name)

        def write_storage_policy(self, name: TopicName, policy: StoragePolicy) -> None:
            self.spend()
            super().write_storage_policy(name, policy)

        def spend(self) -> None:
            calls.append(night.clock.now)
            if 0.1 < night.clock.now < 180:
                raise THROTTLED

    calls: list[float] = []
    changes = [change(f"t{number}") for number in range(20)]
    night = Night(tmp_path)
    done = night.run(Quota(policies={one.name: BEFORE for one in changes}), *changes)
    assert done.count(Status.MADE) == 20
    assert sum(0.1 < at < 180 for at in calls) < 20


def test_a_quota_that_stays_used_up_is_told_as_such(tmp_path: Path) -> None:
    night = Night(tmp_path, quota_budget=60)
    topics = cloud(change("a"), change("b"), failures=deque([(THROTTLED, False)] * 99))
    assert told(night.run(topics, change("a"), change("b"))) == [
        ("a", Status.FAILED, "RESOURCE_EXHAUSTED: quota; throttled, so the next run goes on where this one stopped"),
        ("b", Status.SKIPPED, "the calls before it failed: RESOURCE_EXHAUSTED"),
    ]


def test_reads_are_tried_again_within_the_budget_and_then_close_their_project(tmp_path: Path) -> None:
    topics = cloud(change("a"), change("b"), lab("x"), reads_fail=deque([UNAVAILABLE, None, UNAVAILABLE]))
    assert told(Night(tmp_path / "one").run(topics, change("a")))[0][1] is Status.MADE
    topics = cloud(change("a"), change("b"), lab("x"), reads_fail=deque([UNAVAILABLE] * 9))
    done = Night(tmp_path / "two", retry_budget=10).run(topics, change("a"), change("b"))
    assert told(done) == [
        ("a", Status.FAILED, "UNAVAILABLE: try again"),
        ("b", Status.SKIPPED, "the calls before it failed: UNAVAILABLE"),
    ]
    assert topics.writes == []


def test_a_topic_that_is_deleted_before_its_write_is_stale(tmp_path: Path) -> None:
    gone = CallFailed("NOT_FOUND", "no such topic", is_transient=False)
    done = Night(tmp_path).run(cloud(change("a"), failures=deque([(gone, False)])), change("a"))
    assert told(done) == [("a", Status.STALE, "the topic is gone")]


def test_a_topic_that_is_deleted_after_its_write_is_stale(tmp_path: Path) -> None:
    class Deleting(FakeTopics):
        def write_storage_policy(self, name: TopicName, policy: StoragePolicy) -> None:
            super().write_storage_policy(name, policy)
            del self.policies[name]

    done = Night(tmp_path).run(Deleting(policies={change("a").name: BEFORE}), change("a"))
    assert told(done) == [("a", Status.STALE, "the topic is gone")]


@pytest.mark.parametrize(("is_lost", "status"), [(True, Status.MADE), (False, Status.FAILED)])
def test_an_error_that_tells_nothing_is_settled_by_reading_back(tmp_path: Path, is_lost: bool, status: Status) -> None:
    internal = CallFailed("INTERNAL", "who knows", is_transient=False)
    topics = cloud(change("a"), failures=deque([(internal, is_lost)]))
    done = Night(tmp_path).run(topics, change("a"))
    assert [outcome.status for outcome in done.outcomes] == [status]
    assert len(topics.writes) == 1


def test_a_lost_lease_stops_the_run_before_its_next_write(tmp_path: Path) -> None:
    topics = cloud(change("a"), change("b"))
    night = Night(tmp_path, wave_sizes=("1", "100%"), obstacle=lambda: "the lease is lost" if topics.writes else None)
    done = night.run(topics, change("a"), change("b"))
    assert told(done) == [("a", Status.MADE, ""), ("b", Status.SKIPPED, "the lease is lost")]
    assert done.stopped == "the lease is lost"
    assert [name.topic for name in topics.writes] == ["a"]


def test_a_lease_lost_between_intent_and_write_sends_nothing_and_says_so_in_the_journal(tmp_path: Path) -> None:
    asked: list[None] = []

    def obstacle() -> str | None:
        asked.append(None)
        return "the lease is lost" if len(asked) > 2 else None

    topics = cloud(change("a"))
    night = Night(tmp_path, obstacle=obstacle)
    assert told(night.run(topics, change("a"))) == [("a", Status.SKIPPED, "the lease is lost")]
    assert topics.writes == []
    recorded = read_run(night.store, "run")
    assert [(entry.status, entry.message) for entry in recorded.entries] == [(Status.SKIPPED, "the lease is lost")]


def test_a_lease_lost_after_a_write_that_may_yet_happen_is_no_reason_to_call_it_skipped(tmp_path: Path) -> None:
    """The way back looks at what failed, and leaves alone what was skipped."""
    asked: list[None] = []

    def obstacle() -> str | None:
        asked.append(None)
        return "the lease is lost" if len(asked) > 3 else None

    topics = cloud(change("a"), failures=deque([(UNAVAILABLE, False)]))
    night = Night(tmp_path, obstacle=obstacle)
    assert told(night.run(topics, change("a"))) == [
        ("a", Status.FAILED, "UNAVAILABLE: try again; not tried again: the lease is lost")
    ]
    assert [name.topic for name in topics.writes] == ["a"]


def test_what_somebody_else_wrote_while_ours_was_refused_is_not_told_as_made(tmp_path: Path) -> None:
    class Raced(FakeTopics):
        def write_storage_policy(self, name: TopicName, policy: StoragePolicy) -> None:
            self.policies[name] = policy
            raise THROTTLED

    done = Night(tmp_path).run(Raced(policies={change("a").name: BEFORE}), change("a"))
    assert told(done) == [("a", Status.STALE, "somebody else made the same change")]


class Brittle:
    """A log that fails from a record on."""

    address = "brittle"

    def __init__(self, good: int) -> None:
        self.good = good
        self.records: list[bytes] = []

    def append(self, record: bytes) -> None:
        if len(self.records) >= self.good:
            raise HedgerowError("the journal brittle cannot be written: No space left on device")
        self.records.append(record)

    def close(self) -> None:
        pass


FULL = "the journal brittle cannot be written: No space left on device"


@pytest.mark.parametrize(
    ("good", "outcomes", "writes"),
    [
        (0, [("a", Status.SKIPPED, FULL), ("b", Status.SKIPPED, f"the run broke: {FULL}")], []),
        (1, [("a", Status.MADE, ""), ("b", Status.SKIPPED, f"the run broke: {FULL}")], ["a"]),
        (2, [("a", Status.MADE, ""), ("b", Status.SKIPPED, FULL)], ["a"]),
        (3, [("a", Status.MADE, ""), ("b", Status.MADE, "")], ["a", "b"]),
        (4, [("a", Status.MADE, ""), ("b", Status.MADE, "")], ["a", "b"]),
    ],
)
def test_a_disk_that_fills_up_ends_the_run_and_loses_nothing_of_it(
    good: int, outcomes: list[tuple[str, Status, str]], writes: list[str]
) -> None:
    topics, log, clock = cloud(change("a"), change("b")), Brittle(good), Clock()
    execution = Execution(clock=clock, sleep=clock.sleep, concurrency=1)
    with pytest.raises(RunBroke) as broke:
        execute([change("a"), change("b")], topics, Journal(log, "run"), run="run", execution=execution)
    assert told(broke.value.run) == outcomes
    assert broke.value.run.stopped in (FULL, f"the run broke: {FULL}")
    assert str(broke.value.cause) == f"error: {FULL}"
    assert [name.topic for name in topics.writes] == writes
    intents = [json.loads(record)["topic"] for record in log.records if b'"event": "intent"' in record]
    assert [f"projects/acme-orders-prod/topics/{topic}" for topic in writes] == intents


def test_a_bug_ends_the_run_with_what_was_done_and_keeps_its_cause(tmp_path: Path) -> None:
    class Buggy(FakeTopics):
        def write_storage_policy(self, name: TopicName, policy: StoragePolicy) -> None:
            if self.writes:
                raise ZeroDivisionError("a bug")
            super().write_storage_policy(name, policy)

    changes = [change(name) for name in "abc"]
    night = Night(tmp_path)
    with pytest.raises(RunBroke) as broke:
        night.run(Buggy(policies={one.name: BEFORE for one in changes}), *changes)
    assert isinstance(broke.value.cause, ZeroDivisionError)
    assert told(broke.value.run) == [
        ("a", Status.MADE, ""),
        ("b", Status.FAILED, "unexpected: ZeroDivisionError: a bug"),
        ("c", Status.SKIPPED, "the run broke: ZeroDivisionError('a bug')"),
    ]
    assert [entry.status for entry in read_run(night.store, "run").entries] == [Status.MADE, None]


def test_a_signal_while_waiting_for_another_attempt_ends_the_wait(tmp_path: Path) -> None:
    class Stopping(FakeTopics):
        def write_storage_policy(self, name: TopicName, policy: StoragePolicy) -> None:
            del name, policy
            execution.stop.set()
            raise UNAVAILABLE

    execution = Execution(concurrency=1, retry_budget=60)
    log = FolderStore(str(tmp_path), "production").begin_log("run")
    began = time.monotonic()
    with Journal(log, "run") as journal:
        done = execute(
            [change("a")], Stopping(policies={change("a").name: BEFORE}), journal, run="run", execution=execution
        )
    assert told(done) == [("a", Status.FAILED, "UNAVAILABLE: try again")]
    assert time.monotonic() - began < 5


def test_a_payer_that_is_slow_does_not_keep_another_waiting(tmp_path: Path) -> None:
    """Two projects that pay for themselves take turns: each spends its own rate."""
    changes = [*(change(f"t{number:02}") for number in range(20)), *(lab(f"t{number:02}") for number in range(20))]
    topics = cloud(*changes)
    done = Night(tmp_path, payer=lambda project: project).run(topics, *changes)
    assert done.count(Status.MADE) == 40
    for length in range(1, 41):
        first = [name.project for name in topics.writes[:length]].count("acme-lab")
        assert abs(2 * first - length) <= 4
    assert [outcome.change for outcome in done.outcomes] == changes


def test_permission_that_is_missing_for_one_topic_leaves_the_others(tmp_path: Path) -> None:
    topics = cloud(change("a"), change("b"), failures=deque([(PERMISSION_DENIED, False)]))
    assert [status for _, status, _ in told(Night(tmp_path).run(topics, change("a"), change("b")))] == [
        Status.FAILED,
        Status.MADE,
    ]
    assert topics.policies[change("b").name] == AFTER
