"""`hedgerow revert`: the way back from a run."""

from __future__ import annotations

from dataclasses import replace

import click

from reconciler.apply import find_run, read_history, read_run
from reconciler.cli.applying import (
    Held,
    Overrides,
    carry_out,
    force_option,
    hold_exit_code,
    max_percent_option,
    max_topics_option,
    run_exit_code,
    run_on,
    unheld,
)
from reconciler.cli.holding import holds_on
from reconciler.cli.output import as_json, data, format_option, say
from reconciler.cli.planning import project_policies
from reconciler.cli.runs import stack_option
from reconciler.cli.stacks import read_stack
from reconciler.cli.surroundings import connection, now, store_of
from reconciler.errors import ExitCode
from reconciler.model import Fleet
from reconciler.reconcile import (
    WIDENING,
    Entry,
    History,
    Reversal,
    Status,
    Unavailable,
    fingerprints,
    mostly,
    reverse,
)
from reconciler.report import counted, held_text, reversal_document, reversal_text, run_document


@click.command()
@click.argument("run")
@stack_option
@click.option("--yes", is_flag=True, help="Take the way back; without it, it is only shown.")
@click.option("--allow-widening", is_flag=True, help="Set back topics that gain regions by it as well.")
@max_topics_option
@max_percent_option
@force_option
@format_option
def revert(
    run: str,
    stack: str | None,
    max_topics: int | None,
    max_percent: float | None,
    format_: str,
    *,
    yes: bool,
    allow_widening: bool,
    force: bool,
) -> ExitCode:
    """Plan the way back from a run, and take it with --yes.

    RUN is a run's id, the end of one, or `latest`. A topic is set back to the storage policy that it had before the
    run, under the same guardrails as any change. What has been changed since, or is not allowed any more, stays and is
    named.
    """
    overrides = Overrides(max_topics=max_topics, max_percent=max_percent, force=force)
    fleet = read_stack(stack, format_=format_).fleet
    if yes:
        with run_on(fleet.stack) as held:
            return _way_back(fleet, run, held.history, overrides, format_, held, allow_widening=allow_widening)
    history = read_history(store_of(fleet.stack))
    return _way_back(fleet, run, history, overrides, format_, None, allow_widening=allow_widening)


def _way_back(
    fleet: Fleet,
    name: str,
    history: History,
    overrides: Overrides,
    format_: str,
    run: Held | None,
    *,
    allow_widening: bool,
) -> ExitCode:
    store = run.store if run else store_of(fleet.stack)
    past = read_run(store, find_run(store, name))
    catalogue, policies = project_policies(fleet)
    link = connection(fleet.stack)
    from reconciler.gcp import PubsubTopics, read_topics  # see `connection`

    live = read_topics(fleet.stack.projects, PubsubTopics(link))
    outside = Unavailable(reason=f"its project is not in the stack {fleet.stack.name}")
    written = [entry.change for entry in past.entries if _may_have_been_made(entry)]
    for project in {change.name.project for change in written} - live.keys():
        policies, live = {**policies, project: outside}, {**live, project: outside}
    way = reverse(written, live, policies, run=f"run {past.id}")
    moment = now()
    history = history.observed(fingerprints(policies), moment)
    # Whether a policy may flip again is left to the person who asks for the way back.
    known = replace(history, repairs={})
    held = holds_on(way.changes, fleet, known, moment)
    if not (allow_widening or fleet.stack.reconcile.widening):
        held = {**{change.name: WIDENING for change in way.changes if change.widening}, **held}
    changes = unheld(way.changes, held)
    if format_ == "text":
        data(reversal_text(way, held))
    total = sum(0 if isinstance(topics, Unavailable) else len(topics) for topics in live.values())
    say("", *_summary(way, len(changes)), *held_text(held.values()))
    code = ExitCode.NOT_EVALUATED if way.not_evaluated else ExitCode.OK
    document = reversal_document(way, held, run=past.id)
    because = mostly(changes, policies, history)
    if run is None:
        refusals = overrides.refusals(changes, total, fleet.stack.reconcile.limits)
        say(*(f"would be refused: {refusal.message}  [{refusal.code}]" for refusal in refusals))
        if changes:
            say(f"next: hedgerow revert {past.id} --stack {fleet.stack.name} --yes")
        if format_ == "json":
            data(as_json(document))
        return code
    done = carry_out(
        run,
        fleet.stack,
        changes,
        total=total,
        overrides=overrides,
        computed_from={"reverts": past.id, "specs": fleet.fingerprint, "catalogue": catalogue.as_of},
        history=history,
        mostly=because,
    )
    if done.count(Status.MADE):
        say("the next run repairs these topics again, unless the specs or the resolutions are changed before")
    if format_ == "json":
        data(as_json({**document, **run_document(done)}))
    return ExitCode.severest(code, run_exit_code(done), hold_exit_code(held))


def _may_have_been_made(entry: Entry) -> bool:
    """Whether a write may have happened: it was sent, or nobody knows. Reading the topic tells the rest."""
    return entry.status in (Status.MADE, Status.FAILED, None)


def _summary(way: Reversal, changed: int) -> list[str]:
    stays = f"; {counted(len(way.stays), 'topic')} stay" + ("s" if len(way.stays) == 1 else "")
    return [f"{counted(changed, 'topic')} would be set back" + (stays if way.stays else "")]
