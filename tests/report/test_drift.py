from __future__ import annotations

from reconciler.model import Fleet, LiveTopic, Origin, RegionSet, StoragePolicy, TopicName, UnmanagedTopics
from reconciler.orgpolicy import EffectivePolicy
from reconciler.reconcile import ProjectPolicy, make_plan
from reconciler.report import drift_findings
from reconciler.rules import Finding, Severity
from tests.rules.topics import CATALOGUE, STACK, allowing

PROJECT = "acme-orders"
NAME = TopicName(PROJECT, "undeclared")


def told(policy: EffectivePolicy, *regions: str) -> list[Finding]:
    """What is told of a live topic that no spec declares."""
    live = LiveTopic(name=NAME, policy=StoragePolicy(regions=RegionSet.of(*regions)))
    plan = make_plan(
        Fleet.of(STACK), {PROJECT: [live]}, {PROJECT: ProjectPolicy(live=policy, declared=None)}, CATALOGUE
    )
    return drift_findings(plan, STACK.origin)


def finding(severity: Severity, message: str) -> Finding:
    return Finding(
        code="drift-unmanaged",
        severity=severity,
        subject=str(NAME),
        origin=Origin("stack.yaml", ("projects", PROJECT)),
        message=message,
        details=("project: acme-orders",),
    )


def test_a_topic_that_no_spec_declares_is_told_at_its_project() -> None:
    assert STACK.reconcile.unmanaged is UnmanagedTopics.REPORT
    assert told(allowing("in:us-locations"), "europe-west1") == [
        finding(Severity.ERROR, "`undeclared`: unmanaged, and disallowed: - europe-west1")
    ]
    assert told(allowing("in:us-locations"), "us-east1") == []


def test_a_topic_that_no_spec_declares_and_no_region_allows_is_an_error() -> None:
    assert told(allowing("in:us-locations")) == [finding(Severity.ERROR, "`undeclared`: unmanaged, and empty")]


def test_a_standing_that_hangs_on_an_undecided_region_is_undecided() -> None:
    assert told(allowing("in:us-locations"), "us-east7") == [
        finding(Severity.UNDECIDED, "`undeclared`: unmanaged, and undecided")
    ]
