"""What is exempt, in every form: told with its reason, and never a failure."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from reconciler.errors import ExitCode
from reconciler.model import Exemption, Origin, TopicName
from reconciler.report import (
    Baseline,
    Diagnostic,
    Results,
    annotations_text,
    diagnostics_text,
    results_document,
    sarif_document,
    tally,
)
from reconciler.rules import ALL_RULES, Severity
from tests.report.diagnostics import diagnostic

EXEMPTION = Exemption(
    topics=(TopicName("acme-orders-prod", "orders"),),
    rule="region-not-allowed",
    reason="ticket PLAT-812",
    owner="orders@acme.example",
    expires=date(2027, 3, 31),
    origin=Origin("exemptions.yaml", ("exemptions", 0)),
)


def exempt() -> Diagnostic:
    line = f"{EXEMPTION}: {EXEMPTION.reason}"
    return replace(diagnostic(severity=Severity.EXEMPT, details=(line,), hint=None), exemption=EXEMPTION)


def test_what_is_exempt_is_counted_and_fails_nothing() -> None:
    results = Results(diagnostics=(exempt(),))

    assert tally(results.diagnostics) == "1 exempt finding"
    assert results.exit_code is ExitCode.OK


def test_the_text_says_until_when_who_and_why() -> None:
    assert diagnostics_text([exempt()]) == (
        "stacks/production/topics.yaml:4:56: exempt: `orders`: region `us-east1` is not allowed in "
        "`acme-orders-prod`  [region-not-allowed]\n"
        "  exempt until 2027-03-31 (orders@acme.example): ticket PLAT-812\n"
    )


def test_json_has_the_exemption_as_values() -> None:
    (finding,) = results_document(Results(diagnostics=(exempt(),)))["findings"]

    assert (finding["severity"], finding["exemption"]) == (
        "exempt",
        {"reason": "ticket PLAT-812", "owner": "orders@acme.example", "expires": "2027-03-31"},
    )


def test_sarif_has_it_as_a_suppressed_note() -> None:
    rule = ALL_RULES["region-not-allowed"]
    (run,) = sarif_document(Results(diagnostics=(exempt(),)), [rule])["runs"]

    assert (run["results"][0]["level"], run["results"][0]["suppressions"]) == (
        "note",
        [
            {
                "kind": "inSource",
                "status": "accepted",
                "justification": "exempt until 2027-03-31 (orders@acme.example): ticket PLAT-812",
            }
        ],
    )


def test_sarif_describes_a_rule_by_its_title_and_its_page() -> None:
    rule = ALL_RULES["region-not-allowed"]
    (described,) = sarif_document(Results(), [rule])["runs"][0]["tool"]["driver"]["rules"]

    assert described["shortDescription"] == {"text": rule.title}
    assert described["help"]["markdown"].startswith(f"## region-not-allowed\n\n{rule.title}.\n")


def test_an_annotation_is_a_notice() -> None:
    assert annotations_text(Results(diagnostics=(exempt(),))).startswith(
        "::notice file=stacks/production/topics.yaml,line=4,col=56,title=region-not-allowed::`orders`: "
    )


def test_no_baseline_accepts_what_is_exempt_so_that_it_comes_back_with_its_end() -> None:
    baseline = Baseline.of([exempt()])

    assert baseline.accepted == ()
    assert Results(diagnostics=(exempt(),)).against(Baseline.of([diagnostic()])).diagnostics == (exempt(),)
