"""`hedgerow policy diff`: which projects' allowed regions change between two snapshots."""

from __future__ import annotations

from pathlib import Path

import click

from reconciler.cli.output import as_json, data, format_option, say
from reconciler.errors import ExitCode
from reconciler.orgpolicy import policy_changes
from reconciler.report import counted, policy_changes_document, policy_changes_text
from reconciler.spec import load_catalogue, load_snapshot

_SNAPSHOT = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("old", type=_SNAPSHOT)
@click.argument("new", type=_SNAPSHOT)
@click.option("--exit-code", is_flag=True, help="Exit 2 when a project's policy changes.")
@format_option
def diff(old: Path, new: Path, format_: str, *, exit_code: bool) -> ExitCode:
    """Compare two snapshots, OLD and NEW: whose allowed regions and in-transit requirement change.

    A policy that is only said in other words, or set at another node, is no change.
    """
    before, after = load_snapshot(old), load_snapshot(new)
    changes = policy_changes(before, after, load_catalogue())
    if format_ == "json":
        data(as_json({"formatVersion": "1", "changes": policy_changes_document(changes)}))
    else:
        data(policy_changes_text(changes))
    projects = {*before.projects, *after.projects}
    say(
        *([""] if changes and format_ == "text" else []),
        f"{len(changes):,} of {counted(len(projects), 'project')} {'changes' if len(changes) == 1 else 'change'} "
        f"from {old} to {new}",
    )
    return ExitCode.CHANGES if exit_code and changes else ExitCode.OK
