"""What commands print: data on stdout, everything else on stderr."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from reconciler.errors import HedgerowError
from reconciler.report import Diagnostic, Results, diagnostics_text, results_document, tally
from reconciler.rules import Finding, Severity
from reconciler.spec import Problem, locate

format_option = click.option(
    "--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Form of the data on stdout."
)


def data(text: str) -> None:
    """Prints what the command was asked for.

    Raises:
        HedgerowError: when it cannot be printed (a full disk, a pipe that nobody reads).
    """
    try:
        click.echo(text, nl=False)
    except OSError as error:
        raise HedgerowError(f"stdout cannot be written: {error.strerror}") from error


def say(*lines: str) -> None:
    """Prints something about the run. Where that fails the run goes on: what is in hand has to be journalled."""
    with suppress(OSError):
        for line in lines:
            click.echo(line, err=True)


def as_json(value: Any) -> str:
    """A value as people read JSON: indented, keys in the order they were built."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def show_problems(problems: Iterable[Problem], *, format_: str) -> None:
    """Prints the problems of spec files, and how many there are."""
    diagnostics = [problem_diagnostic(problem) for problem in problems]
    if format_ == "json":
        data(as_json(results_document(Results(diagnostics=tuple(diagnostics)))))
    else:
        data(diagnostics_text(diagnostics))
    say(tally(diagnostics))


def problem_diagnostic(problem: Problem) -> Diagnostic:
    """A problem of a spec file as a diagnostic."""
    return Diagnostic(
        position=problem.position,
        severity=Severity(problem.severity),
        code=problem.code,
        subject=problem.position.file,
        message=problem.message,
        details=problem.details,
        hint=problem.hint,
    )


def located(findings: Iterable[Finding]) -> list[Diagnostic]:
    """Findings with their positions, in the order of files and lines."""
    diagnostics = [Diagnostic.of(finding, locate(finding.origin)) for finding in findings]
    return sorted(diagnostics, key=lambda d: (d.position, d.code, d.message))


def read_file(path: Path) -> str:
    """The text of a file that the user named.

    Raises:
        HedgerowError: when it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise HedgerowError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise HedgerowError(f"{path} is not UTF-8") from error


def write_file(path: Path, text: str) -> None:
    """Writes a file that the user named.

    Raises:
        HedgerowError: when it cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise HedgerowError(f"{path} cannot be written: {error.strerror}") from error
