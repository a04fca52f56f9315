"""`hedgerow runs`: what the runs of a stack did."""

from __future__ import annotations

import json
from typing import Any

import click

from reconciler.apply import Store, find_run, read_run
from reconciler.cli.output import as_json, data, format_option, say
from reconciler.cli.stacks import read_stack, stack_argument
from reconciler.cli.surroundings import store_of
from reconciler.errors import HedgerowError
from reconciler.report import (
    counted,
    read_rendering,
    recorded_document,
    recorded_line,
    recorded_text,
    rendering_text,
)

stack_option = click.option("--stack", help="The stack whose run it is: a folder, or the name of one under stacks/.")


@click.group()
def runs() -> None:
    """List the runs of a stack, or show one."""


@runs.command("list")
@stack_argument
@click.option("-n", "--last", type=click.IntRange(1), default=20, show_default=True, help="Show so many.")
@format_option
def list_(stack: str | None, last: int, format_: str) -> None:
    """List the runs of a stack, the latest last."""
    store = store_of(read_stack(stack, format_=format_).fleet.stack)
    names = store.log_names()
    found = [read_run(store, name) for name in names[-last:]]
    if format_ == "json":
        data(as_json({"formatVersion": "1", "runs": [recorded_document(run) for run in found]}))
    else:
        data("".join(recorded_line(run) for run in found))
    say(f"{counted(len(names), 'run')} in {store.address}" + (f", the last {last} shown" if len(names) > last else ""))


@runs.command()
@click.argument("run")
@stack_option
@format_option
def show(run: str, stack: str | None, format_: str) -> None:
    """Show every change of a run and what became of it, and whose files it wrote.

    RUN is a run's id, the end of one, or `latest`.
    """
    store = store_of(read_stack(stack, format_=format_).fleet.stack)
    found = read_run(store, find_run(store, run))
    rendered = _rendered(store, found.id)
    if format_ == "json":
        publishers = {"publishers": rendered} if rendered else {}
        data(as_json({"formatVersion": "1", **recorded_document(found), **publishers}))
    else:
        data(recorded_text(found) + (rendering_text(read_rendering(rendered)) if rendered else ""))


def _rendered(store: Store, run: str) -> dict[str, Any] | None:
    """What a run did with the files of services, if it came to that.

    Raises:
        HedgerowError: when the run's result is not what a run writes.
    """
    try:
        result = json.loads(store.read(f"{run}.json") or b"{}")
    except ValueError:
        raise HedgerowError(f"{store.address}/{run}.json cannot be used: it is not JSON") from None
    rendered: dict[str, Any] | None = result.get("publishers")
    return rendered
