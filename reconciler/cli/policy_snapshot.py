"""`hedgerow policy snapshot`: what the organization looks like and allows now, as a reviewable file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from reconciler.cli.output import as_json, data, format_option, say, write_file
from reconciler.cli.policy_sources import captured_body
from reconciler.cli.stacks import read_stack, stack_argument
from reconciler.errors import ExitCode, HedgerowError
from reconciler.model import LIVE
from reconciler.orgpolicy import policy_changes
from reconciler.report import counted, policy_changes_text
from reconciler.spec import load_catalogue, load_snapshot, parse_snapshot, renewed_snapshot, snapshot_text


@click.command()
@stack_argument
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write it to this file.")
@click.option("--check", is_flag=True, help="Write nothing; exit 2 when the file is no longer what would be captured.")
@format_option
def snapshot(stack: str | None, output: Path | None, format_: str, *, check: bool) -> ExitCode:
    """Capture the resource tree, tags, policies and the API's own effective answers for a stack's projects.

    Prints the snapshot, or writes it with -o. Projects that the file holds already are captured again, whichever stack
    they belong to; `valueGroups` are kept. Capturing twice gives equal bytes: the time changes only with the rest. When
    something cannot be read, nothing is written and the exit code is 4.
    """
    settings = read_stack(stack, format_=format_).fleet.stack
    file = output or (None if settings.policy_source == LIVE else Path(settings.policy_source))
    if check and file is None:
        raise HedgerowError("there is no file to check: the stack reads live policies", hint="name one with -o")
    projects = {*settings.projects, *_projects_in(file)}
    body = renewed_snapshot(captured_body(settings, projects), file)
    parse_snapshot(body, "the captured organization")
    text = snapshot_text(body)
    shown = f"{counted(len(body['resources']), 'resource')}, {counted(len(body['policies']), 'policy')}"
    if check:
        assert file is not None  # noqa: S101 - refused above
        return _checked(file, body)
    if output is None:
        data(as_json(body) if format_ == "json" else text)
        say(f"captured {shown} of {counted(len(projects), 'project')}")
        return ExitCode.OK
    if output.is_file() and output.read_text("utf-8") == text:
        say(f"captured {shown}: {output} is unchanged")
        return ExitCode.OK
    write_file(output, text)
    say(f"captured {shown}: {output} is written")
    return ExitCode.OK


def _projects_in(file: Path | None) -> tuple[str, ...]:
    """The projects of the file that is to be renewed; none where there is no such file yet."""
    return load_snapshot(file).projects if file is not None and file.is_file() else ()


def _checked(file: Path, body: Mapping[str, Any]) -> ExitCode:
    """Compares what a file says with what was captured, whatever the file is laid out like."""
    if not file.is_file():
        raise HedgerowError(f"{file} does not exist", hint=f"hedgerow policy snapshot -o {file}")
    before, now = load_snapshot(file), parse_snapshot(body, "the captured organization")
    changes = policy_changes(before, now, load_catalogue())
    data(policy_changes_text(changes))
    if before.fingerprint == now.fingerprint:
        say(f"{file} is what would be captured now")
        return ExitCode.OK
    effect = f"{counted(len(changes), 'project')} would be allowed something else" if changes else "no answer changes"
    say(f"{file} is not what would be captured now: {effect}", f"  hint: hedgerow policy snapshot -o {file}")
    return ExitCode.CHANGES
