"""Organization policy bodies: as administrators send them, and as the service keeps and answers them.

Facts: Google's "Defining locations" page (input is normalized: a bare region becomes `in:REGION-locations`, a bare
group gets its `in:`, an unknown group fails the change) and a recorded effective policy of 2026-07-28 (an answer lists
regions, their zones, and the names of groups without `in:`).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reconciler.model import REGION_SHAPE, RegionSet
from reconciler.orgpolicy import (
    ENFORCE_IN_TRANSIT,
    UNKNOWN,
    Catalogue,
    Policy,
    PolicyError,
    Rule,
    UnsupportedCondition,
    parse_condition,
    parse_policy,
)
from reconciler.sandbox.errors import invalid

_GROUP_SUFFIX = "-locations"
_ZONE_LETTERS = "abc"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPolicy:
    """A policy that somebody set.

    Attributes:
        policy: what it means.
        body: its v2 JSON with the enforced and the dry-run spec, without name and etags.
        etag: changes with every write.
        updated_at: RFC 3339.
    """

    policy: Policy
    body: Mapping[str, Any]
    etag: str
    updated_at: str

    def to_json(self, name: str) -> dict[str, Any]:
        """The v2 JSON that the API answers, under the given resource name."""
        body = copy.deepcopy(dict(self.body))
        for kind in ("spec", "dryRunSpec"):
            if kind in body:
                body[kind] |= {"etag": self.etag, "updateTime": self.updated_at}
        return {"name": name, **body, "etag": self.etag}


@dataclass(frozen=True, slots=True, kw_only=True)
class Effective:
    """What the constraints come to for one resource, decided.

    Attributes:
        allowed: every region, or an explicit set.
        in_transit: whether topics created now must enforce in-transit regions.
        others: zones and multi-regions that the policy allows and that name no Pub/Sub region.
    """

    allowed: RegionSet
    in_transit: bool
    others: tuple[str, ...] = ()


def accepted(body: Mapping[str, Any], catalogue: Catalogue) -> tuple[Policy, dict[str, Any]]:
    """A policy that an administrator sends: its meaning, and its normalized body.

    Raises:
        ApiError: `INVALID_ARGUMENT` for a body that breaks the format, for an `in:` group that does not exist, or for a
            condition that is none on tags.
    """
    body = copy.deepcopy(dict(body))
    kept = {kind: body[kind] for kind in ("spec", "dryRunSpec") if kind in body}
    for kind in kept.values():
        kind.pop("etag", None)
        kind.pop("updateTime", None)
        for rule in kind.get("rules", ()):
            _normalize(rule.get("values", {}), catalogue)
    try:
        policy = parse_policy({**body, **kept})
    except PolicyError as error:
        raise invalid(f"{error.message}.") from error
    for rule in (*policy.rules, *(policy.dry_run.rules if policy.dry_run else ())):
        if rule.condition is not None:
            _check_condition(rule.condition)
    return policy, kept or body_of(policy)


def body_of(policy: Policy) -> dict[str, Any]:
    """The v2 body that means what a parsed policy means."""
    dry_run = {"dryRunSpec": body_of(policy.dry_run)["spec"]} if policy.dry_run else {}
    if policy.dry_run_only:
        return dry_run or {"dryRunSpec": {}}
    spec: dict[str, Any] = {"rules": [_rule_body(rule) for rule in policy.rules]} if policy.rules else {}
    if policy.inherit:
        spec["inheritFromParent"] = True
    if policy.reset:
        spec["reset"] = True
    return {"spec": spec, **dry_run}


def answer_of(effective: Effective, constraint: str, catalogue: Catalogue) -> dict[str, Any]:
    """The spec of an effective policy: expanded, decided, without conditions, etag or inheritance.

    What the real service answers where nothing is set is not documented; here it is one rule with `allowAll`.
    """
    if constraint == ENFORCE_IN_TRANSIT:
        return {"rules": [{"enforce": effective.in_transit}]}
    if effective.allowed.is_all:
        return {"rules": [{"allowAll": True}]}
    if not effective.allowed and not effective.others:
        return {"rules": [{"denyAll": True}]}
    groups = [
        name for name, bounds in catalogue.groups.items() if bounds.certain and bounds.certain <= effective.allowed
    ]
    values = [
        *effective.allowed,
        *(f"{region}-{letter}" for region in effective.allowed for letter in _ZONE_LETTERS),
        *(f"{region}{_GROUP_SUFFIX}" for region in effective.allowed),
        *groups,
        *effective.others,
    ]
    return {"rules": [{"values": {"allowedValues": sorted(set(values))}}]}


def _check_condition(expression: str) -> None:
    try:
        parse_condition(expression)
    except UnsupportedCondition as unsupported:
        raise invalid(f"The condition {expression} {unsupported}.") from None


def _rule_body(rule: Rule) -> dict[str, Any]:
    condition = {} if rule.condition is None else {"condition": {"expression": rule.condition}}
    if rule.allow_all:
        return {"allowAll": True, **condition}
    if rule.deny_all:
        return {"denyAll": True, **condition}
    if rule.enforce is not None:
        return {"enforce": rule.enforce, **condition}
    lists = {"allowedValues": list(rule.allowed), "deniedValues": list(rule.denied)}
    return {"values": {key: values for key, values in lists.items() if values}, **condition}


def _normalize(values: Any, catalogue: Catalogue) -> None:
    for key in ("allowedValues", "deniedValues"):
        if isinstance(values, dict) and isinstance(values.get(key), list):
            values[key] = [_normalized(str(value), catalogue) for value in values[key]]


def _normalized(value: str, catalogue: Catalogue) -> str:
    if REGION_SHAPE.fullmatch(value):
        return f"in:{value}{_GROUP_SUFFIX}"
    if value.endswith(_GROUP_SUFFIX) and not value.startswith(("in:", "is:")):
        value = f"in:{value}"
    if value.startswith("in:") and catalogue.group(value.removeprefix("in:")) == UNKNOWN:
        raise invalid(f"The value group '{value}' does not exist.")
    return value
