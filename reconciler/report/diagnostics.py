"""Findings and problems of specs, with their positions, as text and as JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reconciler.errors import Position
from reconciler.rules import Finding, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One thing to tell about a place in a file."""

    position: Position
    severity: Severity
    code: str
    message: str
    details: tuple[str, ...] = ()
    hint: str | None = None

    @classmethod
    def of(cls, finding: Finding, position: Position) -> Diagnostic:
        """A finding at the position of its origin."""
        return cls(
            position=position,
            severity=finding.severity,
            code=finding.code,
            message=finding.message,
            details=finding.details,
            hint=finding.hint,
        )


def diagnostics_text(diagnostics: Iterable[Diagnostic]) -> str:
    """Position first, code last, details and hint indented below; one diagnostic after the other."""
    lines: list[str] = []
    for diagnostic in diagnostics:
        lines.append(f"{diagnostic.position}: {diagnostic.severity}: {diagnostic.message}  [{diagnostic.code}]")
        lines += [f"  {detail}" for detail in diagnostic.details]
        if diagnostic.hint:
            lines.append(f"  hint: {diagnostic.hint}")
    return "".join(f"{line}\n" for line in lines)


def diagnostics_document(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """The same as JSON values, nothing cut."""
    return [
        {
            "file": diagnostic.position.file,
            "line": diagnostic.position.line,
            "column": diagnostic.position.column,
            "severity": str(diagnostic.severity),
            "code": diagnostic.code,
            "message": diagnostic.message,
            "details": list(diagnostic.details),
            "hint": diagnostic.hint,
        }
        for diagnostic in diagnostics
    ]


def tally(diagnostics: Sequence[Diagnostic]) -> str:
    """How many errors, warnings, undecided and exempt findings there are: `2 errors, 1 warning`, or `nothing wrong`."""
    names = {
        Severity.ERROR: "error",
        Severity.WARNING: "warning",
        Severity.UNDECIDED: "undecided finding",
        Severity.EXEMPT: "exempt finding",
    }
    counts = {severity: sum(d.severity is severity for d in diagnostics) for severity in names}
    parts = [counted(count, names[severity]) for severity, count in counts.items() if count]
    return ", ".join(parts) or "nothing wrong"


def counted(count: int, noun: str) -> str:
    """`1 topic`, `1,204 topics`, `2 policies`."""
    if count == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {plural}"
