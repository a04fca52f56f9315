"""Organization policies as values, read from the v2 `Policy` and the v1 `OrgPolicy` bodies.

Sources: the API definitions `google/cloud/orgpolicy/v2/orgpolicy.proto` and `v1/orgpolicy.proto`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reconciler.errors import InvalidInput

RESOURCE_LOCATIONS = "gcp.resourceLocations"
"""The list constraint on where resources may be."""

ENFORCE_IN_TRANSIT = "pubsub.enforceInTransitRegions"
"""The boolean constraint that confines publish and pull to the storage policy's regions; off by default."""


class PolicyError(InvalidInput):
    """A policy body that Google would not accept; `path` leads to the place inside the body."""

    def __init__(self, message: str, *, path: tuple[str | int, ...] = (), hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.path = path


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: what it allows, denies or enforces, and under which condition.

    Attributes:
        number: its place in the policy, from 1.
        condition: a CEL expression, or `None` for always.
        enforce: for boolean constraints; `None` in rules of list constraints.
    """

    number: int
    allowed: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    allow_all: bool = False
    deny_all: bool = False
    enforce: bool | None = None
    condition: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A policy for one constraint on one resource.

    Attributes:
        resource: `organizations/N`, `folders/N` or `projects/ID-or-NUMBER`.
        constraint: without `constraints/`.
        inherit: whether the rules above apply too (list constraints only).
        reset: whether the constraint's default applies from here on.
        rules: the enforced rules.
        dry_run_only: whether the policy has no enforced spec at all, and so counts as not set.
        dry_run: what the policy would be if its `dryRunSpec` were enforced; never is.
    """

    resource: str
    constraint: str
    inherit: bool = False
    reset: bool = False
    rules: tuple[Rule, ...] = ()
    dry_run_only: bool = False
    dry_run: Policy | None = None


def parse_policy(body: Mapping[str, Any]) -> Policy:
    """Reads a policy in either encoding.

    Raises:
        PolicyError: for a body that the API would refuse, with the path of the offending part.
    """
    resource, constraint = _subject(body)
    if "listPolicy" in body or "booleanPolicy" in body or "restoreDefault" in body:
        return _parse_v1(body, resource, constraint)
    if "spec" not in body and "dryRunSpec" not in body:
        raise PolicyError(
            f"the policy on `{resource}` has neither `spec` nor `dryRunSpec`",
            hint="copy the whole answer of `gcloud org-policies describe`",
        )
    dry_run = _parse_spec(body, "dryRunSpec", resource, constraint) if "dryRunSpec" in body else None
    if "spec" not in body:
        return Policy(resource=resource, constraint=constraint, dry_run_only=True, dry_run=dry_run)
    return replace(_parse_spec(body, "spec", resource, constraint), dry_run=dry_run)


def _parse_spec(body: Mapping[str, Any], kind: str, resource: str, constraint: str) -> Policy:
    """The policy that one of the two specs makes, as if it were the only one."""
    spec = _mapping(body[kind], kind)
    reset, inherit = bool(spec.get("reset", False)), bool(spec.get("inheritFromParent", False))
    bodies = _sequence(spec.get("rules", ()), kind, "rules")
    if reset and (bodies or inherit):
        raise PolicyError("`reset` stands alone: no rules, no `inheritFromParent`", path=(kind, "reset"))
    rules = tuple(_parse_rule(rule, (kind, "rules", index)) for index, rule in enumerate(bodies))
    return Policy(resource=resource, constraint=constraint, inherit=inherit, reset=reset, rules=rules)


def _subject(body: Mapping[str, Any]) -> tuple[str, str]:
    name = body.get("name")
    if name is None and "resource" in body and "constraint" in body:
        return str(body["resource"]), str(body["constraint"]).removeprefix("constraints/")
    resource, separator, constraint = str(name).partition("/policies/")
    if not separator or not constraint or resource.count("/") != 1:
        raise PolicyError(
            f"`{name}` does not name a policy",
            path=("name",),
            hint="write `RESOURCE/policies/CONSTRAINT`, for example `folders/456/policies/gcp.resourceLocations`",
        )
    return resource, constraint.removeprefix("constraints/")


def _parse_rule(body: Any, path: tuple[str, str, int]) -> Rule:
    number = path[-1] + 1
    body = _mapping(body, *path)
    kinds = [kind for kind in ("values", "allowAll", "denyAll", "enforce") if kind in body]
    if len(kinds) != 1:
        raise PolicyError(
            "a rule holds exactly one of `values`, `allowAll`, `denyAll` and `enforce`"
            + (f", not {len(kinds)}" if kinds else ""),
            path=path,
        )
    condition = body.get("condition")
    expression = None if condition is None else str(_mapping(condition, *path, "condition").get("expression", ""))
    if kinds == ["values"]:
        values = _mapping(body["values"], *path, "values")
        allowed = _values(values, "allowedValues", *path, "values")
        denied = _values(values, "deniedValues", *path, "values")
        if not allowed and not denied:
            raise PolicyError("`values` names no value", path=(*path, "values"))
        return Rule(number=number, allowed=allowed, denied=denied, condition=expression)
    # The API's JSON also spells these three as the texts "TRUE" and "FALSE" (v1, and Terraform's exports).
    kind = kinds[0]
    flag = body[kind] if isinstance(body[kind], bool) else str(body[kind]).upper() == "TRUE"
    if kind == "enforce":
        return Rule(number=number, enforce=flag, condition=expression)
    if not flag:
        raise PolicyError(f"`{kind}: false` says nothing", path=(*path, kind), hint="leave the rule out")
    return Rule(number=number, allow_all=kind == "allowAll", deny_all=kind == "denyAll", condition=expression)


def _parse_v1(body: Mapping[str, Any], resource: str, constraint: str) -> Policy:
    if "restoreDefault" in body:
        return Policy(resource=resource, constraint=constraint, reset=True)
    if "booleanPolicy" in body:
        enforced = bool(_mapping(body["booleanPolicy"], "booleanPolicy").get("enforced", False))
        return Policy(resource=resource, constraint=constraint, rules=(Rule(number=1, enforce=enforced),))
    policy = _mapping(body["listPolicy"], "listPolicy")
    if "condition" in policy:
        raise PolicyError("a v1 policy cannot hold a condition", path=("listPolicy", "condition"))
    allowed, denied = _values(policy, "allowedValues", "listPolicy"), _values(policy, "deniedValues", "listPolicy")
    every = policy.get("allValues", "ALL_VALUES_UNSPECIFIED")
    if every in ("ALLOW", "DENY"):
        if allowed or denied:
            raise PolicyError("`allValues` excludes explicit values", path=("listPolicy", "allValues"))
        rules: tuple[Rule, ...] = (Rule(number=1, allow_all=every == "ALLOW", deny_all=every == "DENY"),)
    else:
        rules = (Rule(number=1, allowed=allowed, denied=denied),) if allowed or denied else ()
    inherit = bool(policy.get("inheritFromParent", False))
    return Policy(resource=resource, constraint=constraint, inherit=inherit, rules=rules)


def _mapping(value: Any, *path: str | int) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise PolicyError(f"`{path[-1]}` is not a mapping", path=path)
    return value


def _sequence(value: Any, *path: str | int) -> Sequence[Any]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise PolicyError(f"`{path[-1]}` is not a list", path=path)
    return value


def _values(body: Mapping[str, Any], key: str, *path: str | int) -> tuple[str, ...]:
    return tuple(str(value) for value in _sequence(body.get(key, ()), *path, key))
