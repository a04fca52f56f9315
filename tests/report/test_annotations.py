from __future__ import annotations

import pytest

from reconciler.errors import HedgerowError, Position
from reconciler.report import Results, annotations_text
from reconciler.rules import Severity
from tests.report.diagnostics import diagnostic


def test_a_finding_is_one_command_with_its_place_code_details_and_hint() -> None:
    assert annotations_text(Results(diagnostics=(diagnostic(),))) == (
        "::error file=stacks/production/topics.yaml,line=4,col=56,title=region-not-allowed::"
        "`orders`: region `us-east1` is not allowed in `acme-orders-prod`"
        "%0Aallowed: europe-west1%0Ahint: remove the region\n"
    )


@pytest.mark.parametrize(
    ("severity", "command"), [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.UNDECIDED, "warning")]
)
def test_a_severity_has_a_command(severity: Severity, command: str) -> None:
    text = annotations_text(Results(diagnostics=(diagnostic(severity=severity),)))
    assert text.startswith(f"::{command} file=")


def test_what_is_wrong_with_a_whole_file_has_no_line() -> None:
    whole = diagnostic("the file is empty", code="spec-empty", position=Position("t.yaml"), details=(), hint=None)
    assert annotations_text(Results(diagnostics=(whole,))) == (
        "::error file=t.yaml,title=spec-empty::the file is empty\n"
    )


def test_no_word_of_a_file_can_be_a_command() -> None:
    forged = diagnostic(
        "`a\r\n::stop-commands::x`: 100%",
        position=Position("a,b:c%\n::error::d.yaml", 1, 2),
        details=("\n::warning::e",),
        hint=None,
    )
    assert annotations_text(Results(diagnostics=(forged,))) == (
        "::error file=a%2Cb%3Ac%25%0A%3A%3Aerror%3A%3Ad.yaml,line=1,col=2,title=region-not-allowed::"
        "`a%0D%0A::stop-commands::x`: 100%25%0A%0A::warning::e\n"
    )


def test_a_run_that_ended_early_says_so() -> None:
    failure = HedgerowError("which stack?", hint="name one of: a, b")
    assert annotations_text(Results(failure=failure)) == (
        "::error title=hedgerow::which stack?%0Ahint: name one of: a, b\n"
    )
    assert annotations_text(Results(failure=HedgerowError("no"))) == "::error title=hedgerow::no\n"
