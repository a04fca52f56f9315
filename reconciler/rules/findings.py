"""Rules and their findings: what `check`, the Pulumi program and every report share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from reconciler.model import Origin


class Severity(StrEnum):
    """How bad a finding is. An error fails the check; a warning does not; what is undecided ends it with code 4."""

    ERROR = "error"
    WARNING = "warning"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something a rule found.

    Attributes:
        code: the rule's stable code.
        subject: what it is about: a topic's full name, a service, a profile, a project.
        origin: where the offending value was written.
        message: one line that starts with the entry's short name in backticks, without position and full stop.
        details: further lines, each with its own lead (`allowed: ...`).
        hint: the exact edit or the next command.
    """

    code: str
    severity: Severity
    subject: str
    origin: Origin
    message: str
    details: tuple[str, ...] = ()
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule of the tool: its code, how bad it is to break it, and why it exists.

    Attributes:
        because: one paragraph for the person who asks why; facts about Google's services with their source.
    """

    code: str
    severity: Severity
    because: str

    def finding(
        self,
        *,
        subject: str,
        origin: Origin,
        message: str,
        details: tuple[str, ...] = (),
        hint: str | None = None,
        severity: Severity | None = None,
    ) -> Finding:
        """A finding of this rule, of its severity unless told otherwise."""
        return Finding(
            code=self.code,
            severity=severity or self.severity,
            subject=subject,
            origin=origin,
            message=message,
            details=details,
            hint=hint,
        )
