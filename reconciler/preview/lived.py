"""What a preview with `--refresh` tells about each topic: remembered, live, and declared.

Decided from the engine's events alone. The summary does not count a topic whose computed storage policy moved, and the
history of a stack tells of the operation before (https://github.com/pulumi/pulumi/issues/19443).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reconciler.model import TopicName
from reconciler.preview.steps import Preview, Step, plain

_OWN = frozenset({"deletionPolicy", "effectiveLabels", "id", "pulumiLabels", "project", "name"})
"""What is the provider's own business, or never differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """One topic as a preview with `--refresh` saw it.

    Attributes:
        remembered: its properties in the stack's state; `None` for a topic that is not in it.
        live: its properties as the refresh read them; `None` where it is gone, or was not looked at.
        declared: what the program declares; `None` where it declares no such topic.
        op: what would be done about it after the refresh: `same`, `create`, `update`, `replace`, `delete`, `import`.
        changed: what that would change, by path.
    """

    topic: TopicName
    urn: str
    remembered: Mapping[str, Any] | None = None
    live: Mapping[str, Any] | None = None
    declared: Mapping[str, Any] | None = None
    op: str = "same"
    changed: Mapping[str, str] = field(default_factory=dict)

    @property
    def moved(self) -> tuple[str, ...]:
        """The properties whose live value is not the remembered one, sorted."""
        before, after = self.remembered or {}, self.live or {}
        if self.remembered is None or self.live is None:
            return ()
        return tuple(key for key in sorted(before.keys() | after.keys()) if before.get(key) != after.get(key))

    @property
    def is_gone(self) -> bool:
        """Whether a topic that is remembered is not live any more."""
        return self.remembered is not None and self.live is None


def observed(preview: Preview) -> tuple[Observed, ...]:
    """Every topic of a preview whose name it tells, in the order of names."""
    refreshes: dict[str, Step] = {}
    others: dict[str, list[Step]] = {}
    for step in preview.steps:
        if step.is_topic and step.op == "refresh":
            if step.is_done:
                refreshes[step.urn] = step
        elif step.is_topic:
            others.setdefault(step.urn, []).append(step)
    found = []
    for urn in refreshes.keys() | others.keys():
        steps = [*filter(None, [refreshes.get(urn)]), *others.get(urn, ())]
        name = next((step.topic for step in steps if step.topic), None)
        if name is not None:
            found.append(_observed(urn, name, refreshes.get(urn), others.get(urn, [])))
    return tuple(sorted(found, key=lambda one: one.topic))


def _observed(urn: str, name: TopicName, refresh: Step | None, steps: list[Step]) -> Observed:
    declared = next((step.new.inputs for step in reversed(steps) if step.new is not None), None)
    return Observed(
        topic=name,
        urn=urn,
        remembered=_properties(refresh.old.outputs) if refresh and refresh.old else None,
        live=_properties(refresh.new.outputs) if refresh and refresh.new else None,
        declared=None if declared is None else _properties(declared),
        op=_operation(steps),
        changed={path: kind for step in steps for path, kind in step.changed.items()},
    )


def _operation(steps: list[Step]) -> str:
    """The one that says most: a replacement is told as three operations, and what is imported may be updated."""
    operations = [step.op for step in steps if step.op != "same"]
    if any("replace" in op for op in operations):
        return "replace"
    return operations[-1] if operations else "same"


def _properties(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is empty, which the API and a program leave out alike; regions are a set."""
    shown = {}
    for key, value in plain(outputs).items():
        if key in _OWN or value in ("", [], {}, None):
            continue
        shown[key] = _policy(value) if key == "messageStoragePolicy" and isinstance(value, dict) else value
    return shown


def _policy(value: dict[str, Any]) -> dict[str, Any]:
    regions = value.get("allowedPersistenceRegions")
    listed = sorted(set(map(str, regions))) if isinstance(regions, list) else []
    return {"allowedPersistenceRegions": listed, "enforceInTransit": bool(value.get("enforceInTransit"))}
