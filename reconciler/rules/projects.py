"""What is wrong with a project as a whole: findings that would otherwise repeat for each of its topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reconciler.model import Origin, RegionSet, TopicSpec
from reconciler.orgpolicy import Effect, EffectivePolicy
from reconciler.rules.complaints import counted
from reconciler.rules.findings import Finding
from reconciler.rules.policy_rules import (
    POLICY_ADMITS_NOTHING,
    POLICY_DISAGREEMENT,
    POLICY_UNDECIDED,
    PROJECT_NOT_IN_POLICY,
)

SETTLE = (
    "capture the API's answer with `hedgerow policy snapshot`, or say what the value holds under `valueGroups` in the "
    "snapshot"
)
"""How to settle what is undecided."""


def check_project(
    project: str, policy: EffectivePolicy | None, topics: Sequence[TopicSpec], stack: Origin
) -> Iterator[Finding]:
    """What keeps all of a project's topics from being right, or from being checked."""
    origin = stack.at("projects", project)
    topics_are = f"{counted(len(topics), 'topic')} {'is' if len(topics) == 1 else 'are'}"
    if policy is None:
        yield PROJECT_NOT_IN_POLICY.finding(
            subject=project,
            origin=origin,
            message=f"`{project}`: {topics_are} not evaluated: no policy is known for the project",
            hint="capture a snapshot that holds it with `hedgerow policy snapshot`, or correct the project's id",
        )
        return
    if policy.disagreement is not None:
        yield POLICY_DISAGREEMENT.finding(
            subject=project,
            origin=origin,
            message=f"`{project}`: {policy.disagreement}",
            hint="capture the snapshot again with `hedgerow policy snapshot`; the API's answer is used until then",
        )
    if policy.admits_nothing:
        yield POLICY_ADMITS_NOTHING.finding(
            subject=project,
            origin=origin,
            message=f"`{project}`: the organization's policy allows no Pub/Sub region, and {topics_are} declared there",
            details=(_cause(policy),),
            hint="allow a region for the project, for example `in:eu-locations`, or remove the topics",
        )
    elif not policy.allowed.certain:
        yield POLICY_UNDECIDED.finding(
            subject=project,
            origin=origin,
            message=f"`{project}`: {topics_are} not evaluated: no region is certain to be allowed",
            details=tuple(f"because {doubt}" for doubt in policy.doubts),
            hint=SETTLE,
        )


def _cause(policy: EffectivePolicy) -> str:
    """Why nothing is left: only values that name no region are allowed, or a denial takes what there was."""
    allowing = [step for step in policy.steps if step.effect is Effect.ALLOW]
    denying = [step for step in policy.steps if step.effect is Effect.DENY]
    if allowing and not any(step.regions.possible for step in allowing):
        values = ", ".join(dict.fromkeys(step.value for step in allowing))
        return f"cause: the allowed values ({values}) name no Pub/Sub region, at {allowing[0].node}"
    if denying:
        return f"cause: {'; '.join(str(step) for step in denying)}"
    return f"cause: {policy.source} allows nothing"


def shown(regions: RegionSet) -> str:
    """Regions for a line of text, a long list cut."""
    if regions.complement or len(regions) <= 3:
        return str(regions)
    first, second, *others = regions
    return f"{first}, {second} and {len(others):,} more"
