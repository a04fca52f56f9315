"""`hedgerow reconcile`: the nightly job."""

from __future__ import annotations

import click

from reconciler.cli.applying import (
    Held,
    Overrides,
    carry_out,
    force_option,
    hold_exit_code,
    max_percent_option,
    max_topics_option,
    record,
    run_exit_code,
    run_on,
)
from reconciler.cli.output import as_json, data, format_option, say
from reconciler.cli.planning import Planned, planned, reader_option
from reconciler.cli.run_files import render_after, rendering_exit_code
from reconciler.cli.stacks import read_stack, stack_argument
from reconciler.errors import ExitCode
from reconciler.model import Fleet
from reconciler.reconcile import Run, plan_document
from reconciler.report import Rendering, plan_summary, plan_text, rendering_document, rendering_text, run_document


@click.command()
@stack_argument
@click.option("--allow-widening", is_flag=True, help="Make changes that add regions as well.")
@max_topics_option
@max_percent_option
@force_option
@reader_option
@format_option
def reconcile(
    stack: str | None,
    max_topics: int | None,
    max_percent: float | None,
    reader: str | None,
    format_: str,
    *,
    allow_widening: bool,
    force: bool,
) -> ExitCode:
    """Plan, judge, apply in waves, verify and report: the nightly job.

    Then renders publisher configuration, where `publishers.output` in stack.yaml says where it goes. Never asks. Exits
    5 and writes nothing when the plan breaks a limit.
    """
    overrides = Overrides(max_topics=max_topics, max_percent=max_percent, force=force)
    fleet = read_stack(stack, format_=format_).fleet
    return plan_and_apply(fleet, overrides, format_=format_, allow_widening=allow_widening, reader=reader, renders=True)


def plan_and_apply(
    fleet: Fleet,
    overrides: Overrides,
    *,
    format_: str,
    allow_widening: bool,
    reader: str | None = None,
    renders: bool = False,
) -> ExitCode:
    """Plans and applies under the lease of the stack; then renders what the services load, where that is asked for."""
    with run_on(fleet.stack) as run:
        result = planned(fleet, run.history, allow_widening=allow_widening, reader=reader)
        proposed = result.plan
        document = plan_document(proposed)
        limits = overrides.over(fleet.stack.reconcile.limits)
        if format_ == "text":
            data(plan_text(proposed))
        say("", *plan_summary(proposed, limits, (), document["digest"], is_applied=True))
        done = carry_out(
            run,
            fleet.stack,
            proposed.changes,
            total=proposed.looked_at,
            overrides=overrides,
            computed_from={**document["computedFrom"], "digest": document["digest"]},
            history=result.history,
            mostly=result.mostly,
        )
        rendering = _rendered(run, fleet, result, done) if renders else None
    if format_ == "json":
        rendered = {"publishers": rendering_document(rendering)} if rendering else {}
        data(as_json({"formatVersion": "1", "plan": document, **run_document(done), **rendered}))
    return ExitCode.severest(
        result.exit_code, run_exit_code(done), hold_exit_code(proposed.holds), rendering_exit_code(rendering)
    )


def _rendered(run: Held, fleet: Fleet, result: Planned, done: Run) -> Rendering | None:
    """Renders while the lease is ours, tells of it, and adds it to the run's result."""
    if run.lease.obstacle() is not None:
        return None
    rendering = render_after(fleet, result, done)
    if rendering is not None:
        say(*rendering_text(rendering).splitlines())
        record(run, done, rendering)
    return rendering
