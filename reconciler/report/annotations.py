"""Findings as annotations of GitHub Actions: commands in a step's log that mark lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reconciler.report.diagnostics import Diagnostic
from reconciler.report.results import Results
from reconciler.rules import Severity

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.UNDECIDED: "warning",
    Severity.EXEMPT: "notice",
}

_IN_MESSAGES = {ord("%"): "%25", ord("\r"): "%0D", ord("\n"): "%0A"}
"""How a message spells what would end it (github.com/actions/toolkit, packages/core/src/command.ts)."""
_IN_PROPERTIES = {**_IN_MESSAGES, ord(":"): "%3A", ord(","): "%2C"}


def annotations_text(results: Results) -> str:
    """One command a line, `::error file=F,line=L,col=C,title=CODE::MESSAGE`, details and hint in the message.

    What is undecided is a warning, as GitHub knows no such thing. Only the escaped forms of a file's own words appear,
    so that none of them can be a command.
    """
    lines = [_annotation(diagnostic) for diagnostic in results.diagnostics]
    if results.failure is not None:
        message = results.failure.message + (f"\nhint: {results.failure.hint}" if results.failure.hint else "")
        lines.append(f"::error title=hedgerow::{_spelled(message, _IN_MESSAGES)}")
    return "".join(f"{line}\n" for line in lines)


def _annotation(diagnostic: Diagnostic) -> str:
    place = diagnostic.position
    properties: Iterable[tuple[str, object]] = [
        ("file", place.file),
        *([("line", place.line), ("col", place.column)] if place.line else []),
        ("title", diagnostic.code),
    ]
    listed = ",".join(f"{name}={_spelled(str(value), _IN_PROPERTIES)}" for name, value in properties)
    return f"::{_COMMANDS[diagnostic.severity]} {listed}::{_spelled(diagnostic.full_message, _IN_MESSAGES)}"


def _spelled(text: str, table: Mapping[int, str]) -> str:
    return text.translate(table)
