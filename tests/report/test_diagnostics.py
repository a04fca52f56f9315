from __future__ import annotations

from dataclasses import replace

from reconciler.errors import Position
from reconciler.report import diagnostics_text
from tests.report.diagnostics import diagnostic


def test_a_text_has_position_first_code_last_and_details_below() -> None:
    assert diagnostics_text([diagnostic()]) == (
        "stacks/production/topics.yaml:4:56: error: `orders`: region `us-east1` is not allowed in "
        "`acme-orders-prod`  [region-not-allowed]\n"
        "  allowed: europe-west1\n"
        "  hint: remove the region\n"
    )


def test_control_characters_forge_no_line_and_no_colour() -> None:
    forged = diagnostic("`a\n::error::b\x1b[31m\x85`", code="c", position=Position("t.yaml"), details=(), hint=None)
    assert diagnostics_text([forged]) == "t.yaml: error: `a\\x0a::error::b\\x1b[31m\\x85`  [c]\n"


def test_a_fingerprint_stays_when_an_entry_moves_or_a_catalogue_is_renewed() -> None:
    unknown = diagnostic("the catalogue of 2026-10-27 does not know region `x`")
    moved = replace(unknown, position=Position("elsewhere.yaml", 9, 9), hint="another", details=())
    renewed = replace(unknown, message="the catalogue of 2027-01-05 does not know region `x`")
    assert unknown.fingerprint == moved.fingerprint == renewed.fingerprint


def test_a_fingerprint_tells_codes_subjects_and_messages_apart() -> None:
    one = diagnostic()
    others = [replace(one, code="other"), replace(one, subject="other"), replace(one, message="other")]
    assert len({one.fingerprint, *(other.fingerprint for other in others)}) == 4
