"""A baseline: the findings that were there when somebody drew a line, so that only new ones are reported.

It accepts errors and warnings. What could not be decided is never accepted, since nobody can know what that would be;
nor is a file that cannot be read, since whatever else is wrong in it has not been looked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reconciler.errors import InvalidInput, Position
from reconciler.report.diagnostics import Diagnostic, fingerprint
from reconciler.report.schema import fits
from reconciler.rules import Severity

BASELINE_VERSION = "1"


@dataclass(frozen=True, slots=True, order=True)
class Known:
    """A finding that a baseline accepts, told by what it is about and not by where it stands."""

    code: str
    subject: str
    message: str

    @property
    def fingerprint(self) -> str:
        """That of the findings which it accepts."""
        return fingerprint(self.code, self.subject, self.message)

    def to_json(self) -> dict[str, str]:
        """As the file has it."""
        return {"code": self.code, "subject": self.subject, "message": self.message}


_NEVER = (Severity.UNDECIDED, Severity.EXEMPT)
"""What no baseline accepts: the unknown, and what an exemption accepts, with an owner and until a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What is accepted, sorted."""

    accepted: tuple[Known, ...]

    @classmethod
    def of(cls, diagnostics: Iterable[Diagnostic]) -> Baseline:
        """The baseline that accepts everything of these that can be accepted."""
        found = {Known(d.code, d.subject, d.message) for d in diagnostics if d.severity not in _NEVER}
        return cls(accepted=tuple(sorted(found)))

    def split(self, diagnostics: Sequence[Diagnostic]) -> tuple[tuple[Diagnostic, ...], int, tuple[Known, ...]]:
        """The findings that are new, the number of those that are not, and what is accepted without being found."""
        known = {one.fingerprint for one in self.accepted}
        new = tuple(d for d in diagnostics if d.severity in _NEVER or d.fingerprint not in known)
        found = {diagnostic.fingerprint for diagnostic in diagnostics}
        obsolete = tuple(one for one in self.accepted if one.fingerprint not in found)
        return new, len(diagnostics) - len(new), obsolete


def baseline_text(baseline: Baseline) -> str:
    """The file: JSON in the order of codes, then subjects, so that a change shows as a few lines."""
    body = {"formatVersion": BASELINE_VERSION, "accepted": [known.to_json() for known in baseline.accepted]}
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def read_baseline(text: str, file: str) -> Baseline:
    """The baseline that a text holds.

    Raises:
        InvalidInput: when it holds none.
    """
    hint = "write it anew with `hedgerow check --write-baseline FILE`"
    try:
        body = json.loads(text)
    except ValueError as error:
        line, column = getattr(error, "lineno", 0), getattr(error, "colno", 0)
        raise InvalidInput("not readable as JSON", position=Position(file, line, column), hint=hint) from None
    version = body.get("formatVersion") if isinstance(body, dict) else None
    if version is not None and version != BASELINE_VERSION:
        message = f"the baseline has format version {version!r}, this version of hedgerow reads {BASELINE_VERSION!r}"
        raise InvalidInput(message, position=Position(file), hint=hint)
    if not fits("baseline", body):
        see = "see `hedgerow schema baseline`, or " + hint
        raise InvalidInput("the file does not fit the schema of a baseline", position=Position(file), hint=see)
    return Baseline(accepted=tuple(sorted(Known(e["code"], e["subject"], e["message"]) for e in body["accepted"])))
