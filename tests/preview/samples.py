"""Previews in both forms of `pulumi preview --json`, made from the same steps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

TYPES = "hedgerow:pubsub:TopicFleet$gcp:pubsub/topic:Topic"
STACK_URN = "urn:pulumi:production::hedgerow::pulumi:pulumi:Stack::hedgerow-production"


def urn(topic: str, types: str = TYPES) -> str:
    return f"urn:pulumi:production::hedgerow::{types}::acme-orders/{topic}"


def resource(topic: str, **rest: Any) -> dict[str, Any]:
    """A topic as a state holds it; further properties are both declared and read."""
    own = {"name": topic, "project": "acme-orders", **rest}
    return {"id": f"projects/acme-orders/topics/{topic}", "inputs": own, "outputs": own}


def step(
    op: str,
    topic: str = "orders",
    *,
    old: Mapping[str, Any] | None = None,
    new: Mapping[str, Any] | None = None,
    replaces: tuple[str, ...] = (),
    diff: Mapping[str, str] | None = None,
    types: str = TYPES,
) -> dict[str, Any]:
    """A step, in words that are of neither form. Without states, the topic is there before and after."""
    both = old is None and new is None
    return {
        "op": op,
        "urn": urn(topic, types),
        "old": resource(topic) if both and op != "create" else old,
        "new": resource(topic) if both and op != "delete" else new,
        "replaces": list(replaces),
        "diff": dict(diff or {}),
    }


STACK_STEP: dict[str, Any] = {"op": "same", "urn": STACK_URN, "old": None, "new": None, "replaces": [], "diff": {}}


def document(*steps: Mapping[str, Any], **rest: Any) -> str:
    """The one document that a preview prints when it ends."""
    told = [
        {
            "op": one["op"],
            "urn": one["urn"],
            "oldState": one["old"],
            "newState": one["new"],
            "replaceReasons": one["replaces"] or None,
            "detailedDiff": {path: {"kind": kind, "inputDiff": False} for path, kind in one["diff"].items()} or None,
        }
        for one in [STACK_STEP, *steps]
    ]
    return json.dumps({"config": {}, "steps": told, "duration": 1, "changeSummary": _counts(steps), **rest}, indent=4)


def event(kind: str, **body: Any) -> dict[str, Any]:
    return {"sequence": 0, "timestamp": 1796000000, kind: body}


def step_event(one: Mapping[str, Any], kind: str = "resourcePreEvent") -> dict[str, Any]:
    """A step as an event: that it begins, or with `resOutputsEvent` its result."""
    metadata = {
        "op": one["op"],
        "urn": one["urn"],
        "type": "gcp:pubsub/topic:Topic",
        "old": one["old"],
        "new": one["new"],
        "keys": one["replaces"],
        "diffs": sorted(one["diff"]),
        "detailedDiff": {path: {"diffKind": kind, "inputDiff": False} for path, kind in one["diff"].items()} or None,
    }
    return event(kind, metadata=metadata, planning=True)


def lines(*events: Mapping[str, Any]) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in events)


def stream(*steps: Mapping[str, Any]) -> str:
    """The events of a whole preview, one a line."""
    return lines(
        event("preludeEvent", config={}),
        *(step_event(one) for one in steps),
        event("summaryEvent", maybeCorrupt=False, resourceChanges=_counts(steps)),
    )


def _counts(steps: tuple[Mapping[str, Any], ...]) -> dict[str, int]:
    counts = {"same": 1}
    for one in steps:
        counts[one["op"]] = counts.get(one["op"], 0) + 1
    return counts
