"""`hedgerow check` at 1,000, 10,000 and 100,000 topics: against the floor, check-jsonschema, Conftest, and itself."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from benchmarks.comparison import Comparison, Ended, Skipped, run
from benchmarks.fleets import WrittenFleet, write_fleet
from benchmarks.opa import conftest_program, find_conftest

SIZES = (1_000, 10_000, 100_000)
ROUNDS = {1_000: 5, 10_000: 5, 100_000: 3}
SLOW_ROUNDS = {1_000: 3, 10_000: 1, 100_000: 1}
"""For counterparts that take minutes."""

_CHECK = [sys.executable, "-m", "reconciler.cli", "check", "production"]


def measure() -> Iterator[Comparison | Skipped]:
    """What the whole check costs beside what it cannot do without, and beside what else checks the same files."""
    conftest = find_conftest()
    per_size: dict[int, float] = {}
    for size in SIZES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            fleet = write_fleet(folder, size)
            ours: list[Ended] = []

            def check(folder: Path = folder, ours: list[Ended] = ours) -> float:
                ours.append(run(_CHECK, folder))
                return ours[-1].seconds

            yield _against_floor(fleet, check, ours, size)
            per_size[size] = median(ended.seconds for ended in ours)
            yield _against_check_jsonschema(fleet, check, size)
            yield _against_conftest(conftest, fleet, check, size)
    yield Comparison(
        work=f"check, {SIZES[-1]:,} topics",
        seconds=per_size[SIZES[-1]],
        against=f"ten times check of {SIZES[-2]:,}",
        against_seconds=10 * per_size[SIZES[-2]],
        target="linear: at most 1.0",
    )


def _in_turn(
    ours: Callable[[], float], program: list[str | Path], folder: Path, *, rounds: int, repeats: int = 1
) -> tuple[float, float]:
    """Median seconds of both, in turn; `repeats` of ours for each of a counterpart that takes many times longer."""
    pairs = [(median(ours() for _ in range(repeats)), run(program, folder).seconds) for _ in range(rounds)]
    return median(own for own, _ in pairs), median(other for _, other in pairs)


def _against_floor(fleet: WrittenFleet, check: Callable[[], float], ended: list[Ended], size: int) -> Comparison:
    program: list[str | Path] = [sys.executable, "-m", "benchmarks.floor", fleet.stack]
    seconds, against_seconds = _in_turn(check, program, Path.cwd(), rounds=ROUNDS[size])
    memory = max(one.memory for one in ended) / 2**20
    return Comparison(
        work=f"check, {size:,} topics in {len(fleet.files):,} files, {memory:.0f} MiB at most",
        seconds=seconds,
        against="reading, yaml-rs and jsonschema-rs alone",
        against_seconds=against_seconds,
        target="at most 5" + ("; under 4,000 ms and 400 MiB" if size == SIZES[-1] else ""),
    )


def _against_check_jsonschema(fleet: WrittenFleet, check: Callable[[], float], size: int) -> Comparison | Skipped:
    work, against = f"check, {size:,} topics", "check-jsonschema on the same files"
    command = Path(sys.executable).with_name("check-jsonschema")
    if not command.is_file():
        return Skipped(work=work, against=against, reason="pip install 'hedgerow[bench]'")
    schema = Path.cwd() / "reconciler/spec/schemas/fleet.schema.json"
    program: list[str | Path] = [command, "--schemafile", schema, *fleet.files]
    seconds, against_seconds = _in_turn(check, program, fleet.stack, rounds=SLOW_ROUNDS[size], repeats=3)
    return Comparison(
        work=work,
        seconds=seconds,
        against=against,
        against_seconds=against_seconds,
        target="at most 0.025" if size == SIZES[-1] else "",
    )


def _against_conftest(
    conftest: Path | str, fleet: WrittenFleet, check: Callable[[], float], size: int
) -> Comparison | Skipped:
    work, against = f"check, {size:,} topics", "Conftest with the one rule `region-not-allowed`"
    if isinstance(conftest, str):
        return Skipped(work=work, against=against, reason=conftest)
    with tempfile.TemporaryDirectory() as name:
        program = conftest_program(conftest, fleet, Path(name))
        seconds, against_seconds = _in_turn(check, program, fleet.stack, rounds=ROUNDS[size])
    return Comparison(
        work=work,
        seconds=seconds,
        against=against,
        against_seconds=against_seconds,
        target="below 1" if size == SIZES[-1] else "",
    )
