from __future__ import annotations

import json
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from reconciler.apply import Execution, Journal, RunBroke, execute
from reconciler.apply.folder import FolderStore
from reconciler.errors import CallFailed, HedgerowError
from reconciler.model import RegionSet, Resolution, StoragePolicy, TopicName
from reconciler.reconcile import Change, Kind, Outcome, Run, Status, Wave
from tests.apply.fakes import PERMISSION_DENIED, UNAVAILABLE, FakeTopics, policy

BEFORE, AFTER = policy("europe-west1", "us-east1", flag=True), policy("europe-west1", flag=True)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def change(
    name: str, before: StoragePolicy | None = BEFORE, after: StoragePolicy | None = AFTER, resolution: str = "restrict"
) -> Change:
    return Change(
        name=TopicName("acme-orders-prod", name),
        kind=Kind.DISALLOWED,
        resolution=Resolution(resolution),
        before=before,
        after=after,
        why="- us-east1",
    )


def run(tmp_path: Path, topics: FakeTopics, *changes: Change, **settings: Any) -> Run:
    clock = Clock()
    execution = Execution(clock=clock, sleep=clock.sleep, **{"concurrency": 1, **settings})
    with Journal(FolderStore(str(tmp_path), "").begin_log("run"), "run") as journal:
        return execute(changes, topics, journal, run="run", execution=execution)


def journalled(tmp_path: Path) -> list[tuple[str, str | None]]:
    records = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    return [(record["event"], record.get("status")) for record in records]


def topics(*names: str, **settings: Any) -> FakeTopics:
    return FakeTopics(policies={change(name).name: BEFORE for name in names}, **settings)


def statuses(done: Run) -> list[tuple[Status, str]]:
    return [(outcome.status, outcome.message) for outcome in done.outcomes]


def test_a_change_is_journalled_written_and_read_back(tmp_path: Path) -> None:
    cloud = topics("a")
    done = run(tmp_path, cloud, change("a"))
    assert statuses(done) == [(Status.MADE, "")]
    assert cloud.policies == {change("a").name: AFTER}
    assert journalled(tmp_path) == [("intent", None), ("outcome", "made"), ("end", None)]


def test_a_topic_that_changed_since_the_plan_is_left_alone(tmp_path: Path) -> None:
    cloud = FakeTopics(policies={change("a").name: policy("us-east1")})
    done = run(tmp_path, cloud, change("a"), change("gone"))
    assert statuses(done) == [
        (Status.STALE, "changed by someone else since it was read; the next run will look again"),
        (Status.STALE, "the topic is gone"),
    ]
    assert cloud.writes == []
    assert journalled(tmp_path) == [("outcome", "stale"), ("outcome", "stale"), ("end", None)]


def test_recomputing_sends_no_policy_and_is_compared_with_what_was_expected(tmp_path: Path) -> None:
    cloud = topics("a", "b", computed=AFTER)
    done = run(
        tmp_path,
        cloud,
        change("a", resolution="recompute"),
        change("b", after=policy("europe-west4"), resolution="recompute"),
    )
    assert statuses(done) == [
        (Status.MADE, ""),
        (
            Status.FAILED,
            (
                "read back otherwise than written: the topic now has europe-west1, enforced in transit; "
                "the policy is changing"
            ),
        ),
    ]


def test_recomputing_to_no_policy_is_made_when_there_is_none(tmp_path: Path) -> None:
    assert statuses(run(tmp_path, topics("a"), change("a", after=None, resolution="recompute"))) == [(Status.MADE, "")]


def test_a_permanent_error_is_not_tried_again(tmp_path: Path) -> None:
    cloud = topics("a", failures=deque([(PERMISSION_DENIED, False)]))
    done = run(tmp_path, cloud, change("a"))
    assert statuses(done) == [(Status.FAILED, "PERMISSION_DENIED: pubsub.topics.update is missing")]
    assert len(cloud.writes) == 1


def test_a_passing_error_is_tried_again_within_the_budget(tmp_path: Path) -> None:
    cloud = topics("a", failures=deque([(UNAVAILABLE, False)] * 2))
    assert statuses(run(tmp_path, cloud, change("a"))) == [(Status.MADE, "")]
    assert len(cloud.writes) == 3
    cloud = topics("b", failures=deque([(UNAVAILABLE, False)] * 1000))
    (tmp_path / "run.jsonl").unlink()
    assert statuses(run(tmp_path, cloud, change("b"), retry_budget=5)) == [(Status.FAILED, "UNAVAILABLE: try again")]


def test_a_lost_answer_is_resolved_by_reading_back(tmp_path: Path) -> None:
    cloud = topics("a", failures=deque([(UNAVAILABLE, True)]))
    assert statuses(run(tmp_path, cloud, change("a"))) == [(Status.MADE, "")]
    assert len(cloud.writes) == 1


