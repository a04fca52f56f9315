"""`hedgerow pulumi drift`: what Pulumi remembers, what is live and what is desired, from the engine's own events."""

from __future__ import annotations

import click

from reconciler.apply import read_history
from reconciler.cli.guard import failure_of
from reconciler.cli.output import as_json, data, format_option, say
from reconciler.cli.planning import planned
from reconciler.cli.pulumi_engine import NO_CHECKPOINTS, QUIET, STREAMING, Command, captured, explained
from reconciler.cli.pulumi_stacks import chosen_parts, pulumi_stack_option
from reconciler.cli.stacks import read_stack, stack_argument
from reconciler.cli.surroundings import note_result, store_of
from reconciler.errors import ExitCode, HedgerowError
from reconciler.model import Stack
from reconciler.preview import Observed, differences, observed, read_preview
from reconciler.reconcile import History
from reconciler.report import agreement_document, agreement_summary, agreement_text, counted


@click.command()
@stack_argument
@pulumi_stack_option
@click.option("--exit-code", is_flag=True, help="Exit 2 when something drifted or waits to be brought up.")
@click.option("-v", "--verbose", is_flag=True, help="Show long lists whole.")
@format_option
def drift(stack: str | None, pulumi_stack: str | None, format_: str, *, exit_code: bool, verbose: bool) -> ExitCode:
    """Compare live topics with what Pulumi remembers of them and with what is desired.

    Runs `pulumi preview --refresh`, which writes nothing, and decides from its events alone; storage policies are held
    against what the organization allows, as `hedgerow plan` does. So a policy that the service computed shows too,
    which Pulumi's own summary leaves out.
    """
    loaded = read_stack(stack, format_=format_)
    parts = chosen_parts(loaded, pulumi_stack)
    seen = {name: _seen(name) for name in parts}
    result = planned(loaded.fleet, _remembered(loaded.fleet.stack))
    rows = {row.drift.name: row for row in result.plan.rows}
    found = {name: differences(seen[name], rows, part.by_name) for name, part in parts.items()}
    looked_at = sum(len({*(one.topic for one in seen[name]), *part.by_name}) for name, part in parts.items())
    drifted = any(one.counts for several in found.values() for one in several)
    changes = ExitCode.CHANGES if drifted else ExitCode.OK
    code = ExitCode.severest(result.exit_code, changes if exit_code else ExitCode.OK)
    note_result(ExitCode.severest(result.exit_code, changes))
    if format_ == "json":
        data(as_json(agreement_document(loaded.fleet.stack.name, found, looked_at, code)))
    else:
        data(agreement_text(found, verbose=verbose))
    say(*agreement_summary(found, looked_at))
    if result.plan.not_evaluated:
        say(f"not evaluated: {counted(len(result.plan.not_evaluated), 'topic')}")
    return code


def _seen(pulumi_stack: str) -> tuple[Observed, ...]:
    """What the engine says of a Pulumi stack's topics.

    Raises:
        HedgerowError: when it could not look.
    """
    command = Command(
        arguments=("preview", "--refresh", "--json", "--stack", pulumi_stack),
        settings={**QUIET, **NO_CHECKPOINTS, **STREAMING},
    )
    say(f"$ {command}")
    ended = captured(command)
    if ended.code and not ended.out.strip():
        raise explained(ended, command)
    preview = read_preview(ended.out)
    failure = failure_of(preview)
    if failure is not None:
        raise failure
    if ended.code:
        raise explained(ended, command)
    return observed(preview)


def _remembered(stack: Stack) -> History:
    """What the stack's runs remember; without it, drift is still drift."""
    try:
        return read_history(store_of(stack))
    except HedgerowError:
        return History()
