"""`hedgerow policy what-if`: which topics would drift if another policy went live."""

from __future__ import annotations

from pathlib import Path

import click

from reconciler.cli.output import as_json, data, format_option, say
from reconciler.cli.policy_sources import stack_source
from reconciler.cli.stacks import read_stack
from reconciler.cli.surroundings import connection
from reconciler.errors import ExitCode, UsageError
from reconciler.model import Fleet
from reconciler.reconcile import LiveProject, foresee
from reconciler.report import counted, foresight_document, foresight_summary, foresight_text
from reconciler.spec import load_policies


@click.command("what-if")
@click.argument("arguments", nargs=-1, metavar="[FILE] [STACK]")
@click.option("--dry-run-spec", is_flag=True, help="Try the dry runs of the policies that are set, and no FILE.")
@click.option("--offline", is_flag=True, help="Compare declared topics only; read nothing from Pub/Sub.")
@click.option("--exit-code", is_flag=True, help="Exit 2 when a topic would fare otherwise.")
@click.option("-v", "--verbose", is_flag=True, help="Show long lists whole.")
@format_option
def what_if(
    arguments: tuple[str, ...], format_: str, *, dry_run_spec: bool, offline: bool, exit_code: bool, verbose: bool
) -> ExitCode:
    """Show which declared and live topics would drift if the policies in FILE went live.

    FILE holds one policy as `gcloud org-policies describe` prints it, or `policies: [...]`. With --offline every
    declared topic counts as live just as it should be today. Writes nothing anywhere.
    """
    file, stack = _arguments(arguments, wants_file=not dry_run_spec)
    fleet = read_stack(stack, format_=format_).fleet
    source = stack_source(fleet.stack)
    if file is None:
        then = source.snapshot.with_dry_runs()
        count = sum(policy.dry_run is not None for policy in source.snapshot.policies.values())
        what = counted(count, "dry run")
    else:
        policies = load_policies(file, source.snapshot)
        then = source.snapshot.with_policies(policies)
        what = f"{counted(len(policies), 'policy')} of {file}"
    today, tomorrow = (
        {project: one.effective_policy(project, source.catalogue) for project in fleet.stack.projects}
        for one in (source.snapshot, then)
    )
    foresight = foresee(fleet, None if offline else _live(fleet), today, tomorrow, source.catalogue)
    if format_ == "json":
        data(as_json({"formatVersion": "1", "stack": fleet.stack.name, **foresight_document(foresight)}))
    else:
        data(foresight_text(foresight, tomorrow, verbose=verbose))
    say(
        *([""] if foresight.prospects and format_ == "text" else []),
        f"what if: {what} over {source.name}; topics {'as declared' if offline else 'as declared and live'}",
        foresight_summary(foresight),
        *(f"not evaluated: {subject}: {why.reason}" for subject, why in foresight.not_evaluated),
    )
    return ExitCode.severest(
        ExitCode.NOT_EVALUATED if foresight.not_evaluated else ExitCode.OK,
        ExitCode.CHANGES if exit_code and foresight.prospects else ExitCode.OK,
    )


def _arguments(arguments: tuple[str, ...], *, wants_file: bool) -> tuple[Path | None, str | None]:
    most = 2 if wants_file else 1
    if len(arguments) > most or (wants_file and not arguments):
        hint = "hedgerow policy what-if FILE [STACK], or hedgerow policy what-if --dry-run-spec [STACK]"
        raise UsageError("too many arguments" if arguments else "name the file with the policies", hint=hint)
    file = Path(arguments[0]) if wants_file else None
    rest = arguments[1:] if wants_file else arguments
    return file, rest[0] if rest else None


def _live(fleet: Fleet) -> dict[str, LiveProject]:
    link = connection(fleet.stack)
    from reconciler.gcp import PubsubTopics, read_topics  # see `connection`

    return dict(read_topics(fleet.stack.projects, PubsubTopics(link)))
