"""`hedgerow render` of 1,000 and 10,000 services, against writing the same bytes and nothing else."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.comparison import Comparison, run
from benchmarks.fleets import WrittenFleet, write_fleet, write_publishers

SIZES = (1_000, 10_000)
ROUNDS = {1_000: 5, 10_000: 3}
WITHIN = {1_000: "under 2,000 ms", 10_000: ""}

_RENDER = [sys.executable, "-m", "reconciler.cli", "render", "production"]


def measure() -> Iterator[Comparison]:
    """Files that are all new, and files that are all current, which are read and compared."""
    for size in SIZES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            fleet = write_fleet(folder, size)
            write_publishers(fleet, size)
            yield _written(fleet, folder, size)
            yield _current(folder, size)


def _written(fleet: WrittenFleet, folder: Path, size: int) -> Comparison:
    output = fleet.stack / "dist" / "publishers"
    pairs = []
    for _ in range(ROUNDS[size]):
        shutil.rmtree(output, ignore_errors=True)
        ours = run(_RENDER, folder).seconds
        pairs.append(
            (ours, run([sys.executable, "-m", "benchmarks.copies", output, folder / "copies"], Path.cwd()).seconds)
        )
    return Comparison(
        work=f"render, {size:,} services, all new",
        seconds=median(ours for ours, _ in pairs),
        against="the same bytes written to new files, each flushed to the disk",
        against_seconds=median(theirs for _, theirs in pairs),
        target=WITHIN[size],
    )


def _current(folder: Path, size: int) -> Comparison:
    check = [*_RENDER, "--check"]
    pairs = [
        (run(check, folder).seconds, run([*_RENDER[:-2], "check", "production"], folder).seconds)
        for _ in range(ROUNDS[size])
    ]
    return Comparison(
        work=f"render --check, {size:,} services, none changed",
        seconds=median(ours for ours, _ in pairs),
        against="hedgerow check of the same stack",
        against_seconds=median(theirs for _, theirs in pairs),
        target="below 2" + (f"; {WITHIN[size]}" if WITHIN[size] else ""),
    )
