"""`hedgerow check`: specs against schema, rules and the organization's policy."""

from __future__ import annotations

from pathlib import Path

import click

from reconciler.cli.formats import Output, emit, outputs_option, rendered
from reconciler.cli.manual import explain_option
from reconciler.cli.output import located, problem_diagnostic, read_file, say, write_file
from reconciler.cli.policies import Declared, declared_policies
from reconciler.cli.stacks import load_stack, stack_argument
from reconciler.cli.surroundings import note_result, now
from reconciler.errors import ExitCode, HedgerowError
from reconciler.model import Fleet
from reconciler.orgpolicy import EffectivePolicy
from reconciler.report import Baseline, Looked, Results, baseline_text, counted, read_baseline, tally
from reconciler.rules import ALL_RULES
from reconciler.rules import check as run_rules
from reconciler.spec import InvalidSpecs

_RULES = tuple(ALL_RULES.values())
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@stack_argument
@explain_option
@outputs_option
@click.option("--baseline", type=_FILE, help="Report only what this file does not accept.")
@click.option("--write-baseline", type=_FILE, help="Accept everything that is wrong now, in this file.")
@click.option("--strict-regions", is_flag=True, help="Regions that the catalogue does not know are errors.")
def check(
    stack: str | None,
    outputs: tuple[Output, ...],
    baseline: Path | None,
    write_baseline: Path | None,
    *,
    strict_regions: bool,
) -> ExitCode:
    """Check specs against schema, rules and the organization's policy.

    Reads files only, unless the stack's policySource is `live`. Exits 3 when something is wrong, and 4 when something
    could not be evaluated. Every --format is written whatever happens, and `result=` to $GITHUB_OUTPUT where that is
    set.
    """
    failure: HedgerowError | None = None
    results = Results()
    try:
        if baseline is not None and write_baseline is not None:
            raise click.UsageError("--baseline and --write-baseline exclude each other")
        accepted = read_baseline(read_file(baseline), str(baseline)) if baseline else Baseline(accepted=())
        results = _results(stack, strict_regions=strict_regions)
        if write_baseline is not None:
            accepted = Baseline.of(results.diagnostics)
            write_file(write_baseline, baseline_text(accepted))
        results = results.against(accepted)
    except InvalidSpecs as error:
        results = Results(diagnostics=tuple(map(problem_diagnostic, error.problems)))
    except HedgerowError as error:
        failure = error
        results = Results(failure=error)
    note_result(results.exit_code)
    emit(outputs, lambda format_: rendered(results, format_, _RULES))
    if failure is not None:
        raise failure
    say(*_summary(results))
    if write_baseline is not None and results.looked is not None:
        say(f"{counted(results.accepted, 'finding')} accepted in {write_baseline}")
    return results.exit_code


def _results(stack: str | None, *, strict_regions: bool) -> Results:
    """Everything that is odd or wrong with a stack that can be read.

    Raises:
        InvalidSpecs: for one that cannot.
    """
    loaded = load_stack(stack)
    declared = declared_policies(loaded.fleet)
    findings = run_rules(
        loaded.fleet, declared.known, declared.catalogue, today=now().date(), strict_regions=strict_regions
    )
    return Results(
        stack=loaded.fleet.stack.name,
        diagnostics=(*map(problem_diagnostic, loaded.warnings), *located(findings)),
        looked=_looked(loaded.fleet, declared),
    )


def _looked(fleet: Fleet, declared: Declared) -> Looked:
    return Looked(
        topics=len(fleet.topics),
        projects=len({topic.name.project for topic in fleet.topics}),
        publishers=len(fleet.publishers),
        policies=declared.source,
        not_evaluated={
            project: "not in the snapshot" if policy is None else "; ".join(filter(None, (policy.reason, policy.hint)))
            for project, policy in declared.policies.items()
            if not isinstance(policy, EffectivePolicy)
        },
    )


def _summary(results: Results) -> list[str]:
    """What was looked at, how much is wrong, what was not evaluated, and what the baseline has to do with it."""
    tallied, looked = tally(results.diagnostics), results.looked
    lines: list[str] = []
    if looked is not None:
        lines += [""] if results.diagnostics else []
        lines.append(
            f"checked {counted(looked.topics, 'topic')} in {counted(looked.projects, 'project')}, "
            f"{counted(looked.publishers, 'publisher')}, against {looked.policies}"
        )
        if results.accepted:
            tallied += f"; {counted(results.accepted, 'finding')} accepted by the baseline"
        if looked.not_evaluated:
            named = ", ".join(f"{project} ({reason})" for project, reason in looked.not_evaluated.items())
            tallied += f"; {counted(len(looked.not_evaluated), 'project')} not evaluated: {named}"
    lines += [f"the baseline accepts what nobody finds any more: {k.message}  [{k.code}]" for k in results.obsolete]
    if results.obsolete:
        lines.append("  hint: take it out of the baseline, or write that anew with `--write-baseline FILE`")
    return [*lines, tallied]
