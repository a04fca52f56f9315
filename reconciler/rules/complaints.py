"""From what is wrong with single topics to findings: one each, or one for a default that many topics take it from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reconciler.model import NO_EXEMPTIONS, Exemption, Exemptions, Origin, TopicSpec
from reconciler.rules.findings import Finding, Rule, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """What a rule has against one topic.

    Attributes:
        place: the steps from the declared storage policy to what is wrong in it.
        claim: what the topic declares, for a group: `region x`.
        message: for the topic alone, without its name.
        verdict: for a group: what is wrong with the claim in all of its projects.
        details: lines about the topic's project.
        severity: where it is not the rule's own.
        written_at: where what is wrong stands, if not in the storage policy.
    """

    rule: Rule
    topic: TopicSpec
    place: tuple[str | int, ...] = ()
    claim: str
    message: str
    verdict: str
    details: tuple[str, ...] = ()
    hint: str
    severity: Severity | None = None
    written_at: Origin | None = None

    @property
    def origin(self) -> Origin:
        """Where what is wrong was written."""
        return self.written_at or self.topic.policy_origin.at(*self.place)

    @property
    def is_from_default(self) -> bool:
        """Whether the topic takes what is wrong from defaults, and not from its own entry."""
        own, origin = self.topic.origin, self.origin
        return origin.file != own.file or origin.path[: len(own.path)] != own.path


def findings_of(complaints: Iterable[Complaint], exemptions: Exemptions = NO_EXEMPTIONS) -> list[Finding]:
    """One finding for each complaint; one for all that have the same against the same default.

    Topics that are exempt never share a finding with those that are not.
    """
    findings: list[Finding] = []
    groups: dict[tuple[str, Origin, str, Exemption | None], list[Complaint]] = {}
    for complaint in complaints:
        exemption = complaint.rule.exemption(exemptions, complaint.topic.name)
        if complaint.is_from_default:
            key = complaint.rule.code, complaint.origin, complaint.claim, exemption
            groups.setdefault(key, []).append(complaint)
        else:
            findings.append(_alone(complaint, exemption))
    return findings + [_together(group, exemption) for (*_, exemption), group in groups.items()]


def _alone(complaint: Complaint, exemption: Exemption | None) -> Finding:
    return complaint.rule.finding(
        subject=str(complaint.topic.name),
        origin=complaint.origin,
        message=f"`{complaint.topic.name.topic}`: {complaint.message}",
        details=complaint.details,
        hint=complaint.hint,
        severity=complaint.severity,
        exemption=exemption,
    )


def _together(group: list[Complaint], exemption: Exemption | None) -> Finding:
    first = group[0]
    projects: dict[str, list[Complaint]] = {}
    for complaint in group:
        projects.setdefault(complaint.topic.name.project, []).append(complaint)
    details: list[str] = []
    for project in sorted(projects):
        topics = ", ".join(sorted(complaint.topic.name.topic for complaint in projects[project]))
        details.append(f"in `{project}`: {topics}")
        details += [f"  {line}" for line in projects[project][0].details]
    takes = "takes" if len(group) == 1 else "take"
    where = f"{counted(len(group), 'topic')} in {counted(len(projects), 'project')}"
    return first.rule.finding(
        subject=next(iter(projects)) if len(projects) == 1 else "defaults",
        origin=first.origin,
        message=f"{where} {takes} {first.claim} from this default; {first.verdict}",
        details=tuple(details),
        hint=first.hint,
        severity=first.severity,
        exemption=exemption,
    )


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 topic`, `1,204 topics`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