def test_a_write_is_not_repeated_over_somebody_elses(tmp_path: Path) -> None:
    class Raced(FakeTopics):
        def write_storage_policy(self, name: TopicName, policy: StoragePolicy) -> None:
            del policy
            self.policies[name] = somebody_elses
            self.writes.append(name)
            raise UNAVAILABLE

    somebody_elses = policy("europe-west4")
    cloud = Raced(policies={change("a").name: BEFORE})
    assert statuses(run(tmp_path, cloud, change("a"))) == [(Status.STALE, "UNAVAILABLE: try again")]
    assert len(cloud.writes) == 1


def test_a_topic_that_cannot_be_read_is_not_written(tmp_path: Path) -> None:
    cloud = topics("a", reads_fail=deque([PERMISSION_DENIED]))
    assert statuses(run(tmp_path, cloud, change("a"))) == [(Status.FAILED, PERMISSION_DENIED.message)]
    assert cloud.writes == []


def test_a_write_that_cannot_be_read_back_is_not_called_made(tmp_path: Path) -> None:
    cloud = topics("a", reads_fail=deque([None, *[UNAVAILABLE] * 100]))
    assert statuses(run(tmp_path, cloud, change("a"), retry_budget=5)) == [
        (Status.FAILED, "the write was sent and could not be read back: UNAVAILABLE: try again")
    ]


def test_a_write_that_reads_back_otherwise_failed(tmp_path: Path) -> None:
    class Forgetful(FakeTopics):
        def write_storage_policy(self, name: TopicName, policy: StoragePolicy) -> None:
            del policy
            self.policies[name] = somebody_elses

    somebody_elses = StoragePolicy(regions=RegionSet.of("us-east1"))
    cloud = Forgetful(policies={change("a").name: BEFORE})
    assert statuses(run(tmp_path, cloud, change("a"))) == [
        (Status.FAILED, "read back otherwise than written: the topic now has us-east1")
    ]


def test_a_wave_in_which_something_failed_is_the_last(tmp_path: Path) -> None:
    began: list[tuple[int, int, int]] = []
    ended: list[object] = []

    class Watch:
        def wave_began(self, number: int, number_of_waves: int, changes: int) -> None:
            began.append((number, number_of_waves, changes))

        def change_ended(self, outcome: Outcome) -> None:
            ended.append(outcome.status)

        def wave_ended(self, wave: Wave, number_of_waves: int) -> None:
            ended.append((wave.number, number_of_waves))

    cloud = topics("a", "b", "c", failures=deque([(PERMISSION_DENIED, False)]))
    with Journal(FolderStore(str(tmp_path), "").begin_log("run"), "run") as journal:
        done = execute(
            [change("a"), change("b"), change("c")],
            cloud,
            journal,
            run="run",
            execution=Execution(wave_sizes=("1", "100%"), concurrency=1),
            progress=Watch(),
        )
    assert [outcome.status for outcome in done.outcomes] == [Status.FAILED, Status.SKIPPED, Status.SKIPPED]
    assert done.stopped == "1 of 1 changes of wave 1 failed"
    assert (began, ended) == ([(1, 2, 1)], [Status.FAILED, (1, 2)])


def test_a_signal_lets_the_write_in_hand_finish_and_begins_no_other(tmp_path: Path) -> None:
    class Stopping(FakeTopics):
        def write_storage_policy(self, name: TopicName, policy: StoragePolicy) -> None:
            super().write_storage_policy(name, policy)
            execution.stop.set()

    cloud = Stopping(policies={change(name).name: BEFORE for name in "abc"})
    execution = Execution(wave_sizes=("2", "100%"), concurrency=1)
    with Journal(FolderStore(str(tmp_path), "").begin_log("run"), "run") as journal:
        done = execute([change(name) for name in "abc"], cloud, journal, run="run", execution=execution)
    assert [outcome.status for outcome in done.outcomes] == [Status.MADE, Status.SKIPPED, Status.SKIPPED]
    assert done.stopped == "stopped by a signal"


def test_nothing_is_written_without_a_journal(tmp_path: Path) -> None:
    cloud = topics("a", "b")
    journal = Journal(FolderStore(str(tmp_path), "").begin_log("run"), "run")
    journal.__exit__(None, None, None)
    with pytest.raises(RunBroke) as broke:
        execute([change("a"), change("b")], cloud, journal, run="run", execution=Execution(concurrency=1))
    words = f"the journal {tmp_path}/run.jsonl cannot be written: Bad file descriptor"
    assert isinstance(broke.value.cause, HedgerowError)
    assert broke.value.cause.message == words
    assert statuses(broke.value.run) == [(Status.SKIPPED, words), (Status.SKIPPED, f"the run broke: {words}")]
    assert broke.value.run.stopped == f"the run broke: {words}"
    assert cloud.writes == []


def test_a_failed_call_names_its_code() -> None:
    error = CallFailed("NOT_FOUND", "no such project", is_transient=False, hint="correct it")
    assert str(error) == "error: NOT_FOUND: no such project\n  hint: correct it"
