"""What the benchmarks compare is the same work: on a fleet without mistakes, and by rules that find the same."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from benchmarks import floor
from benchmarks.__main__ import main, row
from benchmarks.comparison import Comparison, Skipped, run
from benchmarks.fleets import write_fleet
from benchmarks.opa import conftest_program, present_conftest
from reconciler.rules import check
from reconciler.spec import load_catalogue, load_fleet, load_snapshot


def codes(stack: Path, snapshot: Path) -> list[str]:
    fleet, read, catalogue = load_fleet(stack).fleet, load_snapshot(snapshot), load_catalogue()
    policies = {project: read.effective_policy(project, catalogue) for project in fleet.stack.projects}
    return [finding.code for finding in check(fleet, policies, catalogue, today=date(2026, 11, 30))]


def test_the_written_fleet_has_the_asked_size_and_no_mistake(tmp_path: Path) -> None:
    fleet = write_fleet(tmp_path, 1_010)
    loaded = load_fleet(fleet.stack)
    assert (len(loaded.fleet.topics), len(fleet.files), len(loaded.fleet.stack.projects)) == (1_010, 21, 2)
    assert loaded.warnings == ()
    assert codes(fleet.stack, fleet.snapshot) == []
    assert floor.main(fleet.stack) == 0


def test_the_floor_refuses_what_does_not_fit_the_schema(tmp_path: Path) -> None:
    fleet = write_fleet(tmp_path, 50)
    fleet.files[0].write_text("topics: 1\n", encoding="utf-8")
    assert floor.main(fleet.stack) == 1


def test_conftest_and_hedgerow_find_the_same_disallowed_regions(tmp_path: Path) -> None:
    command = present_conftest()
    if command is None:
        pytest.skip("Conftest is not built; `make bench ARGS=check` builds it where Go is installed")
    fleet = write_fleet(tmp_path / "fleet", 50)
    rules = tmp_path / "rules"
    rules.mkdir()
    program = conftest_program(command, fleet, rules)
    assert subprocess.run(program, check=False, capture_output=True).returncode == 0
    first = fleet.files[0]
    first.write_text(first.read_text("utf-8").replace("- europe-west1\n", "- me-west1\n", 2), encoding="utf-8")
    ended = subprocess.run([*program, "--output", "json"], check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout.count("region `me-west1` is not allowed")) == (1, 2)
    assert codes(fleet.stack, fleet.snapshot) == ["region-not-allowed"] * 2


def test_a_row_tells_work_times_ratio_and_target_or_why_it_is_missing() -> None:
    compared = Comparison(work="w", seconds=1.5, against="a", against_seconds=0.5, target="t")
    assert row(compared) == "| w | 1,500 ms | a | 500 ms | 3.0 | t |"
    assert row(Skipped(work="w", against="a", reason="no Go")) == "| w | | a | skipped: no Go | | |"


def test_a_program_that_fails_is_not_timed(tmp_path: Path) -> None:
    with pytest.raises(ChildProcessError, match=r"ended with 3$"):
        run([sys.executable, "-c", "raise SystemExit(3)"], tmp_path)
    ended = run([sys.executable, "-c", "pass"], tmp_path)
    assert ended.memory > 2**20


def test_a_benchmark_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no"]) == 64
    assert capsys.readouterr().err == (
        "error: `no` is no benchmark\n  hint: choose from check, plan, policies, region-sets, start-up\n"
    )
