"""`hedgerow plan`: live topics against what is desired and allowed."""

from __future__ import annotations

from pathlib import Path

import click

from reconciler.cli.applying import Overrides, max_percent_option, max_topics_option
from reconciler.cli.output import as_json, data, format_option, say, write_file
from reconciler.cli.planning import planned
from reconciler.cli.stacks import read_stack, stack_argument
from reconciler.errors import ExitCode
from reconciler.reconcile import judge, plan_document
from reconciler.report import plan_summary, plan_text


@click.command()
@stack_argument
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Save the plan for `apply`.")
@click.option("--exit-code", is_flag=True, help="Exit 2 when there is drift or a pending change.")
@click.option("--allow-widening", is_flag=True, help="Plan changes that add regions as well.")
@click.option("-v", "--verbose", is_flag=True, help="Show long lists whole.")
@max_topics_option
@max_percent_option
@format_option
def plan(
    stack: str | None,
    output: Path | None,
    max_topics: int | None,
    max_percent: float | None,
    format_: str,
    *,
    exit_code: bool,
    allow_widening: bool,
    verbose: bool,
) -> ExitCode:
    """Compare live topics with what is desired and allowed; propose changes.

    Writes nothing to the cloud. Exits 0 with pending changes too, unless --exit-code is given.
    """
    fleet = read_stack(stack, format_=format_).fleet
    result = planned(fleet, allow_widening=allow_widening)
    proposed = result.plan
    document = plan_document(proposed)
    limits = Overrides(max_topics=max_topics, max_percent=max_percent).over(fleet.stack.reconcile.limits)
    data(as_json(document) if format_ == "json" else plan_text(proposed, verbose=verbose))
    if output is not None:
        write_file(output, as_json(document))
    refusals = judge(len(proposed.changes), proposed.looked_at, limits)
    say("", *plan_summary(proposed, limits, refusals, document["digest"]))
    if output is not None:
        say(f"saved in {output}" + (f"; next: hedgerow apply {output}" if proposed.changes else ""))
    elif proposed.changes:
        widening = " --allow-widening" if allow_widening else ""
        say(f"next: hedgerow plan {proposed.stack}{widening} -o plan.json, then hedgerow apply plan.json")
    pending = exit_code and (proposed.has_drift or bool(proposed.changes))
    return ExitCode.severest(result.exit_code, ExitCode.CHANGES if pending else ExitCode.OK)
