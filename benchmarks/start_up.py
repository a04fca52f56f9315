"""Starting up: `import reconciler` and `hedgerow --help` against an interpreter that does nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.comparison import Comparison, medians

ROUNDS = 15


def measure() -> list[Comparison]:
    """How much the library and the command line add to the interpreter's own start."""
    programs = {
        "import reconciler": [sys.executable, "-c", "import reconciler"],
        "hedgerow --help": [str(Path(sys.executable).with_name("hedgerow")), "--help"],
    }
    nothing = [sys.executable, "-c", "pass"]
    return [_compare(name, program, nothing) for name, program in programs.items()]


def _compare(name: str, program: list[str], nothing: list[str]) -> Comparison:
    seconds, against_seconds = medians(lambda: _run(program), lambda: _run(nothing), rounds=ROUNDS)
    return Comparison(
        work=name, seconds=seconds, against="python -c pass", against_seconds=against_seconds, target="under 150 ms"
    )


def _run(program: list[str]) -> None:
    subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
