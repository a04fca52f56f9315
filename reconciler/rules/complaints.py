"""From what is wrong with single topics to findings: one each, or one for a default that many topics take it from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reconciler.model import Origin, TopicSpec
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
    """

    rule: Rule
    topic: TopicSpec
    place: tuple[str | int, ...]
    claim: str
    message: str
    verdict: str
    details: tuple[str, ...] = ()
    hint: str
    severity: Severity | None = None

    @property
    def origin(self) -> Origin:
        """Where what is wrong was written."""
        return self.topic.policy_origin.at(*self.place)

    @property
    def is_from_default(self) -> bool:
        """Whether the topic takes its storage policy from defaults, and not from its own entry."""
        own, policy = self.topic.origin, self.topic.policy_origin
        return policy.file != own.file or policy.path[: len(own.path)] != own.path


def findings_of(complaints: Iterable[Complaint]) -> list[Finding]:
    """One finding for each complaint; one for all that have the same against the same default."""
    findings: list[Finding] = []
    groups: dict[tuple[str, Origin, str], list[Complaint]] = {}
    for complaint in complaints:
        if complaint.is_from_default:
            groups.setdefault((complaint.rule.code, complaint.origin, complaint.claim), []).append(complaint)
        else:
            findings.append(_alone(complaint))
    return findings + [_together(group) for group in groups.values()]


def _alone(complaint: Complaint) -> Finding:
    return complaint.rule.finding(
        subject=str(complaint.topic.name),
        origin=complaint.origin,
        message=f"`{complaint.topic.name.topic}`: {complaint.message}",
        details=complaint.details,
        hint=complaint.hint,
        severity=complaint.severity,
    )


def _together(group: list[Complaint]) -> Finding:
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
    )


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 topic`, `1,204 topics`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
