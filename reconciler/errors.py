"""User errors, positions and exit codes.

A `HedgerowError` is something to tell the user and stop for; any other exception is a bug and keeps its traceback.
Imports nothing; everybody may import it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class ExitCode(IntEnum):
    """What a command's exit code means. `severest` picks one where several apply."""

    OK = 0
    """Done; nothing wrong (drift or pending changes included, unless `--exit-code`)."""
    FAILED = 1
    """Failed for another reason than those below."""
    CHANGES = 2
    """With `--exit-code`: there is drift, there are pending changes, or rendered files differ."""
    INVALID = 3
    """The specs are invalid or break a rule."""
    NOT_EVALUATED = 4
    """Something could not be evaluated; the rest was, and is reported."""
    REFUSED = 5
    """A guardrail refused the plan; nothing was written."""
    PARTIAL = 6
    """Some changes failed; the report says which were made."""
    STALE = 7
    """The plan is stale: what it was computed from has changed."""
    BUSY = 8
    """Another run holds the lease, or the Pulumi stack is locked."""
    USAGE = 64
    """Wrong command line."""

    @staticmethod
    def severest(*codes: ExitCode) -> ExitCode:
        """The one code to end with, in the order 1, 8, 7, 5, 6, 3, 4, 2, 0."""
        return min(codes, key=_SEVERITY.index, default=ExitCode.OK)


_SEVERITY = [
    ExitCode.USAGE,
    ExitCode.FAILED,
    ExitCode.BUSY,
    ExitCode.STALE,
    ExitCode.REFUSED,
    ExitCode.PARTIAL,
    ExitCode.INVALID,
    ExitCode.NOT_EVALUATED,
    ExitCode.CHANGES,
    ExitCode.OK,
]


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a file: `line` and `column` count from 1; 0 means that the whole file is meant."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


def told(
    *, position: Position, severity: str, code: str, message: str, details: tuple[str, ...], hint: str | None
) -> list[str]:
    """The lines that tell of something at a place in a file: position first, code last, details and hint indented.

    Control characters that a file's own words hold are spelled out: they would forge lines, or colour them.
    """
    lines = [f"{position}: {severity}: {message}  [{code}]", *(f"  {detail}" for detail in details)]
    lines += [f"  hint: {hint}"] * bool(hint)
    return [line.translate(_CONTROL) for line in lines]


_CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}


class HedgerowError(Exception):
    """Something the user can act on.

    Attributes:
        message: what is wrong, without a final full stop.
        position: where, if it is in a file.
        hint: the next command or the exact edit.
        exit_code: what the command ends with when nothing severer happened.
    """

    exit_code = ExitCode.FAILED

    def __init__(self, message: str, *, position: Position | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.hint = hint

    def __str__(self) -> str:
        where = f"{self.position}: " if self.position else ""
        hint = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{where}error: {self.message}{hint}"


class UsageError(HedgerowError):
    """The command line does not make sense."""

    exit_code = ExitCode.USAGE


class InvalidInput(HedgerowError):
    """A file that the user wrote cannot be used."""

    exit_code = ExitCode.INVALID


class NotEvaluated(HedgerowError):
    """Something needed for an answer could not be read: the answer is "unknown", never "no restriction"."""

    exit_code = ExitCode.NOT_EVALUATED


class StalePlan(HedgerowError):
    """What a saved plan was computed from has changed since."""

    exit_code = ExitCode.STALE


class RefusedPlan(HedgerowError):
    """A guardrail forbids the plan; nothing was written."""

    exit_code = ExitCode.REFUSED


class Busy(HedgerowError):
    """Another run holds the lease, or another update the Pulumi stack."""

    exit_code = ExitCode.BUSY


class CallFailed(HedgerowError):
    """A call to a Google Cloud API failed.

    Attributes:
        code: the canonical code's name, `PERMISSION_DENIED`.
        is_transient: whether the same call may succeed later: `UNAVAILABLE`, `RESOURCE_EXHAUSTED`, a deadline.
    """

    def __init__(self, code: str, message: str, *, is_transient: bool, hint: str | None = None) -> None:
        super().__init__(f"{code}: {message}", hint=hint)
        self.code = code
        self.is_transient = is_transient
