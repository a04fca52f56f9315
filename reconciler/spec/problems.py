"""What is wrong with files, collected until all of it is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from reconciler.errors import InvalidInput, Position, told
from reconciler.model import Origin


class ProblemSeverity(StrEnum):
    """An error makes a file unusable; a warning does not. The values are those of rule findings."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something wrong with a file, printed like a finding.

    Attributes:
        code: stable, `spec-...` or `region-...`.
        position: the file, with line and column where there are any.
        message: one line that starts with the entry's name in backticks if there is one, without final full stop.
        details: further lines, each with its own lead.
        hint: the exact edit.
    """

    code: str
    position: Position
    message: str
    details: tuple[str, ...] = ()
    hint: str | None = None
    severity: ProblemSeverity = ProblemSeverity.ERROR

    def __str__(self) -> str:
        lines = told(
            position=self.position,
            severity=self.severity,
            code=self.code,
            message=self.message,
            details=self.details,
            hint=self.hint,
        )
        return "\n".join(lines)


class InvalidSpecs(InvalidInput):
    """Files that cannot be used; `problems` are all that was found in all of them, in order of position."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        errors = [problem for problem in self.problems if problem.severity is ProblemSeverity.ERROR]
        files = len({problem.position.file for problem in errors})
        super().__init__(f"{_counted(len(errors), 'error')} in {_counted(files, 'file')}")

    def __str__(self) -> str:
        return "\n".join([*map(str, self.problems), self.message])


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _on_one_line(text: str) -> str:
    """A text with control characters spelled out: what a file holds must not break up a message."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Note:
    """A problem whose place is not looked up yet; `first` is the other place that it is about."""

    code: str
    place: Origin | Position
    message: str
    hint: str | None
    severity: ProblemSeverity
    first: Origin | Position | None = None


@dataclass(slots=True, kw_only=True)
class Problems:
    """Collects problems by origin; lines and columns are looked up once, in the end."""

    _notes: list[_Note] = field(default_factory=list)
    error_count: int = 0
    """How many errors there are so far: a number, because readers ask it for every entry."""

    def __len__(self) -> int:
        return len(self._notes)

    def error(
        self,
        code: str,
        place: Origin | Position,
        message: str,
        *,
        hint: str | None = None,
        first: Origin | Position | None = None,
    ) -> None:
        """Notes an error; `first` is another place to name, where the same thing was written before."""
        self.error_count += 1
        severity = ProblemSeverity.ERROR
        self._notes.append(_Note(code=code, place=place, message=message, hint=hint, severity=severity, first=first))

    def warning(self, code: str, place: Origin | Position, message: str, *, hint: str | None = None) -> None:
        """Notes a warning."""
        severity = ProblemSeverity.WARNING
        self._notes.append(_Note(code=code, place=place, message=message, hint=hint, severity=severity))

    def located(self, locate: Callable[[Origin], Position]) -> tuple[Problem, ...]:
        """All of them with lines and columns, in order of position, none twice."""

        def position(place: Origin | Position) -> Position:
            return locate(place) if isinstance(place, Origin) else place

        found = {
            Problem(
                code=note.code,
                position=position(note.place),
                message=_on_one_line(note.message),
                details=(f"first at {position(note.first)}",) if note.first else (),
                hint=None if note.hint is None else _on_one_line(note.hint),
                severity=note.severity,
            ): None
            for note in self._notes
        }
        return tuple(sorted(found, key=lambda problem: (problem.position, problem.code, problem.message)))
