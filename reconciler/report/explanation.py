"""An explanation of a project's policy: lineage, what each policy does, what decides about each region."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from reconciler.model import RegionSet
from reconciler.orgpolicy import (
    ENFORCE_IN_TRANSIT,
    RESOURCE_LOCATIONS,
    EffectivePolicy,
    Explanation,
    Part,
    Resource,
    Role,
    Rule,
)

_SHOWN = 12
_HEADS = {True: "=> allowed", None: "?  undecided", False: "   not"}
_REQUIREMENTS = {True: "required", False: "not required", None: "undecided"}


def explanation_text(explanation: Explanation, *, verbose: bool = False) -> str:
    """The story from the organization down to the project, region by region, and the API's answer beside it."""
    lines = ["  <  ".join(_node(resource) for resource in explanation.lineage)]
    if any(rule.condition for part in (*explanation.locations, *explanation.in_transit) for rule, _ in part.rules):
        lines.append(f"tags: {_tags(explanation)}")
    lines += [RESOURCE_LOCATIONS, *_parts(explanation.locations), *_regions(explanation, verbose=verbose)]
    lines += [ENFORCE_IN_TRANSIT, *_parts(explanation.in_transit)]
    lines.append(f"  => {_REQUIREMENTS[explanation.effective.in_transit]}")
    told = [story.because for story in explanation.regions if story.allowed is None]
    doubts = explanation.effective.doubts
    lines += [f"undecided because {doubt}" for doubt in doubts if not any(doubt in because for because in told)]
    lines.append(_comparison(explanation))
    return "".join(f"{line}\n" for line in lines)


def explanation_document(explanation: Explanation) -> dict[str, Any]:
    """The same as JSON values, nothing cut."""
    return {
        "project": explanation.project,
        "lineage": [resource.name for resource in explanation.lineage],
        "tags": dict(sorted(explanation.tags.values.items())),
        "tagsUnknownAt": explanation.tags.unknown_at,
        "policies": [_part_document(part) for part in (*explanation.locations, *explanation.in_transit)],
        "allowed": regions_document(explanation.effective.allowed.certain),
        "undecided": regions_document(explanation.effective.allowed.undecided),
        "inTransitRequired": explanation.effective.in_transit,
        "regions": [
            {"region": story.region, "allowed": story.allowed, "because": story.because}
            for story in explanation.regions
        ],
        "doubts": list(explanation.effective.doubts),
        "source": explanation.effective.source,
        "disagreement": explanation.effective.disagreement,
    }


def regions_document(regions: RegionSet) -> dict[str, Any]:
    """A set of regions as JSON: `{"only": [...]}`, or `{"allBut": [...]}`."""
    return {"allBut" if regions.complement else "only": sorted(regions.names)}


def _node(resource: Resource) -> str:
    number = f" ({resource.number})" if resource.number else ""
    shown = f" {resource.display_name}" if resource.display_name else ""
    return f"{resource.name}{number}{shown}"


def _tags(explanation: Explanation) -> str:
    tags = explanation.tags
    known = ", ".join(f"{key}={value}" for key, value in sorted(tags.values.items()))
    if tags.unknown_at is None:
        return known or "none"
    return f"{known}{', and ' if known else ''}those of {tags.unknown_at} and above are not known"


def _parts(parts: Iterable[Part]) -> Iterator[str]:
    rows = [(part.policy.resource, *_told(part)) for part in parts]
    if not rows:
        yield "  no policy is set on the project or above it"
        return
    width = max(len(name) for name, _, _ in rows)
    for name, first, more in rows:
        yield f"  {name:{width}}  {first}".rstrip()
        yield from (f"  {'':{width}}  {line}" for line in more)


def _told(part: Part) -> tuple[str, list[str]]:
    """What a policy says, one line a rule, and what becomes of it."""
    said = [_rule(rule, applying) for rule, applying in part.rules]
    fate = ""
    match part.role:
        case Role.REPLACED:
            fate = f"replaced by {part.replaced_by} (`inheritFromParent` is not set there)"
        case Role.MERGED:
            fate = "merged with what is above (`inheritFromParent`)"
        case Role.RESET:
            fate = "resets to the constraint's default"
        case Role.DRY_RUN:
            fate = "only a dry run: counts as not set"
        case Role.IN_FORCE if not said:
            fate = "no rules"
    if len(said) == 1 and fate:
        return f"{said[0]}   {fate}", []
    first, *more = [*said, fate] if fate else said
    return first, more


def _rule(rule: Rule, applying: bool | str) -> str:  # noqa: FBT001 - a fact about the rule
    if rule.enforce is not None:
        text = "enforced" if rule.enforce else "not enforced"
    elif rule.allow_all or rule.deny_all:
        text = "allow all" if rule.allow_all else "deny all"
    else:
        parts = [f"allow {', '.join(rule.allowed)}"] * bool(rule.allowed)
        parts += [f"deny {', '.join(rule.denied)}"] * bool(rule.denied)
        text = "; ".join(parts)
    if rule.condition is None:
        return text
    verdict = "undecided" if isinstance(applying, str) else "holds" if applying else "does not hold"
    return f"{text} if {rule.condition} ({verdict})"


def _regions(explanation: Explanation, *, verbose: bool) -> Iterator[str]:
    allowed = explanation.effective.allowed
    if allowed.certain.complement:
        yield f"  {_HEADS[True]:14}{allowed.certain}{_default(explanation.effective)}"
    elif allowed.possible.is_empty:
        yield f"  {_HEADS[True]:14}none: no Pub/Sub region is left"
    if allowed.undecided.complement:
        yield f"  {_HEADS[None]:14}{allowed.undecided}"
    width = max((len(story.region) for story in explanation.regions), default=0)
    for verdict, group in groupby(explanation.regions, key=lambda story: story.allowed):
        stories = list(group)
        cut = len(stories) if verbose or len(stories) <= _SHOWN + 1 else _SHOWN
        for number, story in enumerate(stories[:cut]):
            side = {True: allowed.certain, None: allowed.undecided}.get(verdict)
            head = "" if number or (side and side.complement) else _HEADS[verdict]
            yield f"  {head:14}{story.region:{width}}  {story.because}"
        if cut < len(stories):
            yield f"  {'':14}and {len(stories) - cut} more; `--verbose` shows all"


def _default(policy: EffectivePolicy) -> str:
    return "" if policy.steps else "   the constraint's default"


def _comparison(explanation: Explanation) -> str:
    answer = explanation.answer
    if answer is None:
        return "the snapshot has no answer of the API to compare with"
    if explanation.effective.disagreement is not None:
        return f"{explanation.effective.disagreement}; one of the two is wrong, and the API's answer is used"
    values = [value for rule in answer.rules for value in rule.allowed]
    allowed = explanation.effective.allowed.certain
    regions = "" if allowed.complement else f", {len(allowed)} of them Pub/Sub regions"
    counted = f" (getEffectivePolicy, {len(values)} values{regions})" if values else " (getEffectivePolicy)"
    return f"the API answers the same{counted}"


def _part_document(part: Part) -> dict[str, Any]:
    return {
        "resource": part.policy.resource,
        "constraint": part.policy.constraint,
        "role": str(part.role),
        "replacedBy": part.replaced_by,
        "rules": [
            {
                "number": rule.number,
                "says": _rule(rule, applying),
                "applies": applying if isinstance(applying, bool) else None,
                "undecidedBecause": applying if isinstance(applying, str) else None,
            }
            for rule, applying in part.rules
        ],
    }
