"""Carrying out changes: what `apply`, `reconcile` and `revert` share."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import click

from reconciler.apply import (
    Execution,
    Journal,
    Lease,
    RunBroke,
    Store,
    execute,
    lease,
    read_history,
    write_history,
)
from reconciler.cli.output import as_json, say
from reconciler.cli.progress import watching
from reconciler.cli.signals import interrupted_by_sigterm, stopped_by_signals
from reconciler.cli.surroundings import connection, now, store_of
from reconciler.errors import ExitCode, HedgerowError, RefusedPlan
from reconciler.model import Limits, Stack, TopicName
from reconciler.reconcile import Change, History, Hold, Refusal, Run, Status, judge, judge_results
from reconciler.report import run_document, run_summary, run_text

max_topics_option = click.option("--max-topics", type=click.IntRange(0), help="Most topics that may change.")
max_percent_option = click.option("--max-percent", type=click.FloatRange(0, 100), help="Most topics, in percent.")
force_option = click.option("--force", is_flag=True, help="Ignore the limits on how much may change.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """What the command line puts over the stack's limits. `force` overrides limits and nothing else."""

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

    def refusals(self, changes: Sequence[Change], total: int, limits: Limits) -> tuple[Refusal, ...]:
        """Why changes of `total` topics are not made, if so."""
        judged = (*judge_results(changes), *judge(len(changes), total, self.over(limits)))
        return tuple(refusal for refusal in judged if not (self.force and refusal.is_limit))


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A run that holds its stack's lease, and what the runs before it remember.

    Attributes:
        interrupted: set by a SIGTERM before the first write.
    """

    id: str
    store: Store
    lease: Lease
    history: History
    interrupted: Event


@contextmanager
def run_on(stack: Stack) -> Iterator[Held]:
    """Begins a run on a stack, alone: takes its lease and names the run.

    Raises:
        Busy: when another run holds the lease.
    """
    run = f"{now():%Y-%m-%dT%H-%M-%SZ}-{secrets.token_hex(2)}"
    store = store_of(stack)
    with interrupted_by_sigterm() as interrupted, lease(store, stack.name, run, clock=now) as held:
        say(f"run {run}  lease {held.address}")
        yield Held(id=run, store=store, lease=held, history=read_history(store), interrupted=interrupted)


def carry_out(
    run: Held,
    stack: Stack,
    changes: Sequence[Change],
    *,
    total: int,
    overrides: Overrides,
    computed_from: Mapping[str, Any],
    history: History,
    mostly: str | None = None,
) -> Run:
    """Applies changes under the guardrails, with a journal, and prints what became of them, whatever happens.

    Args:
        run: the run.
        stack: its stack.
        changes: what to do.
        total: how many topics the plan looked at.
        overrides: of the limits.
        computed_from: what the plan was computed from, for the journal.
        history: what is remembered, with the policies of now.
        mostly: what most of the changes have in common, for a refusal.

    Raises:
        RefusedPlan: when a guardrail forbids it; nothing was written.
    """
    # Remembered before anything can go wrong: the next run has to know since when a policy has stood.
    write_history(run.store, history)
    refusals = overrides.refusals(changes, total, stack.reconcile.limits)
    if refusals:
        first = refusals[0]
        for other in refusals[1:]:
            say(f"error: refused: {other.message}  [{other.code}]")
        details = f"\n  {mostly}" if mostly else ""
        raise RefusedPlan(f"refused: {first.message}; nothing was written  [{first.code}]{details}", hint=first.hint)
    try:
        done = _executed(run, stack, changes, computed_from)
    except RunBroke as broke:
        _report(run, stack, broke.run)
        with _told():
            _record(run, broke.run, history)
        raise broke.cause from None
    _report(run, stack, done)
    _record(run, done, history)
    return done


def _executed(run: Held, stack: Stack, changes: Sequence[Change], computed_from: Mapping[str, Any]) -> Run:
    link = connection(stack)
    from reconciler.gcp import PubsubTopics  # see `connection`

    payer = stack.reconcile.quota_project
    with (
        # Before the journal is there: a signal that broke in between would leave one without a record.
        stopped_by_signals() as stop,
        Journal(run.store.begin_log(run.id), run.id, now) as journal,
        watching(len(changes)) as progress,
    ):
        if run.interrupted.is_set():
            stop.set()
        journal.begin(stack=stack.name, plan=computed_from, changes=len(changes))
        return execute(
            changes,
            PubsubTopics(link),
            journal,
            run=run.id,
            execution=Execution(
                wave_sizes=stack.reconcile.waves,
                operations_per_minute=stack.reconcile.operations_per_minute,
                payer=(lambda project: project) if payer == "topic" else (lambda _: payer or "caller"),
                retry_budget=link.retry_budget,
                quota_budget=30 * link.retry_budget,
                stop=stop,
                obstacle=run.lease.obstacle,
            ),
            progress=progress,
        )


def _report(run: Held, stack: Stack, done: Run) -> None:
    undo = f"hedgerow revert {run.id} --stack {stack.name}"
    say(*run_text(done).splitlines(), *run_summary(done, undo=undo))


def _record(run: Held, done: Run, history: History) -> None:
    """Keeps the run's result beside its journal, and what the next run has to know of it."""
    run.store.write(f"{run.id}.json", as_json({"formatVersion": "1", **run_document(done)}).encode())
    if run.lease.obstacle() is None:
        # Without the lease, another run may be keeping its own memory there.
        made = [outcome.change.name for outcome in done.outcomes if outcome.status is Status.MADE]
        write_history(run.store, history.repaired(made, now()))


@contextmanager
def _told() -> Iterator[None]:
    """Prints an error of the user instead of raising it, where a worse one is about to be raised."""
    try:
        yield
    except HedgerowError as error:
        say(str(error))


def run_exit_code(run: Run) -> ExitCode:
    """6 where a change failed or was not come to, 7 where one was stale, else 0."""
    return ExitCode.severest(
        ExitCode.PARTIAL if run.count(Status.FAILED) or run.count(Status.SKIPPED) else ExitCode.OK,
        ExitCode.STALE if run.count(Status.STALE) else ExitCode.OK,
    )


def hold_exit_code(holds: Mapping[TopicName, Hold]) -> ExitCode:
    """6 where a change waits for a person; a policy that has to settle only waits for time."""
    waits = any(hold.code == "ordered-endpoint" for hold in holds.values())
    return ExitCode.PARTIAL if waits else ExitCode.OK


def unheld(changes: Iterable[Change], holds: Mapping[TopicName, Hold]) -> tuple[Change, ...]:
    """The changes that nothing holds."""
    return tuple(change for change in changes if change.name not in holds)
