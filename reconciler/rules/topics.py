"""Declared topics against what the organization allows their projects.

Every answer follows from the two sides of the effective policy: what is possible for nobody is an error, what is not
certain is undecided, and only where the outcome hangs on it. Topics that somebody else owns (`unmanaged`) declare
nothing that could be wrong; their standing is a matter of drift.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reconciler.model import (
    NO_EXEMPTIONS,
    DeclaredPolicy,
    Exemptions,
    Explicit,
    Fleet,
    RegionSet,
    TopicSpec,
    Unmanaged,
    Within,
)
from reconciler.orgpolicy import NOTHING, UNKNOWN, Catalogue, EffectivePolicy, RegionBounds
from reconciler.rules.complaints import Complaint, findings_of
from reconciler.rules.encryption import key_complaints
from reconciler.rules.findings import Finding, Severity
from reconciler.rules.projects import SETTLE, check_project, shown
from reconciler.rules.topic_rules import (
    IN_TRANSIT_REQUIRED,
    IN_TRANSIT_UNDECIDED,
    REGION_NOT_ALLOWED,
    REGION_UNDECIDED,
    REGION_UNKNOWN,
    WITHIN_EMPTY,
    WITHIN_UNDECIDED,
)


def check_topics(
    fleet: Fleet,
    policies: Mapping[str, EffectivePolicy | None],
    catalogue: Catalogue,
    *,
    strict_regions: bool = False,
    exemptions: Exemptions = NO_EXEMPTIONS,
) -> list[Finding]:
    """What is wrong with the declared topics.

    Args:
        fleet: the topics.
        policies: the effective policy of each project, by id; absent or `None` where none is known.
        catalogue: known regions and groups, with the snapshot's `valueGroups` already in it.
        strict_regions: whether a region that the catalogue does not know is an error.
        exemptions: those that count.
    """
    by_project: dict[str, list[TopicSpec]] = {}
    for topic in fleet.topics:
        if not isinstance(topic.policy, Unmanaged):
            by_project.setdefault(topic.name.project, []).append(topic)
    unknown = Severity.ERROR if strict_regions else Severity.WARNING
    findings: list[Finding] = []
    complaints: list[Complaint] = []
    for project, topics in by_project.items():
        policy = policies.get(project)
        findings += check_project(project, policy, topics, fleet.stack.origin)
        # What is right for one topic is right for every topic of the project that declares the same, as most do.
        sound: set[DeclaredPolicy] = set()
        for topic in topics:
            if policy is not None and topic.fields:
                complaints += key_complaints(topic, policy, catalogue)
            if topic.policy in sound:
                continue
            found = [*_unknown_regions(topic, catalogue, unknown)]
            if policy is not None:
                found += _against(topic, policy, catalogue)
            complaints += found
            if not found:
                sound.add(topic.policy)
    return findings + findings_of(complaints, exemptions)


def _against(topic: TopicSpec, policy: EffectivePolicy, catalogue: Catalogue) -> Iterator[Complaint]:
    """What the policy has against one topic. A policy that admits nothing was reported for the whole project."""
    declared = topic.policy
    match declared:
        case Explicit() if not policy.admits_nothing:
            yield from _regions(topic, declared.regions, policy)
        case Within() if not policy.admits_nothing:
            yield from _within(topic, declared.groups, policy, catalogue)
    if isinstance(declared, Explicit | Within):
        yield from _in_transit(topic, declared, policy)


def _unknown_regions(topic: TopicSpec, catalogue: Catalogue, severity: Severity) -> Iterator[Complaint]:
    if not isinstance(topic.policy, Explicit):
        return
    for region in topic.policy.regions - catalogue.regions:
        near = " or ".join(f"`{name}`" for name in catalogue.similar_names(region))
        yield Complaint(
            rule=REGION_UNKNOWN,
            topic=topic,
            place=("allowedPersistenceRegions", region),
            claim=f"region `{region}`",
            message=f"the catalogue of {catalogue.as_of} does not know region `{region}`",
            verdict=f"the catalogue of {catalogue.as_of} does not know it",
            hint=f"did you mean {near}?"
            if near
            else "check the spelling; a newer region can be named under `valueGroups` in the snapshot",
            severity=severity,
        )


def _regions(topic: TopicSpec, declared: RegionSet, policy: EffectivePolicy) -> Iterator[Complaint]:
    project = topic.name.project
    if offending := declared - policy.allowed.possible:
        named, are, they = _named(offending)
        yield Complaint(
            rule=REGION_NOT_ALLOWED,
            topic=topic,
            place=("allowedPersistenceRegions", next(iter(offending))),
            claim=named,
            message=f"{named} {are} not allowed in `{project}`",
            verdict=f"{they} {are} not allowed there",
            details=(_allowed(policy, offending),),
            hint=f"remove the {'region' if len(offending) == 1 else 'regions'}, or declare "
            "`messageStoragePolicy: inherit` to follow the organization",
        )
    elif undecided := declared - policy.allowed.certain:
        named, are, they = _named(undecided)
        yield Complaint(
            rule=REGION_UNDECIDED,
            topic=topic,
            place=("allowedPersistenceRegions", next(iter(undecided))),
            claim=named,
            message=f"whether {named} {are} allowed in `{project}` is undecided",
            verdict=f"whether {they} {are} allowed there is undecided",
            details=tuple(f"because {doubt}" for doubt in policy.doubts),
            hint=SETTLE,
        )


def _within(
    topic: TopicSpec, groups: Sequence[str], policy: EffectivePolicy, catalogue: Catalogue
) -> Iterator[Complaint]:
    members = NOTHING
    for group in groups:
        members = members | catalogue.expand(group)
    wanted: RegionBounds = members & policy.allowed
    named = ", ".join(f"`{group}`" for group in groups)
    claim = f"`within` {named}"
    if not wanted.possible:
        yield Complaint(
            rule=WITHIN_EMPTY,
            topic=topic,
            place=("within",),
            claim=claim,
            message=f"no region within {named} is allowed in `{topic.name.project}`",
            verdict="no region within is allowed there",
            details=(_allowed(policy, members.certain),),
            hint="name groups that the organization allows, or declare `messageStoragePolicy: inherit`",
        )
    elif not wanted.is_decided:
        project = topic.name.project
        message = f"whether `{project}` allows a region within {named} is undecided"
        if wanted.certain:
            message = f"which regions `{project}` allows within {named} is undecided: perhaps {shown(wanted.undecided)}"
        yield Complaint(
            rule=WITHIN_UNDECIDED,
            topic=topic,
            place=("within",),
            claim=claim,
            message=message,
            verdict="which regions within are allowed there is undecided",
            details=tuple(f"because {doubt}" for doubt in dict.fromkeys((*_vague(groups, catalogue), *policy.doubts))),
            hint=SETTLE,
        )


def _vague(groups: Sequence[str], catalogue: Catalogue) -> Iterator[str]:
    """Why it is not certain which regions some groups hold."""
    for group in groups:
        members = catalogue.expand(group)
        if members == UNKNOWN:
            yield f"the members of `{group}` are not known"
        elif not members.is_decided:
            yield f"the members of `{group}` are not all certain"


def _in_transit(topic: TopicSpec, own: Explicit | Within, policy: EffectivePolicy) -> Iterator[Complaint]:
    project, declared = topic.name.project, own.enforce_in_transit
    if declared is False and policy.in_transit is True:
        yield Complaint(
            rule=IN_TRANSIT_REQUIRED,
            topic=topic,
            place=("enforceInTransit",),
            claim="`enforceInTransit: false`",
            message=f"`enforceInTransit: false`, and `{project}` requires enforcement in transit",
            verdict="enforcement in transit is required there",
            details=("required by: pubsub.enforceInTransitRegions",),
            hint="write `enforceInTransit: inherit`, or leave it out",
        )
    elif not declared and policy.in_transit is None:
        claim = "no `enforceInTransit`" if declared is None else "`enforceInTransit: false`"
        yield Complaint(
            rule=IN_TRANSIT_UNDECIDED,
            topic=topic,
            place=() if declared is None else ("enforceInTransit",),
            claim=claim,
            message=f"{claim}, and whether `{project}` requires enforcement in transit is undecided",
            verdict="whether enforcement in transit is required there is undecided",
            details=tuple(f"because {doubt}" for doubt in policy.doubts),
            hint="write `enforceInTransit: true`, or capture the API's answer with `hedgerow policy snapshot`",
        )


def _named(regions: RegionSet) -> tuple[str, str, str]:
    """Regions as the subject of a sentence, with the verb and the pronoun that go with it."""
    names = ", ".join(f"`{name}`" for name in regions)
    return (f"region {names}", "is", "it") if len(regions) == 1 else (f"regions {names}", "are", "they")


def _allowed(policy: EffectivePolicy, offending: RegionSet) -> str:
    return f"allowed: {shown(policy.allowed.certain)} ({policy.reason_against(offending)})"
