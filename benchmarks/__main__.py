"""`python -m benchmarks [NAME...]`: runs all benchmarks, or those named, and prints one table in Markdown."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterable

from benchmarks import apply, check, custodian, pack, plan, policies, pulumi_up, region_sets, start_up
from benchmarks.comparison import Comparison, Skipped

BENCHMARKS: dict[str, Callable[[], Iterable[Comparison | Skipped]]] = {
    "apply": apply.measure,
    "check": check.measure,
    "custodian": custodian.measure,
    "pack": pack.measure,
    "plan": plan.measure,
    "policies": policies.measure,
    "pulumi-up": pulumi_up.measure,
    "region-sets": region_sets.measure,
    "start-up": start_up.measure,
}


def main(names: list[str]) -> int:
    """Prints each comparison as soon as it is measured; 64 for a name that is no benchmark."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"error: `{unknown[0]}` is no benchmark\n  hint: choose from {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 64
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores\n")
    print("| work | time | against | its time | ratio | target |\n| --- | --- | --- | --- | --- | --- |")
    for name in names or BENCHMARKS:
        for comparison in BENCHMARKS[name]():
            print(row(comparison), flush=True)
    return 0


def row(comparison: Comparison | Skipped) -> str:
    """One comparison as a row of the table."""
    if isinstance(comparison, Skipped):
        return f"| {comparison.work} | | {comparison.against} | skipped: {comparison.reason} | | |"
    cells = [
        comparison.work,
        _time(comparison.seconds),
        comparison.against,
        _time(comparison.against_seconds),
        _ratio(comparison.ratio),
        comparison.target,
    ]
    return f"| {' | '.join(cells)} |"


def _ratio(ratio: float) -> str:
    """Two digits that count, or one where it is above 1."""
    return f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}"


def _time(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
