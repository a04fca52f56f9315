"""Where the Pulumi CLI comes from."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.engine import cli


@pytest.fixture(autouse=True)
def nothing_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache and an empty path."""
    monkeypatch.setattr(cli, "CACHE", tmp_path / "cache")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def commands(tmp_path: Path) -> Path:
    """The only folder of the path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def command(path: Path, script: str = "exit 0") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_the_version_that_is_built_is_the_pinned_one() -> None:
    pinned = next(line for line in (cli.TOOL / "go.mod").read_text().splitlines() if "pulumi/pkg/v3 v" in line)
    assert f"-s -w -X {cli.VERSION}={pinned.split()[1]}" in cli.command()


def test_a_pulumi_with_its_python_host_beside_it_is_taken_instead(commands: Path) -> None:
    command(commands / "pulumi")
    assert (cli.installed(), cli.missing()) == (None, "run `make engine`")
    command(commands / "pulumi-language-python")
    assert (cli.installed(), cli.missing()) == (commands, None)


def test_without_go_it_is_left_out_which_ci_does_not_accept(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.main() == 0
    monkeypatch.setenv("CI", "true")
    assert cli.main() == 1
    assert capsys.readouterr().err == "the Pulumi engine is left out: go not found\n" * 2


def test_it_is_built_once_and_gets_its_host(commands: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command(commands / "go", 'while [ "$1" != -o ]; do shift; done; echo built >> "$2"')
    assert (cli.main(), cli.main()) == (0, 0)
    assert (cli.folder() / "pulumi").read_text() == "built\n"
    assert (cli.folder() / "pulumi-language-python").read_text() == cli.HOST
    assert cli.missing() is None
    assert capsys.readouterr().out == f"pulumi in {cli.folder()}\n" * 2


def test_a_build_that_fails_is_told_and_leaves_nothing(commands: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command(commands / "go", "exit 3")
    assert cli.main() == 1
    assert capsys.readouterr().err == f"error: `{' '.join(cli.command())}` ended with 3\n"
    assert cli.missing() == "run `make engine`"
    with pytest.raises(subprocess.CalledProcessError):
        cli.build()
