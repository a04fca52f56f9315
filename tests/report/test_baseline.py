from __future__ import annotations

import json
from dataclasses import replace

import pytest

from reconciler.errors import InvalidInput, Position
from reconciler.report import Baseline, Known, Results, baseline_text, read_baseline
from reconciler.rules import Severity
from tests.report.diagnostics import diagnostic

OLD, NEW = diagnostic("old"), diagnostic("new")
UNDECIDED = diagnostic("unsettled", severity=Severity.UNDECIDED)
SUBJECT = "projects/acme-orders-prod/topics/orders"


def test_a_baseline_accepts_errors_and_warnings_each_once_and_in_order() -> None:
    warning = diagnostic("a warning", severity=Severity.WARNING)
    moved = replace(OLD, position=Position("elsewhere.yaml", 1, 1))
    assert Baseline.of([OLD, warning, moved, UNDECIDED]).accepted == (
        Known("region-not-allowed", SUBJECT, "a warning"),
        Known("region-not-allowed", SUBJECT, "old"),
    )


def test_only_what_is_new_remains() -> None:
    results = Results(diagnostics=(OLD, NEW)).against(Baseline.of([OLD]))
    assert (results.diagnostics, results.accepted, results.obsolete) == ((NEW,), 1, ())


def test_what_is_accepted_and_no_longer_found_is_named() -> None:
    results = Results(diagnostics=()).against(Baseline.of([OLD]))
    assert (results.accepted, results.obsolete) == (0, (Known("region-not-allowed", SUBJECT, "old"),))


def test_what_is_undecided_is_reported_even_where_it_was_once_accepted_as_an_error() -> None:
    accepted = Baseline.of([replace(UNDECIDED, severity=Severity.ERROR)])
    results = Results(diagnostics=(UNDECIDED,)).against(accepted)
    assert (results.diagnostics, results.accepted, results.obsolete) == ((UNDECIDED,), 0, ())


def test_a_baseline_reads_as_it_was_written() -> None:
    baseline = Baseline.of([OLD, NEW])
    text = baseline_text(baseline)
    assert text == (
        '{\n  "formatVersion": "1",\n  "accepted": [\n'
        f'    {{\n      "code": "region-not-allowed",\n      "subject": "{SUBJECT}",\n      "message": "new"\n    }},\n'
        f'    {{\n      "code": "region-not-allowed",\n      "subject": "{SUBJECT}",\n      "message": "old"\n    }}\n'
        "  ]\n}\n"
    )
    assert read_baseline(text, "b.json") == baseline


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"formatVersion": "1",\n"accepted" []}',
            "b.json:2:12: error: not readable as JSON\n  hint: write it anew with `hedgerow check --write-baseline FILE`",
        ),
        (
            '{"formatVersion": "2", "accepted": []}',
            (
                "b.json: error: the baseline has format version '2', this version of hedgerow reads '1'\n"
                "  hint: write it anew with `hedgerow check --write-baseline FILE`"
            ),
        ),
        (
            json.dumps({"formatVersion": "1", "accepted": [{"code": "region-unknown"}]}),
            (
                "b.json: error: the file does not fit the schema of a baseline\n"
                "  hint: see `hedgerow schema baseline`, or write it anew with `hedgerow check --write-baseline FILE`"
            ),
        ),
        (
            "[]",
            (
                "b.json: error: the file does not fit the schema of a baseline\n"
                "  hint: see `hedgerow schema baseline`, or write it anew with `hedgerow check --write-baseline FILE`"
            ),
        ),
    ],
)
def test_a_file_that_is_no_baseline_accepts_nothing_and_says_why(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_baseline(text, "b.json")
    assert str(raised.value) == message
