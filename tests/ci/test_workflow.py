"""The example workflow, as far as it runs without GitHub: its commands, in its order, in a checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.conftest import ORDERS, STACK, Company, company
from tests.cli.test_exit_codes import DISALLOWED
from tests.preview.samples import document
from tests.preview.samples import step as step_of

__all__ = ["company"]

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = yaml.load((ROOT / "docs/ci/github-workflow.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - `on` stays text, and it holds nothing but text


def commands(job: str) -> list[dict[str, Any]]:
    return [step for step in WORKFLOW["jobs"][job]["steps"] if step.get("run", "").startswith("hedgerow ")]


def step(job: str, name: str) -> dict[str, Any]:
    return next(step for step in WORKFLOW["jobs"][job]["steps"] if step.get("name") == name)


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A step as GitHub runs it: by bash, which stops at the first command that fails."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "GITHUB_OUTPUT": str(folder / "github-output"),
    }
    return subprocess.run(
        ["bash", "-e", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_every_step_runs_a_command_or_uses_an_action_of_a_named_version() -> None:
    for job in WORKFLOW["jobs"].values():
        for one in job["steps"]:
            assert ("run" in one) != ("uses" in one)
            assert "uses" not in one or "@v" in one["uses"]


def test_jobs_get_no_more_permissions_than_they_use() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert {name: job["permissions"] for name, job in WORKFLOW["jobs"].items()} == {
        "check": {"contents": "read", "security-events": "write"},
        "guard": {"contents": "read", "id-token": "write"},
        "reconcile": {"contents": "read", "id-token": "write"},
    }


@pytest.mark.network
def test_a_pull_request_is_checked_and_what_is_uploaded_is_there_although_the_check_fails(company: Company) -> None:
    company.write("stacks/production/refunds.yaml", DISALLOWED)
    [check] = commands("check")
    ended = run(check["run"], company.folder)
    assert ended.returncode == 3
    assert "\n::error file=stacks/production/refunds.yaml,line=4,col=56,title=region-not-allowed::" in ended.stdout
    upload = step("check", "Upload to code scanning")
    assert upload["if"] == "${{ !cancelled() && hashFiles('hedgerow.sarif') != '' }}"
    uploaded = json.loads((company.folder / upload["with"]["sarif_file"]).read_text("utf-8"))
    assert [result["ruleId"] for result in uploaded["runs"][0]["results"]] == ["region-not-allowed"]
    assert (company.folder / "github-output").read_text("utf-8") == "result=invalid\n"


@pytest.mark.network
def test_a_pull_request_that_would_replace_a_topic_is_refused_at_the_line_that_declares_it(company: Company) -> None:
    [guard] = commands("guard")
    assert guard["if"] == "${{ !cancelled() }}"
    taken = {**step_of("replace", replaces=("tags",)), "old": {"id": ORDERS}, "new": None}
    company.write("preview.json", document(taken))
    ended = run(guard["run"], company.folder)
    assert ended.returncode == 5
    assert "\n::error file=stacks/production/topics.yaml,line=4,col=5,title=topic-replaced::`orders`: " in ended.stdout
    assert (company.folder / "github-output").read_text("utf-8") == "result=refused\n"
    # Where the preview could not even begin, its file is there and empty.
    company.write("preview.json", "")
    assert run(guard["run"], company.folder).returncode == 4


@pytest.mark.network
def test_a_night_repairs_the_drift_keeps_the_journal_and_tells_what_is_left(company: Company) -> None:
    company.write("stacks/production/stack.yaml", STACK.replace("reconcile: {", "reconcile: {limits: {topics: 9}, "))
    reconcile, left = commands("reconcile")
    assert run(reconcile["run"], company.folder).returncode == 0
    assert len(company.box.log.writes()) == 2
    company.world.put_topic(ORDERS, None)
    told = run(left["run"], company.folder)
    assert (told.returncode, left["if"]) == (0, "${{ !cancelled() }}")
    assert "\n::error file=stacks/production/topics.yaml,line=4,col=5,title=drift-disallowed::`orders`: " in told.stdout
    kept = step("reconcile", "Keep the journal")["with"]["path"].splitlines()
    assert kept == ["runs/", "plan.json"]
    assert list((company.folder / "runs").glob("**/*.jsonl"))
    assert json.loads((company.folder / "plan.json").read_text("utf-8"))["formatVersion"] == "1"
