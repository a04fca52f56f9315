"""`hedgerow plan`: live topics against what is desired and allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reconciler.apply import read_history
from reconciler.cli.applying import Overrides, max_percent_option, max_topics_option
from reconciler.cli.formats import Format, Output, emit, outputs_option, rendered
from reconciler.cli.output import as_json, located, problem_diagnostic, say, write_file
from reconciler.cli.planning import Planned, planned, reader_option
from reconciler.cli.stacks import load_stack, stack_argument
from reconciler.cli.surroundings import note_result, store_of
from reconciler.errors import ExitCode, HedgerowError
from reconciler.model import Fleet
from reconciler.reconcile import History, plan_document
from reconciler.report import DRIFT_RULES, Results, drift_findings, plan_summary, plan_text, tally
from reconciler.spec import InvalidSpecs


@click.command()
@stack_argument
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Save the plan for `apply`.")
@click.option("--exit-code", is_flag=True, help="Exit 2 when there is drift or a pending change.")
@click.option("--allow-widening", is_flag=True, help="Plan changes that add regions as well.")
@click.option("-v", "--verbose", is_flag=True, help="Show long lists whole.")
@max_topics_option
@max_percent_option
@reader_option
@outputs_option
def plan(
    stack: str | None,
    output: Path | None,
    max_topics: int | None,
    max_percent: float | None,
    reader: str | None,
    outputs: tuple[Output, ...],
    *,
    exit_code: bool,
    allow_widening: bool,
    verbose: bool,
) -> ExitCode:
    """Compare live topics with what is desired and allowed; propose changes.

    Writes nothing to the cloud. Exits 0 with pending changes too, unless --exit-code is given; `result=changes` is
    written to $GITHUB_OUTPUT, where that is set, either way. As SARIF and as annotations, each drift stands at the line
    that declares its topic; without a plan, every --format tells why there is none.
    """
    try:
        fleet = load_stack(stack).fleet
        result = planned(fleet, _remembered(fleet), allow_widening=allow_widening, reader=reader)
    except InvalidSpecs as error:
        problems = Results(diagnostics=tuple(map(problem_diagnostic, error.problems)))
        _tell_why_not(problems, outputs)
        say(tally(problems.diagnostics))
        return problems.exit_code
    except HedgerowError as error:
        _tell_why_not(Results(failure=error), outputs)
        raise
    proposed = result.plan
    document = plan_document(proposed)
    pending = proposed.has_drift or bool(proposed.changes)
    code = ExitCode.severest(result.exit_code, ExitCode.CHANGES if exit_code and pending else ExitCode.OK)
    note_result(ExitCode.severest(result.exit_code, ExitCode.CHANGES if pending else ExitCode.OK))
    emit(outputs, lambda format_: _rendered(result, fleet, document, format_, code, verbose=verbose))
    if output is not None:
        write_file(output, as_json(document))
    overrides = Overrides(max_topics=max_topics, max_percent=max_percent)
    limits = overrides.over(fleet.stack.reconcile.limits)
    say(
        "",
        *plan_summary(
            proposed,
            limits,
            overrides.refusals(proposed.changes, proposed.looked_at, fleet.stack.reconcile.limits),
            document["digest"],
            options=["--allow-widening"] * allow_widening + [f"--reader {reader}"] * bool(reader),
            saved=None if output is None else str(output),
            mostly=result.mostly,
        ),
    )
    return code


def _tell_why_not(results: Results, outputs: tuple[Output, ...]) -> None:
    note_result(results.exit_code)
    emit(outputs, lambda format_: rendered(results, format_, DRIFT_RULES))


def _rendered(
    result: Planned, fleet: Fleet, document: dict[str, Any], format_: Format, code: ExitCode, *, verbose: bool
) -> str:
    if format_ is Format.TEXT:
        return plan_text(result.plan, verbose=verbose)
    if format_ is Format.JSON:
        return as_json(document)
    drifts = Results(
        stack=fleet.stack.name, diagnostics=tuple(located(drift_findings(result.plan, fleet.stack.origin)))
    )
    return rendered(drifts, format_, DRIFT_RULES, exit_code=code)


def _remembered(fleet: Fleet) -> History:
    """What the stack's runs remember. A plan without it still says what has drifted, so trouble is told, not raised."""
    try:
        return read_history(store_of(fleet.stack))
    except HedgerowError as error:
        say(f"warning: since when policies have stood is unknown: {error.message}")
        return History()
