from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from reconciler import __version__
from reconciler.errors import ExitCode, HedgerowError, Position
from reconciler.report import DRIFT_RULES, Diagnostic, Results, sarif_document
from reconciler.rules import PUBLISHER_RULES, TOPIC_RULES, Rule, Severity
from tests.report.diagnostics import diagnostic

SCHEMA = json.loads(Path(__file__).with_name("data").joinpath("sarif-2.1.0-rtm.5.json").read_text("utf-8"))
RULE = Rule(code="region-not-allowed", severity=Severity.ERROR, because="Pub/Sub refuses it. Nothing is trimmed.")
ODD_NAMES = ["a b.yaml", "ü/日本.yaml", "a%41.yaml", "a:b.yaml", "../up.yaml", "/abs/x y.yaml", "q?#[1].yaml", "-"]


def sarif(results: Results, *rules: Rule, exit_code: ExitCode | None = None) -> Any:
    document = sarif_document(results, rules, exit_code=exit_code)
    jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(document)
    return document["runs"][0]


def test_a_finding_has_its_rule_level_place_subject_and_fingerprint() -> None:
    found = diagnostic()
    run = sarif(Results(diagnostics=(found,)), RULE)
    assert run == {
        "tool": {
            "driver": {
                "name": "hedgerow",
                "version": __version__,
                "rules": [
                    {
                        "id": "region-not-allowed",
                        "shortDescription": {"text": "Pub/Sub refuses it."},
                        "fullDescription": {"text": "Pub/Sub refuses it. Nothing is trimmed."},
                        "help": {"text": "Pub/Sub refuses it. Nothing is trimmed."},
                        "defaultConfiguration": {"level": "error"},
                    }
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "exitCode": 3}],
        "results": [
            {
                "ruleId": "region-not-allowed",
                "ruleIndex": 0,
                "level": "error",
                "message": {
                    "text": "`orders`: region `us-east1` is not allowed in `acme-orders-prod`\n"
                    "allowed: europe-west1\nhint: remove the region"
                },
                "locations": [
                    {
                        "physicalLocation": {
                            "artifactLocation": {"uri": "stacks/production/topics.yaml", "uriBaseId": "%SRCROOT%"},
                            "region": {"startLine": 4, "startColumn": 56},
                        },
                        "logicalLocations": [
                            {"fullyQualifiedName": "projects/acme-orders-prod/topics/orders", "kind": "resource"}
                        ],
                    }
                ],
                "partialFingerprints": {"hedgerow/v1": found.fingerprint},
                "properties": {"severity": "error"},
            }
        ],
    }


def test_every_rule_is_described_and_a_result_points_at_its_own() -> None:
    rules = (*TOPIC_RULES, *PUBLISHER_RULES, *DRIFT_RULES)
    found = [diagnostic(code=rule.code, severity=rule.severity) for rule in rules]
    run = sarif(Results(diagnostics=tuple(found)), *rules)
    listed = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert listed == sorted(rule.code for rule in rules)
    assert [listed[result["ruleIndex"]] for result in run["results"]] == [rule.code for rule in rules]


def test_a_code_without_a_rule_is_listed_by_its_name() -> None:
    run = sarif(Results(diagnostics=(diagnostic(code="spec-empty", position=Position("t.yaml"), subject=""),)), RULE)
    assert run["tool"]["driver"]["rules"][1] == {
        "id": "spec-empty",
        "shortDescription": {"text": "The form of a spec file or a policy snapshot"},
    }
    assert run["results"][0]["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "t.yaml", "uriBaseId": "%SRCROOT%"}}}
    ]


def test_what_is_undecided_is_seen_as_a_warning() -> None:
    run = sarif(Results(diagnostics=(diagnostic(severity=Severity.UNDECIDED),)), RULE)
    assert (run["results"][0]["level"], run["results"][0]["properties"]) == ("warning", {"severity": "undecided"})


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_file_of_any_name_has_a_valid_address(name: str) -> None:
    run = sarif(Results(diagnostics=(diagnostic(position=Position(name, 1, 1)),)), RULE)
    uri = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert (
        uri
        == {
            "a b.yaml": "a%20b.yaml",
            "ü/日本.yaml": "%C3%BC/%E6%97%A5%E6%9C%AC.yaml",
            "a%41.yaml": "a%2541.yaml",
            "a:b.yaml": "a%3Ab.yaml",
            "../up.yaml": "../up.yaml",
            "/abs/x y.yaml": "file:///abs/x%20y.yaml",
            "q?#[1].yaml": "q%3F%23%5B1%5D.yaml",
            "-": "-",
        }[name]
    )


def test_no_word_of_a_file_is_a_link() -> None:
    run = sarif(Results(diagnostics=(diagnostic("`[click](http://example.com)`", details=(), hint=None),)), RULE)
    assert run["results"][0]["message"]["text"] == "`[click\\](http://example.com)`"


def test_a_run_that_ended_early_was_not_successful_and_says_why() -> None:
    run = sarif(Results(failure=HedgerowError("no `organization.yaml`", hint="write one")), RULE)
    assert run["invocations"] == [
        {
            "executionSuccessful": False,
            "exitCode": 1,
            "toolExecutionNotifications": [
                {"level": "error", "message": {"text": "no `organization.yaml`\nhint: write one"}}
            ],
        }
    ]


def test_a_command_that_counts_differently_gives_its_own_exit_code() -> None:
    found: tuple[Diagnostic, ...] = (diagnostic(),)
    assert sarif(Results(diagnostics=found), RULE, exit_code=ExitCode.OK)["invocations"][0]["exitCode"] == 0
