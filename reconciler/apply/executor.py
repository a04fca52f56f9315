"""Carries out changes in waves, at a rate, and says what became of each; a wave in which one failed is the last."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from typing import Protocol

from reconciler.apply.journal import Journal
from reconciler.apply.pace import Pace, interleaved, waves
from reconciler.apply.worker import Topics, Worker
from reconciler.errors import HedgerowError
from reconciler.reconcile import Change, Outcome, Run, Status, Wave

_MOST_THREADS = 64


class Progress(Protocol):
    """What watches a run. `change_ended` is called from several threads."""

    def wave_began(self, number: int, number_of_waves: int, changes: int) -> None:
        """A wave of so many changes begins."""
        ...

    def change_ended(self, outcome: Outcome) -> None:
        """A change is done with."""
        ...

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
        concurrency: changes under way at once, for each payer.
        retry_budget: seconds for which a call that failed for a passing reason is tried again.
        quota_budget: the same for a quota that is used up, which fills again by the minute.
        stop: set by a signal; the writes in hand are finished and no other is begun.
        obstacle: says, right before each write, why none may be sent, if so (a lost lease).
        sleep: waits for seconds; without one, waits until then or until `stop`.
    """

    wave_sizes: Sequence[str] = ("100%",)
    operations_per_minute: int = 3000
    payer: Callable[[str], str] = lambda _: "caller"
    concurrency: int = 16
    retry_budget: float = 60.0
    quota_budget: float = 600.0
    stop: Event = field(default_factory=Event)
    obstacle: Callable[[], str | None] = lambda: None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] | None = None

    def wait(self, seconds: float) -> None:
        """Waits between attempts."""
        (self.sleep or self.stop.wait)(seconds)


class RunBroke(Exception):
    """A run could not be recorded, or met a bug (the cause); `run` is what became of every change all the same."""

    def __init__(self, run: Run, cause: Exception) -> None:
        super().__init__(run.stopped)
        self.run = run
        self.cause = cause


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
        RunBroke: when the journal cannot be written, or something unexpected happened; it holds the run. What was
            begun is finished first.
    """
    pace = Pace(execution.operations_per_minute, execution.clock, execution.wait)
    worker = Worker(topics, journal, pace, execution)
    portions = list(waves(changes, execution.wave_sizes))
    done: list[Wave] = []
    stopped: str | None = None
    threads = min(execution.concurrency * _payers(changes, execution), _MOST_THREADS)
    with ThreadPoolExecutor(max_workers=threads, thread_name_prefix="apply") as pool:
        for number, portion in enumerate(portions, start=1):
            if progress is not None:
                progress.wave_began(number, len(portions), len(portion))
            started = execution.clock()
            outcomes = _carried_out(portion, worker, pool, execution, progress)
            wave = Wave(number=number, outcomes=outcomes, seconds=execution.clock() - started)
            done.append(wave)
            if progress is not None:
                progress.wave_ended(wave, len(portions))
            stopped = worker.halt_reason()
            if stopped is None and wave.count(Status.FAILED) and number < len(portions):
                stopped = f"{wave.count(Status.FAILED)} of {len(portion)} changes of wave {number} failed"
            if stopped:
                break
    attempted = sum(len(portion) for portion in portions[: len(done)])
    skipped = tuple(Outcome(change=c, status=Status.SKIPPED, message=stopped or "") for c in changes[attempted:])
    broken = worker.broken
    try:
        journal.end(stopped=stopped)
    except HedgerowError as error:
        broken = broken or error
        stopped = stopped or error.message
    result = Run(id=run, waves=tuple(done), skipped=skipped, journal=journal.address, stopped=stopped)
    if broken is not None:
        raise RunBroke(result, broken) from broken
    return result


def _carried_out(
    portion: Sequence[Change],
    worker: Worker,
    pool: ThreadPoolExecutor,
    execution: Execution,
    progress: Progress | None,
) -> tuple[Outcome, ...]:
    """The outcomes of a wave in the order of its changes; payers take turns."""

    def carry_out(change: Change) -> Outcome:
        outcome = worker.carry_out(change)
        if progress is not None:
            progress.change_ended(outcome)
        return outcome

    order = interleaved(portion, lambda change: execution.payer(change.name.project))
    futures: dict[int, Future[Outcome]] = {index: pool.submit(carry_out, portion[index]) for index in order}
    return tuple(futures[index].result() for index in range(len(portion)))


def _payers(changes: Sequence[Change], execution: Execution) -> int:
    return len({execution.payer(change.name.project) for change in changes}) or 1
