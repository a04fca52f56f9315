"""The plan as a document: canonical JSON that can be reviewed, saved and applied later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reconciler.errors import InvalidInput, Position
from reconciler.model import Exemption, RegionSet, Resolution, StoragePolicy, TopicName, digest, json_digest
from reconciler.orgpolicy import RegionBounds
from reconciler.reconcile.drift import Kind
from reconciler.reconcile.plan import Plan, Row
from reconciler.reconcile.policies import ProjectPolicy, Unavailable
from reconciler.reconcile.resolve import Change

FORMAT_VERSION = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedPlan:
    """What `apply` needs of a saved plan.

    Attributes:
        policies: fingerprint of each project's live policy when the plan was made; `None` where it was not read.
    """

    stack: str
    folder: str
    specs: str
    catalogue: str
    policies: Mapping[str, str | None]
    changes: tuple[Change, ...]
    looked_at: int
    digest: str


def plan_document(plan: Plan) -> dict[str, Any]:
    """A plan as JSON values. It holds no time and no machine, so equal inputs give equal documents."""
    body: dict[str, Any] = {
        "formatVersion": FORMAT_VERSION,
        "stack": {"name": plan.stack, "folder": plan.folder},
        "computedFrom": {
            "specs": plan.specs,
            "catalogue": plan.catalogue,
            "policies": plan.policy_fingerprints,
            "live": plan.live,
        },
        "projects": {project: _project(policy) for project, policy in sorted(plan.policies.items())},
        "lookedAt": plan.looked_at,
        "inTransitNotEvaluated": plan.flags_not_evaluated,
        "counts": {str(kind): count for kind, count in plan.counts.items()},
        "widening": "allow" if plan.widening_allowed else "refuse",
        "changes": [change_document(change) for change in plan.changes],
        "held": [_held(change, plan) for change in plan.held],
        "drifts": [_row(row) for row in plan.rows],
        "cost": {
            "administratorOperations": plan.operations,
            "operationsPerMinute": plan.operations_per_minute,
        },
    }
    return {**body, "digest": json_digest(body)}


def change_document(change: Change) -> dict[str, Any]:
    """A change as JSON values, with the request that makes it."""
    return {
        "topic": str(change.name),
        "kind": str(change.kind),
        "resolution": str(change.resolution),
        "before": change.before and change.before.to_json(),
        "after": change.after and change.after.to_json(),
        "widening": change.widening,
        "why": change.why,
        "request": change.request,
    }


def _held(change: Change, plan: Plan) -> dict[str, Any]:
    hold = plan.hold_on(change)
    assert hold is not None  # noqa: S101 - that makes it a held change
    return {**change_document(change), "hold": {"code": hold.code, "reason": hold.reason, "hint": hold.hint}}


def _project(policy: ProjectPolicy | Unavailable) -> dict[str, Any]:
    if isinstance(policy, Unavailable):
        return {"notEvaluated": policy.reason}
    live = policy.live
    return {
        "allowed": _bounds(live.allowed),
        "inTransitRequired": live.in_transit,
        "doubts": list(live.doubts),
        "source": live.source,
        "snapshotDiffers": policy.differs,
    }


def _row(row: Row) -> dict[str, Any]:
    drift, decision = row.drift, row.decision
    return {
        "topic": str(drift.name),
        "kind": str(drift.kind),
        "live": drift.live and {**drift.live.to_json(), **({} if drift.flag_known else {"enforceInTransit": None})},
        "desired": None if drift.desired is None else _bounds(drift.desired.regions),
        "disallowed": _regions(drift.disallowed),
        "missing": _regions(drift.missing),
        "extra": _regions(drift.extra),
        "undecided": _regions(drift.undecided),
        "inTransit": {
            "differs": drift.flag_differs if drift.flag_known else None,
            "desired": drift.desired and drift.desired.in_transit,
        },
        "standing": drift.standing and str(drift.standing),
        "resolution": str(decision.resolution),
        "changes": decision.change is not None,
        "refusal": decision.refusal,
        "exemption": decision.exemption and _exemption(decision.exemption),
        "notEvaluated": drift.reason and drift.reason.reason,
        "declaredIn": None if drift.spec is None else drift.spec.origin.file,
    }


def _exemption(exemption: Exemption) -> dict[str, Any]:
    return {
        "rule": exemption.rule,
        "reason": exemption.reason,
        "owner": exemption.owner,
        "expires": exemption.expires.isoformat(),
    }


def _bounds(bounds: RegionBounds) -> dict[str, Any]:
    return {"certain": _regions(bounds.certain), "undecided": _regions(bounds.undecided)}


def _regions(regions: RegionSet) -> list[str] | dict[str, list[str]]:
    return {"allBut": sorted(regions.names)} if regions.complement else list(regions)


def read_plan(text: str, *, file: str) -> SavedPlan:
    """Reads a saved plan.

    Raises:
        InvalidInput: when it is no plan, of another format version, or has been edited since it was written.
    """
    where = Position(file)
    try:
        body = json.loads(text)
    except ValueError as error:
        raise InvalidInput(
            f"not a plan: {error}", position=where, hint="write one with `hedgerow plan -o FILE`"
        ) from None
    if not isinstance(body, dict) or "formatVersion" not in body:
        raise InvalidInput("not a plan", position=where, hint="write one with `hedgerow plan -o FILE`")
    if body["formatVersion"] != FORMAT_VERSION:
        raise InvalidInput(
            f"the plan has format version {body['formatVersion']!r}, this version of hedgerow reads {FORMAT_VERSION!r}",
            position=where,
            hint="plan again with the version that applies it",
        )
    claimed = body.pop("digest", None)
    if claimed != digest(body):
        raise InvalidInput(
            "the plan has been changed since it was written: its digest does not match",
            position=where,
            hint="plan again; edit the specs, never the plan",
        )
    try:
        source = body["computedFrom"]
        return SavedPlan(
            stack=body["stack"]["name"],
            folder=body["stack"]["folder"],
            specs=source["specs"],
            catalogue=source["catalogue"],
            policies=source["policies"],
            changes=tuple(read_change(change) for change in body["changes"]),
            looked_at=body["lookedAt"],
            digest=claimed,
        )
    except (AttributeError, InvalidInput, KeyError, TypeError, ValueError):
        raise InvalidInput(
            "the plan has not the shape of one, though its digest matches",
            position=where,
            hint="see `hedgerow schema plan`, or plan again",
        ) from None


def read_change(body: Mapping[str, Any]) -> Change:
    """The change that `change_document` gave.

    Raises:
        InvalidInput, KeyError, TypeError, ValueError: for anything else.
    """
    return Change(
        name=TopicName.parse(body["topic"]),
        kind=Kind(body["kind"]),
        resolution=Resolution(body["resolution"]),
        before=StoragePolicy.from_json(body["before"]),
        after=StoragePolicy.from_json(body["after"]),
        why=body["why"],
    )
