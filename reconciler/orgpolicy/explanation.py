"""Why a project may use a region or not: what each policy above it does, and which value decides about each region."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from reconciler.model import NO_REGIONS, RegionSet
from reconciler.orgpolicy.catalogue import Catalogue
from reconciler.orgpolicy.effective import Effect, EffectivePolicy, Step
from reconciler.orgpolicy.evaluate import applies, steps_of
from reconciler.orgpolicy.policies import ENFORCE_IN_TRANSIT, RESOURCE_LOCATIONS, Policy, Rule
from reconciler.orgpolicy.snapshot import Resource, Snapshot
from reconciler.orgpolicy.tags import Tags


class Role(StrEnum):
    """What becomes of one policy on the way down to a project."""

    IN_FORCE = "in force"
    """Its rules count, and nothing above them does."""
    MERGED = "merged"
    """Its rules count together with what is above (`inheritFromParent`)."""
    RESET = "reset"
    """It returns to the constraint's default."""
    REPLACED = "replaced"
    """A policy below leaves it out."""
    DRY_RUN = "dry run"
    """It has only a dry run, and counts as not set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The part that one policy plays.

    Attributes:
        replaced_by: the resource whose policy leaves this one out.
        rules: each rule with whether it applies, or why that is undecided.
        steps: what its rules admit and remove, if they counted.
    """

    policy: Policy
    role: Role
    replaced_by: str | None = None
    rules: tuple[tuple[Rule, bool | str], ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionStory:
    """What decides about one region: `allowed` is `None` where that is undecided."""

    region: str
    allowed: bool | None
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """How the effective policy of one project comes about.

    Attributes:
        lineage: the project and its ancestors, nearest first.
        locations: the parts of the `gcp.resourceLocations` policies, the organization's first.
        in_transit: the same for `pubsub.enforceInTransitRegions`.
        own: what hedgerow makes of the policies.
        effective: what is used: the API's answer, where there is one.
        answer: the API's answer for `gcp.resourceLocations`.
        regions: the regions that some policy in the lineage names, those that are allowed first.
    """

    project: str
    lineage: tuple[Resource, ...]
    tags: Tags
    locations: tuple[Part, ...]
    in_transit: tuple[Part, ...]
    own: EffectivePolicy
    effective: EffectivePolicy
    answer: Policy | None
    regions: tuple[RegionStory, ...]


def explain_policy(
    snapshot: Snapshot, project: str, catalogue: Catalogue, *, regions: RegionSet | None = None
) -> Explanation | None:
    """How a project's policy comes about; `None` where the snapshot does not have the project.

    Args:
        snapshot: the tree and its policies.
        project: the project's id.
        catalogue: what value groups contain.
        regions: the regions to tell about (explicit); those that the policies name by default.
    """
    effective = snapshot.effective_policy(project, catalogue)
    if effective is None:
        return None
    catalogue = catalogue.with_groups(snapshot.value_groups)
    tags = snapshot.tags(project)
    parts = _parts(snapshot.chain(project, RESOURCE_LOCATIONS), catalogue, tags)
    told = _named(parts, effective) if regions is None else regions
    stories = [_story(region, effective, parts) for region in told]
    return Explanation(
        project=project,
        lineage=tuple(snapshot.lineage(project)),
        tags=tags,
        locations=parts[::-1],
        in_transit=_parts(snapshot.chain(project, ENFORCE_IN_TRANSIT), catalogue, tags, merging=False)[::-1],
        own=snapshot.evaluated(project, catalogue),
        effective=effective,
        answer=snapshot.effective.get((project, RESOURCE_LOCATIONS)),
        regions=tuple(sorted(stories, key=lambda story: (_ORDER.index(story.allowed), story.region))),
    )


_ORDER = (True, None, False)


def _parts(
    nearest_first: Sequence[Policy], catalogue: Catalogue, tags: Tags, *, merging: bool = True
) -> tuple[Part, ...]:
    """The parts of a chain of policies; `merging` is false for a boolean constraint, which does not inherit."""
    parts: list[Part] = []
    ended_by: str | None = None
    for policy in nearest_first:
        if policy.dry_run_only:
            role = Role.DRY_RUN
        elif ended_by is not None:
            role = Role.REPLACED
        elif policy.reset:
            role = Role.RESET
        else:
            role = Role.MERGED if policy.inherit and merging else Role.IN_FORCE
        parts.append(
            Part(
                policy=policy,
                role=role,
                replaced_by=ended_by if role is Role.REPLACED else None,
                rules=tuple((rule, applies(rule, tags)) for rule in policy.rules),
                steps=steps_of(policy, catalogue, tags),
            )
        )
        if role in (Role.RESET, Role.IN_FORCE):
            ended_by = policy.resource
    return tuple(parts)


def _named(parts: Iterable[Part], effective: EffectivePolicy) -> RegionSet:
    """The explicit regions that some policy names, in force or not, and those that are allowed."""
    named = NO_REGIONS
    sets = [step.regions.possible for part in parts for step in part.steps]
    for regions in (*sets, effective.allowed.possible, effective.allowed.certain):
        named = named | RegionSet(regions.names)
    return named


def _story(region: str, effective: EffectivePolicy, parts: Sequence[Part]) -> RegionStory:
    if region in effective.allowed.certain:
        return RegionStory(region=region, allowed=True, because=_admission(region, effective, parts))
    if region in effective.allowed.possible:
        return RegionStory(region=region, allowed=None, because="; ".join(effective.doubts))
    return RegionStory(region=region, allowed=False, because=_refusal(region, effective, parts))


def _admission(region: str, effective: EffectivePolicy, parts: Sequence[Part]) -> str:
    step = effective.step_for(region)
    if step is not None:
        return _shown(step)
    if any(part.role is Role.RESET for part in parts):
        return "the constraint's default, which a reset returns to"
    return "no rule allows anything else" if effective.steps else "no policy is set: the constraint's default"


def _refusal(region: str, effective: EffectivePolicy, parts: Sequence[Part]) -> str:
    step = effective.step_for(region)
    if step is not None and step.effect is Effect.DENY:
        return f"{_shown(step)} denies it"
    return next(_lost(region, parts), "no value in force admits it")


def _lost(region: str, parts: Sequence[Part]) -> Iterator[str]:
    """What would have admitted a region, in policies that are left out and rules that do not apply."""
    for part in parts:
        if part.role is not Role.REPLACED:
            continue
        for step in part.steps:
            if step.effect is Effect.ALLOW and region in step.regions.certain:
                yield f"{_shown(step)} would admit it, but {part.replaced_by} replaces that policy"


def _shown(step: Step) -> str:
    return f"{step.node} rule {step.rule}: {step.value}"
