"""What a benchmark returns, and how two programs are timed against each other."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two ways of doing the same work, timed in turn.

    Attributes:
        work: what is done, with its size.
        seconds: median time of ours.
        against: what the counterpart is.
        against_seconds: median time of the counterpart.
        target: what is aimed for, in words.
    """

    work: str
    seconds: float
    against: str
    against_seconds: float
    target: str

    @property
    def ratio(self) -> float:
        """Our time as a multiple of the counterpart's."""
        return self.seconds / self.against_seconds


def medians(ours: Callable[[], object], theirs: Callable[[], object], *, rounds: int) -> tuple[float, float]:
    """Median seconds of both, measured in turn so that a noisy moment hits both."""
    pairs = [(_seconds(ours), _seconds(theirs)) for _ in range(rounds)]
    return median(own for own, _ in pairs), median(other for _, other in pairs)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
