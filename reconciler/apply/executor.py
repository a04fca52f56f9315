"""Carries out changes: re-read, write, read back, compare; journalled before and after, in waves.

The life of one change: read the topic, and leave it alone if it is no longer as planned (stale); journal the intent;
send the write; read the topic back, also when the answer was lost, and only then say what became of it. A wave in
which something failed is the last one.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Protocol

from reconciler.apply.journal import Journal
from reconciler.apply.pace import Pace, waves
from reconciler.errors import CallFailed
from reconciler.model import LiveTopic, Resolution, StoragePolicy, TopicName
from reconciler.reconcile import Change, Outcome, Run, Status, Wave


class Topics(Protocol):
    """The topics that the executor reads and writes."""

    def get(self, name: TopicName) -> LiveTopic | None:
        """One topic, or `None`; raises `CallFailed`."""
        ...

    def write_storage_policy(self, name: TopicName, policy: StoragePolicy) -> None:
        """Replaces the storage policy; raises `CallFailed`."""
        ...

    def recompute_storage_policy(self, name: TopicName) -> None:
        """Has the server compute the storage policy; raises `CallFailed`."""
        ...


class Progress(Protocol):
    """What watches a run."""

    def wave_ended(self, wave: Wave, number_of_waves: int) -> None:
        """A wave is done."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """How changes are carried out.

    Attributes:
        wave_sizes: see `waves`.
        operations_per_minute: administrator operations per payer.
        payer: who pays for a project's calls.
        concurrency: writes under way at once.
        retry_budget: seconds for which a write that failed for a passing reason is tried again.
        stop: set by a signal; the writes in hand are finished and no other is begun.
    """

    wave_sizes: Sequence[str] = ("100%",)
    operations_per_minute: int = 3000
    payer: Callable[[str], str] = lambda _: "caller"
    concurrency: int = 8
    retry_budget: float = 60.0
    stop: Event = field(default_factory=Event)
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


def execute(
    changes: Sequence[Change],
    topics: Topics,
    journal: Journal,
    *,
    run: str,
    execution: Execution,
    progress: Progress | None = None,
) -> Run:
    """Carries out the changes and returns what became of each.

    Raises:
        HedgerowError: when the journal cannot be written; what was begun is finished first as far as it is recorded.
    """
    pace = Pace(execution.operations_per_minute, execution.clock, execution.sleep)
    worker = _Worker(topics, journal, pace, execution)
    portions = list(waves(changes, execution.wave_sizes))
    done: list[Wave] = []
    stopped: str | None = None
    with ThreadPoolExecutor(max_workers=execution.concurrency, thread_name_prefix="apply") as pool:
        for number, portion in enumerate(portions, start=1):
            started = execution.clock()
            outcomes = tuple(pool.map(worker.carry_out, portion))
            wave = Wave(number=number, outcomes=outcomes, seconds=execution.clock() - started)
            done.append(wave)
            if progress is not None:
                progress.wave_ended(wave, len(portions))
            if execution.stop.is_set():
                stopped = "stopped by a signal"
            elif wave.count(Status.FAILED) and number < len(portions):
                stopped = f"{wave.count(Status.FAILED)} of {len(portion)} changes of wave {number} failed"
            if stopped:
                break
    attempted = sum(len(portion) for portion in portions[: len(done)])
    skipped = tuple(Outcome(change=c, status=Status.SKIPPED, message=stopped or "") for c in changes[attempted:])
    journal.end(stopped=stopped)
    return Run(id=run, waves=tuple(done), skipped=skipped, journal=str(journal.path), stopped=stopped)


class _Worker:
    def __init__(self, topics: Topics, journal: Journal, pace: Pace, execution: Execution) -> None:
        self._topics = topics
        self._journal = journal
        self._pace = pace
        self._execution = execution

    def carry_out(self, change: Change) -> Outcome:
        if self._execution.stop.is_set():
            return Outcome(change=change, status=Status.SKIPPED, message="stopped by a signal")
        try:
            found = self._read(change)
        except CallFailed as error:
            return self._ended(Outcome(change=change, status=Status.FAILED, message=error.message))
        if found is None:
            return self._ended(Outcome(change=change, status=Status.STALE, message="the topic is gone"))
        if found.policy != change.before:
            message = "changed by someone else since it was read; the next run will look again"
            return self._ended(Outcome(change=change, status=Status.STALE, found=found.policy, message=message))
        self._journal.intent(change)
        return self._ended(self._written(change))

    def _written(self, change: Change) -> Outcome:
        """Sends the write until it is known to have happened or to be refused, within the budget."""
        deadline = self._execution.clock() + self._execution.retry_budget
        delay = 0.2
        while True:
            refused = self._write(change)
            if refused is not None and not refused.is_transient:
                return Outcome(change=change, status=Status.FAILED, found=change.before, message=refused.message)
            try:
                found = self._read(change)
            except CallFailed as error:
                message = f"the write was sent and could not be read back: {error.message}"
                return Outcome(change=change, status=Status.FAILED, message=message)
            outcome = self._compared(change, found, refused)
            # Sent again only while the topic is as it was: a lost answer may hide a success, or someone else's write.
            if found is not None and found.policy not in (change.before, change.after):
                return replace(outcome, status=Status.STALE if refused else outcome.status)
            given_up = self._execution.stop.is_set() or self._execution.clock() >= deadline
            if refused is None or outcome.status is Status.MADE or given_up:
                return outcome
            self._execution.sleep(delay * random.uniform(0.5, 1.0))  # noqa: S311 - jitter, not a secret
            delay = min(delay * 2, 10.0)

    def _write(self, change: Change) -> CallFailed | None:
        self._pace.take(self._execution.payer(change.name.project))
        try:
            if change.resolution is Resolution.RECOMPUTE:
                self._topics.recompute_storage_policy(change.name)
            else:
                assert change.after is not None  # noqa: S101 - only recomputing comes to no policy
                self._topics.write_storage_policy(change.name, change.after)
        except CallFailed as error:
            return error
        return None

    def _read(self, change: Change) -> LiveTopic | None:
        self._pace.take(self._execution.payer(change.name.project))
        return self._topics.get(change.name)

    @staticmethod
    def _compared(change: Change, found: LiveTopic | None, refused: CallFailed | None) -> Outcome:
        policy = found.policy if found else None
        if found is not None and policy == change.after:
            return Outcome(change=change, status=Status.MADE, found=policy)
        if refused is not None:
            return Outcome(change=change, status=Status.FAILED, found=policy, message=refused.message)
        what = "the topic is gone" if found is None else f"the topic now has {_words(policy)}"
        hint = "; the policy is changing" if change.resolution is Resolution.RECOMPUTE else ""
        message = f"read back otherwise than written: {what}{hint}"
        return Outcome(change=change, status=Status.FAILED, found=policy, message=message)

    def _ended(self, outcome: Outcome) -> Outcome:
        self._journal.outcome(outcome)
        return outcome


def _words(policy: StoragePolicy | None) -> str:
    if policy is None:
        return "no storage policy"
    return f"{policy.regions}{', enforced in transit' if policy.enforce_in_transit else ''}"
