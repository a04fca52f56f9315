"""Carrying out changes: what `apply` and `reconcile` share."""

from __future__ import annotations

import secrets
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Any

import click

from reconciler.apply import Execution, Journal, execute, lease, utc_now
from reconciler.cli.output import say
from reconciler.cli.surroundings import connection
from reconciler.errors import ExitCode, RefusedPlan
from reconciler.model import Limits, Stack
from reconciler.reconcile import Change, Run, Status, Wave, judge
from reconciler.report import run_summary, run_text, wave_text

max_topics_option = click.option("--max-topics", type=click.IntRange(0), help="Most topics that may change.")
max_percent_option = click.option("--max-percent", type=click.FloatRange(0, 100), help="Most topics, in percent.")
force_option = click.option("--force", is_flag=True, help="Ignore the limits on how much may change.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """What the command line puts over the stack's limits."""

    max_topics: int | None = None
    max_percent: float | None = None
    force: bool = False

    def over(self, limits: Limits) -> Limits:
        """The limits in force."""
        return replace(
            limits,
            topics=limits.topics if self.max_topics is None else self.max_topics,
            percent=limits.percent if self.max_percent is None else self.max_percent,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A run that holds its stack's lease."""

    id: str
    folder: Path


@contextmanager
def run_on(stack: Stack) -> Iterator[Held]:
    """Begins a run on a stack, alone: takes its lease and names the run.

    Raises:
        Busy: when another run holds the lease.
    """
    run = f"{utc_now():%Y-%m-%dT%H-%M-%SZ}-{secrets.token_hex(2)}"
    folder = Path(stack.reconcile.journal)
    with lease(folder, stack.name, run) as path:
        say(f"run {run}  lease {path}")
        yield Held(id=run, folder=folder / stack.name)


def carry_out(
    run: Held,
    stack: Stack,
    changes: Sequence[Change],
    *,
    total: int,
    overrides: Overrides,
    computed_from: Mapping[str, Any],
) -> Run:
    """Applies changes under the guardrails, with a journal, and prints what became of them.

    Args:
        run: the run.
        stack: its stack.
        changes: what to do.
        total: how many topics the plan looked at.
        overrides: of the limits.
        computed_from: what the plan was computed from, for the journal.

    Raises:
        RefusedPlan: when a guardrail forbids it; nothing was written.
    """
    refusals = () if overrides.force else judge(len(changes), total, overrides.over(stack.reconcile.limits))
    if refusals:
        first = refusals[0]
        for other in refusals[1:]:
            say(f"error: refused: {other.message}  [{other.code}]")
        raise RefusedPlan(f"refused: {first.message}; nothing was written  [{first.code}]", hint=first.hint)
    link = connection(stack)
    from reconciler.gcp import PubsubTopics  # see `connection`

    payer = stack.reconcile.quota_project
    with Journal(run.folder / f"{run.id}.jsonl", run.id) as journal, _stopped_by_signals() as stop:
        journal.begin(stack=stack.name, plan=computed_from)
        done = execute(
            changes,
            PubsubTopics(link),
            journal,
            run=run.id,
            execution=Execution(
                wave_sizes=stack.reconcile.waves,
                operations_per_minute=stack.reconcile.operations_per_minute,
                payer=(lambda project: project) if payer == "topic" else (lambda _: payer or "caller"),
                stop=stop,
            ),
            progress=_Waves(),
        )
    say(*run_text(done).splitlines(), *run_summary(done))
    return done


def run_exit_code(run: Run) -> ExitCode:
    """6 where a change failed or was not come to, 7 where one was stale, else 0."""
    return ExitCode.severest(
        ExitCode.PARTIAL if run.count(Status.FAILED) or run.count(Status.SKIPPED) else ExitCode.OK,
        ExitCode.STALE if run.count(Status.STALE) else ExitCode.OK,
    )


class _Waves:
    def wave_ended(self, wave: Wave, number_of_waves: int) -> None:
        say(wave_text(wave, number_of_waves))


@contextmanager
def _stopped_by_signals() -> Iterator[Event]:
    """An event that SIGTERM and Ctrl-C set: the writes in hand are finished, journalled and reported."""
    stop = Event()

    def request_stop(number: int, frame: FrameType | None) -> None:
        del frame
        say(f"{signal.Signals(number).name}: finishing the writes in hand")
        stop.set()

    previous = {number: signal.signal(number, request_stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
