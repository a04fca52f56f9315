"""Rules and their findings: what `check`, the Pulumi program and every report share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from reconciler.model import Exemption, Exemptions, Origin, TopicName


class Severity(StrEnum):
    """How bad a finding is.

    An error fails the check; a warning does not; what is undecided ends it with code 4. What is exempt is only told:
    it would be an error or a warning, and somebody answers for it.
    """

    ERROR = "error"
    WARNING = "warning"
    UNDECIDED = "undecided"
    EXEMPT = "exempt"


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
        exemption: why the finding is exempt, if it is.
    """

    code: str
    severity: Severity
    subject: str
    origin: Origin
    message: str
    details: tuple[str, ...] = ()
    hint: str | None = None
    exemption: Exemption | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """What breaks a rule, and what to write instead.

    Both are YAML mappings that are read into the stack and the organization that the manual describes: `policies`,
    `effective` and `valueGroups` belong in the snapshot, `rules` in `stack.yaml`, everything else in a spec file.

    Attributes:
        breaks: the smallest piece that breaks the rule.
        mends: the same, put right.
    """

    breaks: str
    mends: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule of the tool: its code, how bad it is to break it, why it exists, and what breaking it looks like.

    Attributes:
        title: what is demanded, in one line without a full stop.
        because: one paragraph for the person who asks why; facts about Google's services with their source.
        example: for the manual; a test holds it to what it says.
        adjustable: whether a stack may make it an error, a warning or nothing. Rules that fail closed, and those whose
            breach makes a call, a client or a generated file fail, stay as they are.
        exemptable: whether single topics may be exempted from it.
    """

    code: str
    severity: Severity
    title: str = ""
    because: str
    example: Example | None = None
    adjustable: bool = False
    exemptable: bool = False

    def finding(
        self,
        *,
        subject: str,
        origin: Origin,
        message: str,
        details: tuple[str, ...] = (),
        hint: str | None = None,
        severity: Severity | None = None,
        exemption: Exemption | None = None,
    ) -> Finding:
        """A finding of this rule, of its severity unless told otherwise; exempt if there is an exemption."""
        if exemption is not None:
            severity = Severity.EXEMPT
            details = (*details, f"{exemption}: {exemption.reason}")
        return Finding(
            code=self.code,
            severity=severity or self.severity,
            subject=subject,
            origin=origin,
            message=message,
            details=details,
            hint=hint,
            exemption=exemption,
        )

    def exemption(self, exemptions: Exemptions, topic: TopicName) -> Exemption | None:
        """The exemption of a topic from this rule, if there is one and the rule allows any."""
        return exemptions.of(self.code, topic) if self.exemptable else None
