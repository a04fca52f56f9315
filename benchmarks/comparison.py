"""What a benchmark returns, and how two programs are timed against each other."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A comparison whose counterpart is not at hand, and what it would take."""

    work: str
    against: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a program ended: wall time, and the most memory that it held at once, in bytes."""

    seconds: float
    memory: int


def medians(ours: Callable[[], object], theirs: Callable[[], object], *, rounds: int) -> tuple[float, float]:
    """Median seconds of both, measured in turn so that a noisy moment hits both."""
    pairs = [(_seconds(ours), _seconds(theirs)) for _ in range(rounds)]
    return median(own for own, _ in pairs), median(other for _, other in pairs)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def cache() -> Path:
    """Where counterparts are kept that are built or installed once: `$XDG_CACHE_HOME/hedgerow-benchmarks`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hedgerow-benchmarks"


def run(program: Sequence[str | Path], folder: Path, environment: Mapping[str, str] | None = None) -> Ended:
    """Runs a program to its end in a folder; what it prints is dropped.

    Raises:
        ChildProcessError: when it fails, since the time of a failure says nothing.
    """
    start = time.perf_counter()
    child = subprocess.Popen(program, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)  # reaped above, for its memory
    if child.returncode != 0:
        raise ChildProcessError(f"{program[0]} ended with {child.returncode}")
    return Ended(seconds=seconds, memory=usage.ru_maxrss * 1024)
