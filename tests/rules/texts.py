"""Findings as text, so that tests assert all of one at a glance."""

from __future__ import annotations

from collections.abc import Mapping

from reconciler.model import ALL_REGIONS, Fleet, RegionSet
from reconciler.orgpolicy import Catalogue, EffectivePolicy, RegionBounds
from reconciler.rules.findings import Finding
from reconciler.rules.published import written_at
from reconciler.rules.publishers import check_publishers
from tests.hedging.builders import PROJECT

CATALOGUE = Catalogue(
    as_of="2026-10-27",
    regions=RegionSet.of("europe-west1", "europe-west4", "us-east1"),
    groups={"eu-locations": RegionBounds.exactly(RegionSet.of("europe-west1", "europe-west4"))},
)


def allowing(*regions: str, possibly: RegionSet | None = None, in_transit: bool | None = False) -> EffectivePolicy:
    """A policy that allows these regions, or all; and perhaps those in `possibly`."""
    certain = RegionSet.of(*regions) if regions or possibly else ALL_REGIONS
    return EffectivePolicy(
        project=PROJECT, allowed=RegionBounds(certain, certain | (possibly or certain)), in_transit=in_transit
    )


def found(fleet: Fleet, policy: EffectivePolicy | None = None) -> list[Finding]:
    policies: Mapping[str, EffectivePolicy | None] = {PROJECT: policy}
    return check_publishers(fleet, policies, CATALOGUE)


def shown(findings: list[Finding]) -> list[str]:
    return ["\n".join(_lines(finding)) for finding in findings]


def codes(findings: list[Finding]) -> list[str]:
    return [finding.code for finding in findings]


def _lines(finding: Finding) -> list[str]:
    hint = [f"  hint: {finding.hint}"] if finding.hint else []
    return [
        f"{written_at(finding.origin)}: {finding.severity}: {finding.message}  [{finding.code}] {finding.subject}",
        *(f"  {detail}" for detail in finding.details),
        *hint,
    ]
