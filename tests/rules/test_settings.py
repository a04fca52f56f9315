"""What a stack says about rules: levels and exemptions, and what they do to findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

import pytest

from reconciler.model import (
    Exemption,
    Fleet,
    Origin,
    ReconcileSettings,
    RuleLevel,
    Subscriber,
    TopicName,
    TopicSpec,
    UnmanagedTopics,
)
from reconciler.rules import Finding, Severity, check, check_services
from tests.hedging.builders import PROJECT
from tests.rules.texts import allowing as anywhere
from tests.rules.topics import CATALOGUE, DEFAULTS, STACK, allowing, explicit, text, topic

TODAY = date(2026, 11, 30)
EU = allowing("in:eu-locations")


def exempt(*topics: str, rule: str = "region-not-allowed", expires: date = date(2027, 12, 31)) -> Exemption:
    names = tuple(sorted(TopicName(*name.split("/")) for name in topics))
    return Exemption(
        topics=names,
        rule=rule,
        reason="migration, ticket PLAT-812",
        owner="orders@acme.example",
        expires=expires,
        origin=Origin("exemptions.yaml", ("exemptions", 0)),
    )


def found(
    *topics: TopicSpec,
    exemptions: tuple[Exemption, ...] = (),
    levels: Mapping[str, RuleLevel] | None = None,
    strict_regions: bool = False,
    unmanaged: UnmanagedTopics = UnmanagedTopics.REPORT,
) -> list[Finding]:
    stack = replace(STACK, rules=levels or {}, reconcile=ReconcileSettings(unmanaged=unmanaged))
    fleet = Fleet.of(stack, topics, exemptions=exemptions)
    return check(fleet, {"acme-orders": EU}, CATALOGUE, today=TODAY, strict_regions=strict_regions)


def texts(findings: list[Finding]) -> list[str]:
    return [text(finding) for finding in findings]


AMERICAN = topic("acme-orders/ledger", explicit("europe-west1", "us-east1"))


def test_an_exempt_finding_is_told_and_is_no_error() -> None:
    one = exempt("acme-orders/ledger")
    (finding,) = found(AMERICAN, exemptions=(one,))

    assert text(finding) == (
        "exempt: `ledger`: region `us-east1` is not allowed in `acme-orders`  [region-not-allowed]\n"
        "  allowed: europe-west1, europe-west3 and 2 more (gcp.resourceLocations at folders/456, rule 1: "
        "in:eu-locations)\n"
        "  exempt until 2027-12-31 (orders@acme.example): migration, ticket PLAT-812\n"
        "  hint: remove the region, or declare `messageStoragePolicy: inherit` to follow the organization"
    )
    assert finding.exemption == one


def test_an_expired_exemption_no_longer_counts_and_is_an_error_itself() -> None:
    findings = found(AMERICAN, exemptions=(exempt("acme-orders/ledger", expires=date(2026, 11, 29)),))

    assert [(finding.code, finding.severity) for finding in findings] == [
        ("region-not-allowed", Severity.ERROR),
        ("exemption-expired", Severity.ERROR),
    ]
    assert text(findings[1]) == (
        "error: `ledger`: the exemption from `region-not-allowed` expired on 2026-11-29 and no longer counts  "
        "[exemption-expired]\n"
        "  owner: orders@acme.example\n"
        "  reason: migration, ticket PLAT-812\n"
        "  hint: mend the topic and remove the exemption, or have its owner set a later day"
    )
    assert findings[1].origin == Origin("exemptions.yaml", ("exemptions", 0, "expires"))


@pytest.mark.parametrize(
    ("expires", "when"),
    [
        (date(2026, 11, 30), "2026-11-30, today"),
        (date(2026, 12, 1), "2026-12-01, in 1 day"),
        (date(2026, 12, 30), "2026-12-30, in 30 days"),
    ],
)
def test_an_exemption_warns_in_its_last_thirty_days(expires: date, when: str) -> None:
    findings = found(AMERICAN, exemptions=(exempt("acme-orders/ledger", expires=expires),))

    (finding, warning) = findings
    assert finding.severity is Severity.EXEMPT
    assert text(warning).startswith(f"warning: `ledger`: the exemption from `region-not-allowed` expires on {when}  [")


def test_thirty_one_days_before_its_end_an_exemption_is_silent() -> None:
    findings = found(AMERICAN, exemptions=(exempt("acme-orders/ledger", expires=date(2026, 12, 31)),))

    assert [finding.code for finding in findings] == ["region-not-allowed"]


def test_exempt_topics_are_taken_out_of_what_a_default_does() -> None:
    topics = [topic(f"acme-orders/{name}", explicit("us-east1"), default=DEFAULTS) for name in ("a-1", "a-2", "b-1")]
    findings = found(*topics, exemptions=(exempt("acme-orders/a-*"),))

    assert [(finding.severity, finding.message) for finding in findings] == [
        (
            Severity.EXEMPT,
            "2 topics in 1 project take region `us-east1` from this default; it is not allowed there",
        ),
        (
            Severity.ERROR,
            "1 topic in 1 project takes region `us-east1` from this default; it is not allowed there",
        ),
    ]


def test_an_exemption_that_names_no_declared_topic_is_told() -> None:
    findings = found(topic("acme-orders/x"), exemptions=(exempt("acme-orders/ledgr", "acme-orders/old-*"),))

    assert texts(findings) == [
        (
            "warning: `ledgr`: no topic called this is declared in `acme-orders`, so there is nothing to exempt from "
            "`region-not-allowed`  [exemption-unused]\n  hint: correct the name, or remove it"
        ),
        (
            "warning: `old-*`: no topic like this is declared in `acme-orders`, so there is nothing to exempt from "
            "`region-not-allowed`  [exemption-unused]\n  hint: correct the name, or remove it"
        ),
    ]
    assert findings[0].origin.path == ("exemptions", 0, "topics", "projects/acme-orders/topics/ledgr")
    assert findings[0].subject == "exemptions"


def test_an_exemption_without_a_finding_is_told() -> None:
    findings = found(topic("acme-orders/ledger"), exemptions=(exempt("acme-orders/ledger", rule="single-region"),))

    assert texts(findings) == [
        (
            "warning: `ledger`: `single-region` finds nothing here, so the exemption exempts nothing  [exemption-unused]\n"
            "  hint: remove it"
        )
    ]
    assert findings[0].subject == "projects/acme-orders/topics/ledger"


def test_an_exemption_from_losing_regions_may_be_of_use_to_the_nightly_job_alone() -> None:
    assert found(topic("acme-orders/ledger"), exemptions=(exempt("acme-orders/ledger"),)) == []


def test_where_undeclared_topics_are_reconciled_an_exemption_may_name_one() -> None:
    one = exempt("acme-orders/somebodys")

    assert found(topic("acme-orders/x"), exemptions=(one,), unmanaged=UnmanagedTopics.RECONCILE) == []


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            "region-not-alowed",
            (
                "error: `ledger`: rule `region-not-alowed` does not exist  [rule-unknown]\n"
                "  hint: write `region-not-allowed`"
            ),
        ),
        (
            "qqq",
            (
                "error: `ledger`: rule `qqq` does not exist  [rule-unknown]\n"
                "  hint: list the rules with `hedgerow check --explain all`"
            ),
        ),
        (
            "within-empty",
            (
                "error: `ledger`: nothing can be exempted from `within-empty`  [rule-fixed]\n"
                "  hint: remove the exemption, and mend what the rule finds"
            ),
        ),
    ],
)
def test_an_exemption_needs_a_rule_that_allows_any(rule: str, expected: str) -> None:
    findings = found(topic("acme-orders/ledger"), exemptions=(exempt("acme-orders/ledger", rule=rule),))

    assert texts(findings) == [expected]
    assert findings[0].origin == Origin("exemptions.yaml", ("exemptions", 0, "rule"))


UNKNOWN = topic("acme-orders/ledger", explicit("europe-west8", "europe-west1"))
ODD = replace(UNKNOWN, policy=explicit("us-east9"), name=TopicName("acme-orders", "odd"))


def severities(findings: list[Finding], code: str) -> list[Severity]:
    return [finding.severity for finding in findings if finding.code == code]


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (RuleLevel.ERROR, [Severity.ERROR]),
        (RuleLevel.WARNING, [Severity.WARNING]),
        (RuleLevel.OFF, []),
    ],
)
def test_a_stack_sets_the_level_of_a_rule_that_allows_it(level: RuleLevel, expected: list[Severity]) -> None:
    assert severities(found(ODD, levels={"region-unknown": level}), "region-unknown") == expected


def test_the_command_line_goes_before_the_level() -> None:
    findings = found(ODD, levels={"region-unknown": RuleLevel.OFF}, strict_regions=True)

    assert severities(findings, "region-unknown") == [Severity.ERROR]


def test_what_is_exempt_has_no_level() -> None:
    findings = found(
        ODD, exemptions=(exempt("acme-orders/odd", rule="region-unknown"),), levels={"region-unknown": RuleLevel.ERROR}
    )

    assert severities(findings, "region-unknown") == [Severity.EXEMPT]


@pytest.mark.parametrize(
    ("code", "level", "expected"),
    [
        (
            "region-not-allowed",
            RuleLevel.OFF,
            (
                "error: `rules`: `region-not-allowed` cannot be set to `off`  [rule-fixed]\n"
                "  it is always an error\n  hint: leave it out, and exempt single topics"
            ),
        ),
        (
            "within-empty",
            RuleLevel.WARNING,
            (
                "error: `rules`: `within-empty` cannot be set to `warning`  [rule-fixed]\n"
                "  it is always an error\n  hint: leave it out, and mend what it finds"
            ),
        ),
        (
            "policy-undecided",
            RuleLevel.ERROR,
            (
                "error: `rules`: `policy-undecided` cannot be set to `error`  [rule-fixed]\n"
                "  it is always undecided\n  hint: leave it out, and mend what it finds"
            ),
        ),
        (
            "region-unknwon",
            RuleLevel.OFF,
            "error: `rules`: `region-unknwon` does not exist  [rule-unknown]\n  hint: write `region-unknown`",
        ),
    ],
)
def test_a_level_that_a_rule_does_not_allow_is_an_error(code: str, level: RuleLevel, expected: str) -> None:
    findings = found(topic("acme-orders/ledger"), levels={code: level})

    assert texts(findings) == [expected]
    assert findings[0].origin == Origin("stack.yaml", ("rules", code))


def test_a_level_that_a_rule_has_anyway_is_fine() -> None:
    assert found(topic("acme-orders/ledger"), levels={"region-not-allowed": RuleLevel.ERROR}) == []


def test_a_level_that_a_rule_does_not_allow_changes_nothing() -> None:
    findings = found(AMERICAN, levels={"region-not-allowed": RuleLevel.OFF})

    assert severities(findings, "region-not-allowed") == [Severity.ERROR]


def test_subscribers_of_an_exempt_topic_are_exempt() -> None:
    spec = replace(
        topic(f"{PROJECT}/ledger", explicit("europe-west1", enforce=True)),
        subscribers=(Subscriber(name="warehouse", delivery="push"),),
    )
    stack = replace(STACK, projects=(PROJECT,), rules={"push-may-pause": RuleLevel.ERROR})
    one = exempt(f"{PROJECT}/ledger", rule="push-may-pause")
    policies = {PROJECT: anywhere()}

    told = check_services(Fleet.of(stack, [spec], exemptions=[one]), policies, CATALOGUE, today=TODAY)
    later = check_services(Fleet.of(stack, [spec], exemptions=[one]), policies, CATALOGUE, today=date(2028, 1, 1))

    assert [(finding.code, finding.severity) for finding in told] == [("push-may-pause", Severity.EXEMPT)]
    assert [(finding.code, finding.severity) for finding in later] == [("push-may-pause", Severity.ERROR)]
