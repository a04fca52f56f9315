"""Every rule at once: what `hedgerow check`, the Pulumi program and the policy pack report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from reconciler.model import Exemptions, Fleet, StoragePolicy, TopicName
from reconciler.orgpolicy import Catalogue, EffectivePolicy
from reconciler.rules.findings import Finding
from reconciler.rules.places import NOT_LIVE
from reconciler.rules.publishers import check_publishers
from reconciler.rules.registry import ALL_RULES
from reconciler.rules.settings import adjusted, check_settings
from reconciler.rules.topic_rules import REGION_UNKNOWN
from reconciler.rules.topics import check_topics


def check(
    fleet: Fleet,
    policies: Mapping[str, EffectivePolicy | None],
    catalogue: Catalogue,
    *,
    today: date,
    strict_regions: bool = False,
) -> list[Finding]:
    """What breaks a rule in a fleet, in the order of the files; with the stack's levels and exemptions applied.

    What is exempt is among the findings, as `Severity.EXEMPT`.

    Args:
        fleet: what the stack declares.
        policies: the effective policy of each project, by id; absent or `None` where none is known.
        catalogue: known regions and groups, with the snapshot's `valueGroups` already in it.
        today: the day, in UTC, on which exemptions have to be in force.
        strict_regions: whether a region that the catalogue does not know is an error, whatever the stack says.
    """
    exemptions = Exemptions.in_force(fleet.exemptions, today)
    findings = [
        *check_topics(fleet, policies, catalogue, strict_regions=strict_regions, exemptions=exemptions),
        *check_publishers(fleet, policies, catalogue, exemptions=exemptions),
    ]
    findings += check_settings(fleet, findings, ALL_RULES, today=today)
    levels = {c: level for c, level in fleet.stack.rules.items() if not (strict_regions and c == REGION_UNKNOWN.code)}
    return _sorted(adjusted(findings, levels, ALL_RULES))


def check_services(
    fleet: Fleet,
    policies: Mapping[str, EffectivePolicy | None],
    catalogue: Catalogue,
    *,
    today: date,
    live: Mapping[TopicName, StoragePolicy | None] = NOT_LIVE,
) -> list[Finding]:
    """The part of `check` that decides whether publisher configuration may be written. See `check`.

    With `live`, the storage policies of live topics, it decides whether that may be written before those are repaired.
    """
    exemptions = Exemptions.in_force(fleet.exemptions, today)
    findings = check_publishers(fleet, policies, catalogue, exemptions=exemptions, live=live)
    return _sorted(adjusted(findings, fleet.stack.rules, ALL_RULES))


def _sorted(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=_place)


def _place(finding: Finding) -> tuple[str, list[tuple[bool, str | int]], str, str]:
    """Orders by file and entry, numbers before words and by their size."""
    path = [(isinstance(step, str), step) for step in finding.origin.path]
    return finding.origin.file, path, finding.code, finding.subject
