"""Every rule at once: what `hedgerow check`, the Pulumi program and the policy pack report."""

from __future__ import annotations

from collections.abc import Mapping

from reconciler.model import Fleet
from reconciler.orgpolicy import Catalogue, EffectivePolicy
from reconciler.rules.findings import Finding
from reconciler.rules.publishers import check_publishers
from reconciler.rules.topics import check_topics


def check(
    fleet: Fleet,
    policies: Mapping[str, EffectivePolicy | None],
    catalogue: Catalogue,
    *,
    strict_regions: bool = False,
) -> list[Finding]:
    """What breaks a rule in a fleet, in the order of the files. See `check_topics` for the arguments."""
    findings = [
        *check_topics(fleet, policies, catalogue, strict_regions=strict_regions),
        *check_publishers(fleet, policies, catalogue),
    ]
    return sorted(findings, key=_place)


def _place(finding: Finding) -> tuple[str, list[tuple[bool, str | int]], str, str]:
    """Orders by file and entry, numbers before words and by their size."""
    path = [(isinstance(step, str), step) for step in finding.origin.path]
    return finding.origin.file, path, finding.code, finding.subject
