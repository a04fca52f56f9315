"""Findings and problems of specs, with their positions, as text and as JSON values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reconciler.errors import Position, told
from reconciler.model import Exemption, digest
from reconciler.rules import Finding, Severity

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One thing to tell about a place in a file.

    Attributes:
        subject: what it is about: a topic's full name, a service, a profile, a project; empty for a file's form.
    """

    position: Position
    severity: Severity
    code: str
    subject: str = ""
    message: str
    details: tuple[str, ...] = ()
    hint: str | None = None
    exemption: Exemption | None = None

    @classmethod
    def of(cls, finding: Finding, position: Position) -> Diagnostic:
        """A finding at the position of its origin."""
        return cls(
            position=position,
            severity=finding.severity,
            code=finding.code,
            subject=finding.subject,
            message=finding.message,
            details=finding.details,
            hint=finding.hint,
            exemption=finding.exemption,
        )

    @property
    def fingerprint(self) -> str:
        """`sha256:...`, the same wherever the finding stands and whenever a catalogue or a snapshot was captured."""
        return fingerprint(self.code, self.subject, self.message)

    @property
    def full_message(self) -> str:
        """The message with details and hint on lines of their own."""
        return "\n".join([self.message, *self.details, *([f"hint: {self.hint}"] if self.hint else [])])


def fingerprint(code: str, subject: str, message: str) -> str:
    """What tells one finding from another; a date in a message says how old a source is, not what is wrong."""
    return digest([code, subject, _DATE.sub("DATE", message)])


def diagnostics_text(diagnostics: Iterable[Diagnostic]) -> str:
    """Position first, code last, details and hint indented below; one diagnostic after the other."""
    lines = [
        line
        for diagnostic in diagnostics
        for line in told(
            position=diagnostic.position,
            severity=diagnostic.severity,
            code=diagnostic.code,
            message=diagnostic.message,
            details=diagnostic.details,
            hint=diagnostic.hint,
        )
    ]
    return "".join(f"{line}\n" for line in lines)


def diagnostics_document(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """The same as JSON values, nothing cut. A line or column of 0 means the whole file."""
    return [
        {
            "file": diagnostic.position.file,
            "line": diagnostic.position.line,
            "column": diagnostic.position.column,
            "severity": str(diagnostic.severity),
            "code": diagnostic.code,
            "subject": diagnostic.subject,
            "message": diagnostic.message,
            "details": list(diagnostic.details),
            "hint": diagnostic.hint,
            "exemption": diagnostic.exemption and exemption_document(diagnostic.exemption),
            "fingerprint": diagnostic.fingerprint,
        }
        for diagnostic in diagnostics
    ]


def exemption_document(exemption: Exemption) -> dict[str, str]:
    """Why a finding is exempt, as JSON values."""
    return {"reason": exemption.reason, "owner": exemption.owner, "expires": exemption.expires.isoformat()}


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
