"""`hedgerow render`: publisher configuration files for the services."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace

import click

from reconciler.apply import Files
from reconciler.cli.output import data, located, say
from reconciler.cli.policies import declared_policies
from reconciler.cli.rendered_files import FileKind, FileState, compare, write
from reconciler.cli.stacks import read_stack, stack_argument
from reconciler.cli.surroundings import files_at, now
from reconciler.errors import ExitCode, UsageError
from reconciler.hedging import known_libraries
from reconciler.hedging import render as render_documents
from reconciler.model import Fleet
from reconciler.report import counted, diagnostics_text, explained, tally
from reconciler.rules import Severity, check_services, with_endpoints
from reconciler.spec import load_catalogue


@click.command()
@stack_argument
@click.option("--check", is_flag=True, help="Write nothing; exit 2 and show the difference when a file is not current.")
@click.option("--prune", is_flag=True, help="Remove the files of services that left the specs.")
@click.option("--explain", metavar="SERVICE", help="Write nothing; say what is generated for a service, and why.")
@click.option("--output", metavar="FOLDER", help="Another folder, or `gs://BUCKET/PREFIX`, than the stack's.")
def render(stack: str | None, output: str | None, explain: str | None, *, check: bool, prune: bool) -> ExitCode:
    """Write publisher configuration files, or compare them.

    One JSON document for each service, known to be accepted by the client library that it is for. When anything is
    wrong with a publisher, no file is written.
    """
    loaded = read_stack(stack).fleet
    if explain is not None:
        _known(loaded, explain)
    declared = declared_policies(loaded)
    fleet = with_endpoints(loaded, declared.known, declared.catalogue)
    findings = located(check_services(fleet, declared.known, declared.catalogue, today=now().date()))
    say(*diagnostics_text(findings).splitlines())
    severities = {finding.severity for finding in findings}
    if Severity.ERROR in severities:
        say(f"{tally(findings)}; no file was written")
        return ExitCode.INVALID
    files = files_at(output or fleet.stack.publisher_output)
    states = compare(files, render_documents(fleet), stack=fleet.stack.name)
    undecided = ExitCode.NOT_EVALUATED if Severity.UNDECIDED in severities else ExitCode.OK
    if explain is not None:
        _explain(loaded, fleet, explain, files, states)
        return undecided
    if check:
        return ExitCode.severest(_compared(files, states), undecided)
    written = write(files, states, prune=prune)
    _tell(files, states, removed={state.name for state in written if state.kind is FileKind.ORPHANED})
    return undecided


def _known(fleet: Fleet, service: str) -> None:
    """Whether the stack has a service.

    Raises:
        UsageError: when it does not.
    """
    names = [publisher.service for publisher in fleet.publishers]
    if service not in names:
        close = difflib.get_close_matches(service, names, n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"its services: {', '.join(names) or 'none'}"
        raise UsageError(f"stack `{fleet.stack.name}` has no service `{service}`", hint=hint)


def _explain(declared: Fleet, settled: Fleet, service: str, files: Files, states: Iterable[FileState]) -> None:
    """Says what a service's file holds, and why."""
    before, after = (next(p for p in fleet.publishers if p.service == service) for fleet in (declared, settled))
    state = next(state for state in states if state.name == f"{service}.json")
    standing = {FileKind.NEW: "not written yet", FileKind.CHANGED: "would change"}.get(state.kind, _words(state))
    file = f"{files.place(state.name)} ({standing})"
    library = known_libraries(settled.stack.client_libraries)[after.language]
    data(explained(before, after, settled, library, file=file, coordinates=load_catalogue().coordinates))


def _compared(files: Files, states: Iterable[FileState]) -> ExitCode:
    """Shows how the files differ from what would be written."""
    differing = [state for state in states if state.kind is not FileKind.UNCHANGED]
    for state in differing:
        data(state.diff or f"{files.place(state.name)}: {_words(state)}\n")
    if not differing:
        say(f"{files.address} is current")
        return ExitCode.OK
    say(f"{counted(len(differing), 'file')} in {files.address} would change; write them with `hedgerow render`")
    return ExitCode.CHANGES


def _tell(files: Files, states: list[FileState], *, removed: set[str]) -> None:
    for state in states:
        shown = replace(state, reason="removed") if state.name in removed else state
        say(f"{files.place(state.name)}   {_words(shown)}")
    wanted = sum(state.wanted is not None and state.name.endswith(".json") for state in states)
    say(f"{counted(wanted, 'service')} in {files.address}" if wanted else "this stack has no publishers")


def _words(state: FileState) -> str:
    match state.kind:
        case FileKind.ORPHANED:
            return state.reason or "its service left the specs; remove it with `--prune`"
        case FileKind.FOREIGN:
            return f"is not this stack's: {state.reason}"
        case _:
            return str(state.kind)
