"""What happened to each change, and what a whole run did: values that `apply` returns and `report` prints."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from reconciler.model import StoragePolicy
from reconciler.reconcile.resolve import Change


class Status(StrEnum):
    """How a change ended."""

    MADE = "made"
    """Written, and read back as asked."""
    FAILED = "failed"
    """Refused by the API, or read back otherwise."""
    STALE = "stale"
    """Not written: the topic had changed since the plan."""
    SKIPPED = "skipped"
    """Not written: the run stopped before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One change and how it ended.

    Attributes:
        found: the policy read back, or the one that made the change stale.
        message: the API's words, or what was found instead; empty for a change that was made.
    """

    change: Change
    status: Status
    found: StoragePolicy | None = None
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wave:
    """The outcomes of one wave, and how long it took, in seconds."""

    number: int
    outcomes: tuple[Outcome, ...]
    seconds: float

    def count(self, status: Status) -> int:
        """How many changes of the wave ended like this."""
        return sum(outcome.status is status for outcome in self.outcomes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A whole run.

    Attributes:
        id: sortable and unique, UTC time first.
        waves: those that were begun; the last one may be incomplete.
        skipped: outcomes of the changes that no wave came to.
        journal: where it is recorded.
        stopped: why the run ended early, if it did.
    """

    id: str
    waves: tuple[Wave, ...]
    skipped: tuple[Outcome, ...] = ()
    journal: str
    stopped: str | None = None

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcome of every change of the plan."""
        return tuple(outcome for wave in self.waves for outcome in wave.outcomes) + self.skipped

    def count(self, status: Status) -> int:
        """How many changes ended like this."""
        return sum(outcome.status is status for outcome in self.outcomes)
