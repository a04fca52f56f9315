"""The pre-commit hook, run by pre-commit itself in a repository that holds a stack."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import ORGANIZATION, STACK, TOPICS
from tests.cli.test_exit_codes import DISALLOWED

ROOT = Path(__file__).resolve().parents[2]
[HOOK] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
BIN = Path(sys.executable).parent


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a stack, and the hook as its own: `language: system` leaves out making an environment for it."""
    for path, text in {
        "stacks/production/stack.yaml": STACK,
        "stacks/production/topics.yaml": TOPICS,
        "policies/organization.yaml": ORGANIZATION,
        ".pre-commit-config.yaml": yaml.safe_dump(
            {"repos": [{"repo": "local", "hooks": [{**HOOK, "language": "system"}]}]}
        ),
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    return tmp_path


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def pre_commit(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PRE_COMMIT_HOME": str(folder / ".git" / "pre-commit"),
    }
    return subprocess.run(
        [BIN / "pre-commit", "run", "--color", "never"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_hook_is_what_pre_commit_calls_one() -> None:
    subprocess.run([BIN / "pre-commit", "validate-manifest", ROOT / ".pre-commit-hooks.yaml"], check=True)


def test_a_commit_of_specs_that_are_right_passes(repository: Path) -> None:
    ended = pre_commit(repository)
    assert (ended.returncode, ended.stdout.split(".")[0], ended.stdout[-7:]) == (0, "hedgerow check", "Passed\n")


def test_a_commit_of_a_disallowed_region_is_stopped_with_its_line(repository: Path) -> None:
    (repository / "stacks/production/refunds.yaml").write_text(DISALLOWED, encoding="utf-8")
    git(repository, "add", ".")
    ended = pre_commit(repository)
    assert ended.returncode == 1
    assert "- exit code: 3\n" in ended.stdout
    assert "stacks/production/refunds.yaml:4:56: error: `refunds`: region `us-east1` is not allowed" in ended.stdout


def test_a_commit_of_something_else_is_none_of_its_business(repository: Path) -> None:
    git(repository, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "-m", "begin")
    (repository / "README.md").write_text("text\n", encoding="utf-8")
    git(repository, "add", ".")
    assert "(no files to check)Skipped" in pre_commit(repository).stdout
