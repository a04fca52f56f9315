"""`hedgerow check`: specs against schema, rules and the organization's policy."""

from __future__ import annotations

import click

from reconciler.cli.manual import explain_option
from reconciler.cli.output import as_json, data, format_option, located, problem_diagnostic, say
from reconciler.cli.policies import declared_policies
from reconciler.cli.stacks import read_stack, stack_argument
from reconciler.cli.surroundings import now
from reconciler.errors import ExitCode
from reconciler.orgpolicy import EffectivePolicy
from reconciler.reconcile import Unavailable
from reconciler.report import counted, diagnostics_document, diagnostics_text, tally
from reconciler.rules import Severity
from reconciler.rules import check as run_rules


@click.command()
@stack_argument
@format_option
@explain_option
@click.option("--strict-regions", is_flag=True, help="Regions that the catalogue does not know are errors.")
def check(stack: str | None, format_: str, *, strict_regions: bool) -> ExitCode:
    """Check specs against schema, rules and the organization's policy.

    Reads files only, unless the stack's policySource is `live`. Exits 3 when something is wrong, and 4 when something
    could not be evaluated.
    """
    loaded = read_stack(stack, format_=format_)
    fleet = loaded.fleet
    declared = declared_policies(fleet)
    findings = run_rules(fleet, declared.known, declared.catalogue, today=now().date(), strict_regions=strict_regions)
    diagnostics = [*map(problem_diagnostic, loaded.warnings), *located(findings)]
    if format_ == "json":
        data(as_json({"formatVersion": "1", "stack": fleet.stack.name, "findings": diagnostics_document(diagnostics)}))
    else:
        data(diagnostics_text(diagnostics))
    projects = {topic.name.project for topic in fleet.topics}
    say(
        *([""] if diagnostics else []),
        f"checked {counted(len(fleet.topics), 'topic')} in {counted(len(projects), 'project')}, "
        f"{counted(len(fleet.publishers), 'publisher')}, against {declared.source}",
    )
    not_evaluated = [
        f"{project} ({_why(policy)})"
        for project, policy in declared.policies.items()
        if not isinstance(policy, EffectivePolicy)
    ]
    say(
        tally(diagnostics)
        + (
            f"; {counted(len(not_evaluated), 'project')} not evaluated: {', '.join(not_evaluated)}"
            if not_evaluated
            else ""
        )
    )
    severities = {diagnostic.severity for diagnostic in diagnostics}
    return ExitCode.severest(
        ExitCode.INVALID if Severity.ERROR in severities else ExitCode.OK,
        ExitCode.NOT_EVALUATED if Severity.UNDECIDED in severities or not_evaluated else ExitCode.OK,
    )


def _why(policy: Unavailable | None) -> str:
    return "not in the snapshot" if policy is None else policy.reason
