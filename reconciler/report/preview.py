"""What a preview would do, as text: one line for each resource that changes."""

from __future__ import annotations

from collections.abc import Mapping

from reconciler.preview import Preview, Step

_UNCHANGED = frozenset({"same", "refresh", "read"})
_PARTS = frozenset({"delete-replaced", "create-replacement"})
"""Operations that a `replace` of the same resource stands for."""

_DONE = {"create": "to create", "update": "to update", "delete": "to delete", "replace": "to replace"}
_ORDER = ("create", "import", "update", "replace", "delete")


def changed_steps(preview: Preview) -> tuple[Step, ...]:
    """The steps that change something, one for each operation on a resource, in the order of its names."""
    steps = {(step.urn, step.op): step for step in preview.steps if step.op not in _UNCHANGED and step.op not in _PARTS}
    return tuple(step for _, step in sorted(steps.items()))


def preview_text(preview: Preview) -> str:
    """What changes; nothing where nothing does."""
    steps = changed_steps(preview)
    width = max((len(step.op) for step in steps), default=0)
    return "".join(f"{step.op:{width}}  {_name(step)}{_paths(step)}\n" for step in steps)


def counts_text(counts: Mapping[str, int]) -> str:
    """`12 to create, 3 to update, 1,185 unchanged`: the engine's own sums."""
    known = [op for op in _ORDER if counts.get(op)]
    others = sorted(op for op, count in counts.items() if count and op not in (*_ORDER, *_UNCHANGED))
    parts = [f"{counts[op]:,} {_DONE.get(op, f'to {op}')}" for op in (*known, *others)]
    return ", ".join([*parts, f"{counts.get('same', 0):,} unchanged"])


def _name(step: Step) -> str:
    return str(step.topic) if step.is_topic and step.topic else step.urn.rpartition("::")[2]


def _paths(step: Step) -> str:
    return f"  {', '.join(step.changed)}" if step.changed else ""
