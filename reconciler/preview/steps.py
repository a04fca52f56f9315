"""A preview as values: the steps that the engine plans, with the resources before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reconciler.errors import InvalidInput
from reconciler.model import TopicName

TOPIC_TYPE = "gcp:pubsub/topic:Topic"
"""The type of a topic in every Pulumi language (pulumi_gcp 10.2)."""

_SECRET = "4dabf18193072939515e22adb298388d"  # noqa: S105 - the mark of one, not one (pulumi/pulumi, sdk/go/common/resource)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A resource as the engine knows it before or after a step.

    Attributes:
        id: the provider's, empty where there is none yet.
        inputs: what a program declares, checked by the provider.
        outputs: what the provider last read or wrote.
    """

    id: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    outputs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One planned operation on one resource.

    Attributes:
        op: the engine's word: `same`, `create`, `update`, `replace`, `delete`, `refresh`...
        forcing: the properties that force a replacement, as the engine names them.
        changed: what changes, by path, with the engine's word for how: `update`, `add-replace`, `delete`...
        is_done: for a refresh: whether this tells what it found, and not that it begins.
    """

    urn: str
    op: str
    forcing: tuple[str, ...] = ()
    changed: Mapping[str, str] = field(default_factory=dict)
    old: Resource | None = None
    new: Resource | None = None
    is_done: bool = False

    @property
    def type(self) -> str:
        """The resource's own type, without its parents'."""
        return self.urn.split("::", 3)[2].rpartition("$")[2] if self.urn.count("::") >= 3 else ""

    @property
    def is_topic(self) -> bool:
        """Whether it is about a Pub/Sub topic."""
        return self.type == TOPIC_TYPE

    @property
    def topic(self) -> TopicName | None:
        """The topic's full name, of the one that is there before it is of the one after; `None` where nothing tells."""
        for resource in (self.old, self.new):
            if resource is not None and (name := _name(resource)):
                return name
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A whole preview.

    Attributes:
        form: `json`, the one document of `pulumi preview --json`, or `events`, the stream of engine events.
        steps: every operation, in the order in which it was told.
        errors: what failed, in Pulumi's words; a preview with any says nothing about what is not in it.
        counts: the number of resources by operation, as the engine sums them up.
    """

    form: str
    steps: tuple[Step, ...]
    errors: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def topics(self) -> int:
        """How many topics its steps are about."""
        return len({step.urn for step in self.steps if step.is_topic})


def plain(value: Any) -> Any:
    """A property without the engine's wrapping of secrets, whose value stays hidden, and without its own keys."""
    if isinstance(value, Mapping):
        if _SECRET in value:
            return "[secret]"
        return {key: plain(inner) for key, inner in value.items() if not str(key).startswith("__")}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value


def _name(resource: Resource) -> TopicName | None:
    try:
        return TopicName.parse(resource.id)
    except InvalidInput:
        pass
    for properties in (resource.outputs, resource.inputs):
        project, name = properties.get("project"), properties.get("name")
        if isinstance(project, str) and isinstance(name, str):
            return TopicName(project, name.rpartition("/")[2])
    return None
