"""Finding the stack that a command is about, and reading it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from reconciler.cli.output import say, show_problems
from reconciler.errors import ExitCode, UsageError
from reconciler.spec import InvalidSpecs, Loaded, load_fleet

STACK_FILES = ("stack.yaml", "stack.yml", "stack.json")

stack_argument = click.argument("stack", required=False)
"""STACK: a folder, or the name of one under `stacks/`; where there is exactly one, it may be left out."""


def find_stack(name: str | None) -> Path:
    """The folder of a stack, as the user would name it.

    Raises:
        UsageError: when there is no such stack, or none is named and there are several.
    """
    known = sorted(folder for folder in Path("stacks").glob("*") if _is_stack(folder))
    if name is None:
        if _is_stack(Path()):
            return Path()
        if len(known) == 1:
            say(f"stack {known[0]}")
            return known[0]
        raise UsageError("which stack?" if known else "there is no stack here", hint=_ways_out(known))
    for folder in (Path(name), Path("stacks") / name):
        if _is_stack(folder):
            return folder
    raise UsageError(f"`{name}` is no stack: neither it nor stacks/{name} has a stack.yaml", hint=_ways_out(known))


def all_stacks() -> list[str]:
    """The names of all stacks under `stacks/`, sorted.

    Raises:
        UsageError: when there is none.
    """
    known = sorted(folder.name for folder in Path("stacks").glob("*") if _is_stack(folder))
    if not known:
        raise UsageError("there is no stack here", hint=_ways_out([]))
    return known


def load_stack(name: str | None) -> Loaded:
    """Finds and loads a stack.

    Raises:
        InvalidSpecs: with every problem of every file, when one is invalid.
    """
    folder = find_stack(name)
    with without_collections():
        return load_fleet(folder)


def read_stack(name: str | None, *, format_: str = "text") -> Loaded:
    """Finds and loads a stack; every problem of every file is printed.

    Raises:
        click.exceptions.Exit: with code 3, when a file is invalid.
    """
    try:
        return load_stack(name)
    except InvalidSpecs as error:
        show_problems(error.problems, format_=format_)
        raise click.exceptions.Exit(ExitCode.INVALID) from None


@contextmanager
def without_collections() -> Iterator[None]:
    """Keeps Python from looking for cycles in a growing fleet or plan: they have none, and live to the command's end.

    It would take a third of the time, each time in vain.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _is_stack(folder: Path) -> bool:
    return any((folder / file).is_file() for file in STACK_FILES)


def _ways_out(known: list[Path]) -> str:
    if not known:
        return "run it where `stacks/` is, or name the folder that holds a stack.yaml"
    return f"name one of: {', '.join(folder.name for folder in known)}"
