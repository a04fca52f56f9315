"""Findings as SARIF 2.1.0, the format that code scanning services read.

The standard: Static Analysis Results Interchange Format (SARIF) Version 2.1.0, OASIS,
https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from reconciler import __version__
from reconciler.errors import ExitCode, HedgerowError
from reconciler.report.diagnostics import Diagnostic
from reconciler.report.manual import manual_page
from reconciler.report.results import Results
from reconciler.rules import Rule, Severity

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.UNDECIDED: "warning",
    Severity.EXEMPT: "note",
}
"""What is undecided is a warning: the standard's own kind for it, `open`, must have no level, and would not be seen."""

_ROOT = "%SRCROOT%"
"""The usual name for the root of the checkout, which relative files count from."""


def sarif_document(results: Results, rules: Sequence[Rule], *, exit_code: ExitCode | None = None) -> dict[str, Any]:
    """One run with all rules, and a result for each finding.

    Args:
        results: what to report.
        rules: every rule of the command; a code without a rule (of a file's form) is listed by its name alone.
        exit_code: what the process ends with, where that is not the results' own.
    """
    code = results.exit_code if exit_code is None else exit_code
    known = {rule.code: _rule(rule) for rule in rules}
    unnamed = {d.code: _form(d.code) for d in results.diagnostics if d.code not in known}
    descriptors = {**known, **unnamed}
    ordered = sorted(descriptors)
    index = {name: number for number, name in enumerate(ordered)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "hedgerow",
                        "version": __version__,
                        "rules": [descriptors[name] for name in ordered],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [_invocation(results.failure, code)],
                "results": [_result(diagnostic, index) for diagnostic in results.diagnostics],
            }
        ],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "shortDescription": {"text": _message(rule.title) if rule.title else _first_sentence(rule.because)},
        "fullDescription": {"text": _message(rule.because)},
        "help": {"text": _message(rule.because), **({"markdown": manual_page(rule)} if rule.example else {})},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _form(code: str) -> dict[str, Any]:
    return {"id": code, "shortDescription": {"text": "The form of a spec file or a policy snapshot"}}


def _first_sentence(text: str) -> str:
    end = text.find(". ")
    return _message(text if end < 0 else text[: end + 1])


def _invocation(failure: HedgerowError | None, code: ExitCode) -> dict[str, Any]:
    invocation: dict[str, Any] = {"executionSuccessful": failure is None, "exitCode": int(code)}
    if failure is not None:
        text = failure.message + (f"\nhint: {failure.hint}" if failure.hint else "")
        invocation["toolExecutionNotifications"] = [{"level": "error", "message": {"text": _message(text)}}]
    return invocation


def _result(diagnostic: Diagnostic, index: dict[str, int]) -> dict[str, Any]:
    place = diagnostic.position
    physical: dict[str, Any] = {"artifactLocation": _artifact(place.file)}
    if place.line:
        physical["region"] = {"startLine": place.line, "startColumn": place.column}
    location: dict[str, Any] = {"physicalLocation": physical}
    if diagnostic.subject:
        location["logicalLocations"] = [{"fullyQualifiedName": diagnostic.subject, "kind": "resource"}]
    result = {
        "ruleId": diagnostic.code,
        "ruleIndex": index[diagnostic.code],
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": _message(diagnostic.full_message)},
        "locations": [location],
        "partialFingerprints": {"hedgerow/v1": diagnostic.fingerprint},
        "properties": {"severity": str(diagnostic.severity)},
    }
    if diagnostic.exemption is not None:
        reason = f"{diagnostic.exemption}: {diagnostic.exemption.reason}"
        result["suppressions"] = [{"kind": "inSource", "status": "accepted", "justification": reason}]
    return result


def _artifact(file: str) -> dict[str, str]:
    """A file as a URI: relative ones from the root of the checkout, whatever is in their names."""
    path = PurePath(file)
    if path.is_absolute():
        return {"uri": path.as_uri()}
    return {"uri": quote(path.as_posix()), "uriBaseId": _ROOT}


def _message(text: str) -> str:
    """A text in which nothing is a link: in messages, `[words](target)` is one (section 3.11.6 of the standard)."""
    return text.replace("](", "\\](")
