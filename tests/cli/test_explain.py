"""`hedgerow check --explain`: the manual of rules on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from reconciler.cli.main import run
from reconciler.errors import ExitCode
from reconciler.report import manual_list, manual_page
from reconciler.rules import ALL_RULES, RESOURCE_RULES, Rule


@pytest.fixture(autouse=True)
def _nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No stack is needed to read the manual."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("rule", [ALL_RULES["region-unknown"], RESOURCE_RULES["value-unknown"]])
def test_the_page_of_a_rule_is_printed(rule: Rule, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--explain", rule.code]) is ExitCode.OK
    assert capsys.readouterr() == (manual_page(rule), "")


def test_all_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--explain", "all"]) is ExitCode.OK
    assert capsys.readouterr() == (manual_list([*ALL_RULES.values(), *RESOURCE_RULES.values()]), "")


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("region-unknwon", "did you mean `region-unknown`?"),
        (
            "xyz",
            "list them with `--explain all`; codes about a file's form have no page, as their messages say what to write",
        ),
    ],
)
def test_a_code_that_is_none_is_a_usage_error(code: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--explain", code]) is ExitCode.USAGE
    assert capsys.readouterr() == ("", f"error: there is no rule `{code}`\n  hint: {hint}\n")
