"""Google's hierarchy rules, applied from two sides.

Premise: rules are collected from the project upwards, through every policy that inherits, to the first that does not
(or that resets). What is allowed is the union of the values that those rules allow, or everything where no rule allows
anything; minus what any of them denies. A rule whose condition does not hold is left out; one whose condition cannot be
decided counts for what is possible, not for what is certain; denials the other way round. Documentation:
"Understanding hierarchy evaluation", and the field comments of `PolicySpec.inherit_from_parent` (v2) and
`ListPolicy.inherit_from_parent` (v1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reconciler.orgpolicy.bounds import EVERYTHING, NOTHING, UNKNOWN, RegionBounds
from reconciler.orgpolicy.catalogue import Catalogue
from reconciler.orgpolicy.conditions import UnsupportedCondition, holds, parse_condition
from reconciler.orgpolicy.effective import DENY_ALL, Effect, EffectivePolicy, Step
from reconciler.orgpolicy.policies import Policy, Rule
from reconciler.orgpolicy.tags import Tags

_Expand = Callable[[str], RegionBounds]

_UNKNOWN_TAGS = Tags(unknown_at="the project")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Applying:
    """A rule in force; `doubt` says why its condition is undecided, where it is."""

    policy: Policy
    rule: Rule
    doubt: str | None


def evaluate(
    project: str,
    locations: Sequence[Policy],
    in_transit: Sequence[Policy],
    catalogue: Catalogue,
    tags: Tags = _UNKNOWN_TAGS,
) -> EffectivePolicy:
    """The effective policy of a project.

    Args:
        project: the project's id.
        locations: the `gcp.resourceLocations` policies on the project and its ancestors, nearest first.
        in_transit: the `pubsub.enforceInTransitRegions` policies, nearest first.
        catalogue: what value groups contain.
        tags: the project's effective tags, for conditions; unknown by default.
    """
    collected, doubts = _collect(locations, tags)
    steps = [step for one in collected for step in _steps(one, catalogue.expand)]
    allowed = _combine(steps) if not doubts else UNKNOWN
    enforced, flag_doubts = _enforced(in_transit, tags)
    return EffectivePolicy(
        project=project,
        allowed=allowed,
        in_transit=enforced,
        steps=tuple(steps),
        doubts=tuple(dict.fromkeys((*doubts, *_doubts_of(steps, allowed), *flag_doubts))),
    )


def steps_of(policy: Policy, catalogue: Catalogue, tags: Tags) -> tuple[Step, ...]:
    """What the rules of one policy admit and remove, for a resource with these tags, as if it stood alone."""
    return tuple(step for one in _applying(policy, tags) for step in _steps(one, catalogue.expand))


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
    # An answer has no conditions: the API has decided them already.
    steps = [step for one in _applying(locations, _UNKNOWN_TAGS) for step in _steps(one, catalogue.expand_answer)]
    allowed = _combine(steps)
    if in_transit is None:
        enforced, flag_doubts = None, ["whether in-transit enforcement is required was not asked"]
    else:
        enforced, flag_doubts = _enforced([in_transit], _UNKNOWN_TAGS)
    return EffectivePolicy(
        project=project,
        allowed=allowed,
        in_transit=enforced,
        steps=tuple(steps),
        doubts=(*_doubts_of(steps, allowed), *flag_doubts),
        source=source,
    )


def _collect(policies: Sequence[Policy], tags: Tags) -> tuple[list[_Applying], list[str]]:
    """The rules in force, nearest first, and why they may not be all."""
    collected: list[_Applying] = []
    for policy in policies:
        if policy.dry_run_only:
            continue
        if policy.reset:
            break
        applying = _applying(policy, tags)
        collected += applying
        if policy.inherit:
            continue
        if not policy.rules:
            return collected, [f"the policy at {policy.resource} has no rules, and what that means is not documented"]
        if not applying:
            return collected, [
                f"no rule of the policy at {policy.resource} applies here, and what that means is not documented"
            ]
        # If none of the conditions holds, this is the undocumented case above.
        return collected, [one.doubt for one in applying if one.doubt] if all(one.doubt for one in applying) else []
    return collected, []


def _applying(policy: Policy, tags: Tags) -> list[_Applying]:
    """The rules of a policy that apply, or may apply, to a resource with these tags."""
    found = []
    for rule in policy.rules:
        match applies(rule, tags):
            case False:
                continue
            case True:
                found.append(_Applying(policy=policy, rule=rule, doubt=None))
            case reason:
                doubt = f"the condition of rule {rule.number} at {policy.resource} {reason}"
                found.append(_Applying(policy=policy, rule=rule, doubt=doubt))
    return found


def applies(rule: Rule, tags: Tags) -> bool | str:
    """Whether a rule applies to a resource with these tags, or why that is undecided, as the end of a sentence."""
    if rule.condition is None:
        return True
    try:
        verdict = holds(parse_condition(rule.condition), tags)
    except UnsupportedCondition as unsupported:
        return str(unsupported)
    if verdict is not None:
        return verdict
    return f"hangs on {f'the tags of {tags.unknown_at}' if tags.unknown_at else 'ids of tags'}, which are not known"


def _steps(applying: _Applying, expand: _Expand) -> Iterable[Step]:
    node, rule, doubt = applying.policy.resource, applying.rule, applying.doubt
    if rule.allow_all:
        yield Step(
            node=node,
            rule=rule.number,
            value="allowAll",
            effect=Effect.ALLOW,
            regions=EVERYTHING,
            doubt=doubt,
        )
    if rule.deny_all:
        yield Step(
            node=node,
            rule=rule.number,
            value=DENY_ALL,
            effect=Effect.DENY,
            regions=EVERYTHING,
            doubt=doubt,
        )
    for effect, values in ((Effect.ALLOW, rule.allowed), (Effect.DENY, rule.denied)):
        for value in values:
            yield Step(
                node=node,
                rule=rule.number,
                value=value,
                effect=effect,
                regions=expand(value),
                doubt=doubt,
            )


def _combine(steps: Sequence[Step]) -> RegionBounds:
    allow = [step for step in steps if step.effect is Effect.ALLOW]
    if not allow:
        allowed = EVERYTHING
    elif all(step.doubt for step in allow):
        # If no condition holds there is no allow rule left, and the default may come back.
        allowed = UNKNOWN
    else:
        allowed = _union(allow)
    return allowed - _union(step for step in steps if step.effect is Effect.DENY)


def _union(steps: Iterable[Step]) -> RegionBounds:
    """What these steps stand for together; a conditional one is only possible."""
    union = NOTHING
    for step in steps:
        certain = NOTHING.certain if step.doubt else step.regions.certain
        union = union | RegionBounds(certain, step.regions.possible)
    return union


def _doubts_of(steps: Sequence[Step], allowed: RegionBounds) -> list[str]:
    """The steps that leave a region undecided in the end, as sentences."""
    doubts: list[str] = []
    default_may_return = all(step.doubt for step in steps if step.effect is Effect.ALLOW)
    for step in steps:
        regions = RegionBounds(NOTHING.certain, step.regions.possible) if step.doubt else step.regions
        if default_may_return and step.effect is Effect.ALLOW:
            # Whatever the rule allows, all of the default hangs on its condition.
            regions = UNKNOWN
        if not regions.undecided & allowed.undecided:
            continue
        if step.doubt:
            doubt = step.doubt
        elif regions == UNKNOWN:
            doubt = f"unknown value `{step.value}` in rule {step.rule} at {step.node}"
        else:
            doubt = f"the members of `{step.value}` in rule {step.rule} at {step.node} are not all certain"
        if doubt not in doubts:
            doubts.append(doubt)
    return doubts


def _enforced(policies: Sequence[Policy], tags: Tags) -> tuple[bool | None, list[str]]:
    """Whether a boolean constraint is enforced: the nearest policy decides; off where there is none.

    A rule whose condition holds goes before the one without a condition, and says the opposite of it (field comment of
    `PolicySpec.rules`).
    """
    policy = next((policy for policy in policies if not policy.dry_run_only), None)
    if policy is None or policy.reset or not policy.rules:
        return False, []
    at = f"the policy at {policy.resource} for in-transit enforcement"
    if any(rule.enforce is None for rule in policy.rules):
        return None, [f"{at} has a rule without `enforce`"]
    always = {rule.enforce for rule in policy.rules if rule.condition is None}
    if len(always) != 1:
        return None, [f"{at} does not have one rule without a condition"]
    (otherwise,) = always
    exceptions = [one for one in _applying(policy, tags) if one.rule.enforce != otherwise]
    if not exceptions:
        return otherwise, []
    if any(one.doubt is None for one in exceptions):
        return not otherwise, []
    return None, [f"in-transit enforcement: {one.doubt}" for one in exceptions if one.doubt]
