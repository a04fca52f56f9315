"""Google's hierarchy rules, applied from two sides.

Premise: rules are collected from the project upwards, through every policy that inherits, to the first that does not
(or that resets). What is allowed is the union of the values that those rules allow, or everything where no rule allows
anything; minus what any of them denies. A rule whose condition cannot be decided counts for what is possible, not for
what is certain; denials the other way round. Documentation: "Understanding hierarchy evaluation", and the field
comments of `PolicySpec.inherit_from_parent` (v2) and `ListPolicy.inherit_from_parent` (v1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from reconciler.orgpolicy.bounds import EVERYTHING, NOTHING, UNKNOWN, RegionBounds
from reconciler.orgpolicy.catalogue import Catalogue
from reconciler.orgpolicy.effective import DENY_ALL, Effect, EffectivePolicy, Step
from reconciler.orgpolicy.policies import Policy, Rule

_Expand = Callable[[str], RegionBounds]


def evaluate(
    project: str, locations: Sequence[Policy], in_transit: Sequence[Policy], catalogue: Catalogue
) -> EffectivePolicy:
    """The effective policy of a project.

    Args:
        project: the project's id.
        locations: the `gcp.resourceLocations` policies on the project and its ancestors, nearest first.
        in_transit: the `pubsub.enforceInTransitRegions` policies, nearest first.
        catalogue: what value groups contain.
    """
    collected, doubts = _collect(locations)
    steps = [step for policy, rule in collected for step in _steps(policy.resource, rule, catalogue.expand)]
    allowed = _combine(steps) if not doubts else UNKNOWN
    enforced, flag_doubts = _enforced(in_transit)
    return EffectivePolicy(
        project=project,
        allowed=allowed,
        in_transit=enforced,
        steps=tuple(steps),
        doubts=(*doubts, *_doubts_of(steps, allowed), *flag_doubts),
    )


def from_answer(
    project: str, locations: Policy, in_transit: Policy | None, catalogue: Catalogue, *, source: str = "live"
) -> EffectivePolicy:
    """The effective policy that the API itself worked out (`getEffectivePolicy`), whose values it has expanded.

    Args:
        project: the project's id.
        locations: the answer for `gcp.resourceLocations`; without rules it means the constraint's default, everything.
        in_transit: the answer for `pubsub.enforceInTransitRegions`; `None` where it was not asked: undecided.
        catalogue: for values that still have their `in:`.
        source: where the answer comes from, for messages.
    """
    steps = [step for rule in locations.rules for step in _steps(locations.resource, rule, catalogue.expand_answer)]
    allowed = _combine(steps)
    if in_transit is None:
        enforced, flag_doubts = None, ["whether in-transit enforcement is required was not asked"]
    else:
        enforced, flag_doubts = _enforced([in_transit])
    return EffectivePolicy(
        project=project,
        allowed=allowed,
        in_transit=enforced,
        steps=tuple(steps),
        doubts=(*_doubts_of(steps, allowed), *flag_doubts),
        source=source,
    )


def _collect(policies: Sequence[Policy]) -> tuple[list[tuple[Policy, Rule]], list[str]]:
    """The rules in force, nearest first, and why they may not be all."""
    collected: list[tuple[Policy, Rule]] = []
    for policy in policies:
        if policy.dry_run_only:
            continue
        if policy.reset:
            break
        if not policy.rules and not policy.inherit:
            return collected, [f"the policy at {policy.resource} has no rules, and what that means is not documented"]
        collected += [(policy, rule) for rule in policy.rules]
        if not policy.inherit:
            break
    return collected, []


def _steps(node: str, rule: Rule, expand: _Expand) -> Iterable[Step]:
    conditional = rule.condition is not None
    if rule.allow_all:
        yield Step(
            node=node,
            rule=rule.number,
            value="allowAll",
            effect=Effect.ALLOW,
            regions=EVERYTHING,
            conditional=conditional,
        )
    if rule.deny_all:
        yield Step(
            node=node,
            rule=rule.number,
            value=DENY_ALL,
            effect=Effect.DENY,
            regions=EVERYTHING,
            conditional=conditional,
        )
    for effect, values in ((Effect.ALLOW, rule.allowed), (Effect.DENY, rule.denied)):
        for value in values:
            yield Step(
                node=node,
                rule=rule.number,
                value=value,
                effect=effect,
                regions=expand(value),
                conditional=conditional,
            )


def _combine(steps: Sequence[Step]) -> RegionBounds:
    allow = [step for step in steps if step.effect is Effect.ALLOW]
    if not allow:
        allowed = EVERYTHING
    elif all(step.conditional for step in allow):
        # If no condition holds there is no allow rule left, and the default may come back.
        allowed = UNKNOWN
    else:
        allowed = _union(allow)
    return allowed - _union(step for step in steps if step.effect is Effect.DENY)


def _union(steps: Iterable[Step]) -> RegionBounds:
    """What these steps stand for together; a conditional one is only possible."""
    union = NOTHING
    for step in steps:
        certain = NOTHING.certain if step.conditional else step.regions.certain
        union = union | RegionBounds(certain, step.regions.possible)
    return union


def _doubts_of(steps: Sequence[Step], allowed: RegionBounds) -> list[str]:
    """The steps that leave a region undecided in the end, as sentences."""
    doubts: list[str] = []
    default_may_return = all(step.conditional for step in steps if step.effect is Effect.ALLOW)
    for step in steps:
        regions = RegionBounds(NOTHING.certain, step.regions.possible) if step.conditional else step.regions
        if default_may_return and step.effect is Effect.ALLOW:
            # Whatever the rule allows, all of the default hangs on its condition.
            regions = UNKNOWN
        if not regions.undecided & allowed.undecided:
            continue
        if step.conditional:
            doubt = f"the condition of rule {step.rule} at {step.node} is not evaluated"
        elif regions == UNKNOWN:
            doubt = f"unknown value `{step.value}` in rule {step.rule} at {step.node}"
        else:
            doubt = f"the members of `{step.value}` in rule {step.rule} at {step.node} are not all certain"
        if doubt not in doubts:
            doubts.append(doubt)
    return doubts


def _enforced(policies: Sequence[Policy]) -> tuple[bool | None, list[str]]:
    """Whether a boolean constraint is enforced: the nearest policy decides; off where there is none."""
    policy = next((policy for policy in policies if not policy.dry_run_only), None)
    if policy is None or policy.reset or not policy.rules:
        return False, []
    values = {rule.enforce for rule in policy.rules}
    if None in values:
        return None, [f"the policy at {policy.resource} for in-transit enforcement has a rule without `enforce`"]
    if len(values) > 1:
        return None, [f"a condition decides about in-transit enforcement at {policy.resource}, and is not evaluated"]
    return values.pop(), []
