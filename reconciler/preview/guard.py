"""Which topics a preview would delete or replace, and which of that nobody has allowed by name.

Deleting a topic loses the messages in it, cuts its subscriptions off and purges its permissions; a replacement is a
deletion followed by a creation. Premise: an operation that is not known to leave a topic in place is refused.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from reconciler.model import TopicName
from reconciler.preview.steps import Preview, Step

_HARMLESS = frozenset({"same", "create", "update", "read", "refresh", "import"})
"""Operations after which a topic that was there still is, and is the same one."""


class Fate(StrEnum):
    """What would become of a topic."""

    DELETED = "deleted"
    REPLACED = "replaced"
    UNKNOWN = "unknown"
    """The operation is none that the guard knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """A topic that a preview would not leave as it is.

    Attributes:
        topic: its name; `None` where the preview does not tell, so that it cannot be allowed by name.
        forced_by: the properties that force a replacement; empty where the preview names none.
        operations: the engine's words for what it would do.
        prevented: whether the state's deletion policy makes it fail: allowing it takes an update of its own first. It
            is refused until then, because an update that goes on after errors never ends when the deletion of a
            replacement fails (run: Pulumi 3.274.1).
    """

    urn: str
    topic: TopicName | None
    fate: Fate
    forced_by: tuple[str, ...] = ()
    operations: tuple[str, ...]
    prevented: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """The topics that may go, by their full names."""

    may_delete: Collection[TopicName] = ()
    may_replace: Collection[TopicName] = ()

    def allows(self, loss: Loss) -> bool:
        """Whether somebody allowed this. A topic that may be deleted may not therefore be replaced, nor the reverse."""
        if loss.prevented:
            return False
        match loss.fate:
            case Fate.DELETED:
                return loss.topic in self.may_delete
            case Fate.REPLACED:
                return loss.topic in self.may_replace
            case Fate.UNKNOWN:
                return False
            case _:
                assert_never(loss.fate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """What a preview would do to topics, divided by whether it is allowed; both in the order of names."""

    refused: tuple[Loss, ...]
    allowed: tuple[Loss, ...]


def losses(preview: Preview) -> tuple[Loss, ...]:
    """Every topic that a preview would delete or replace, whatever program declares it, in the order of names."""
    steps: dict[str, list[Step]] = {}
    for step in preview.steps:
        if step.is_topic:
            steps.setdefault(step.urn, []).append(step)
    found = [loss for urn, of_one in steps.items() if (loss := _loss(urn, of_one))]
    return tuple(sorted(found, key=lambda loss: (str(loss.topic or ""), loss.urn)))


def refused(found: Collection[Loss], allowance: Allowance) -> Refused:
    """Which losses are refused and which are allowed."""
    return Refused(
        refused=tuple(loss for loss in found if not allowance.allows(loss)),
        allowed=tuple(loss for loss in found if allowance.allows(loss)),
    )


def _loss(urn: str, steps: list[Step]) -> Loss | None:
    operations = tuple(dict.fromkeys(step.op for step in steps))
    forced = [name for step in steps for name in (*step.forcing, *_replacing(step))]
    if forced or any("replace" in op for op in operations):
        fate = Fate.REPLACED
    elif "delete" in operations and "create" in operations:
        # A refresh that did not find the topic is told as a deletion, of what is remembered; it is created again.
        return None
    elif "delete" in operations:
        fate = Fate.DELETED
    elif set(operations) <= _HARMLESS:
        return None
    else:
        fate = Fate.UNKNOWN
    return Loss(
        urn=urn,
        topic=next((step.topic for step in steps if step.topic), None),
        fate=fate,
        forced_by=tuple(sorted(dict.fromkeys(forced))),
        operations=operations,
        prevented=any(step.old.outputs.get("deletionPolicy") == "PREVENT" for step in steps if step.old),
    )


def _replacing(step: Step) -> list[str]:
    return [path for path, kind in step.changed.items() if kind.endswith("-replace")]
