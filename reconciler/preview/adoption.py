"""Topics that are live and not in a Pulumi stack: what taking them over would change first.

An import does not only take note of a topic: where the program declares something else, the same update puts that
right (run: Pulumi 3.274). What counts as something else follows the provider (`resource_pubsub_topic.go` and
`labels.go` of hashicorp/terraform-provider-google): a storage policy that is not declared is left as it is, and so are
labels that are not; every other field that is not declared is taken away; tags cannot be changed at all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reconciler.errors import InvalidInput
from reconciler.model import StoragePolicy, TopicName
from reconciler.preview.steps import TOPIC_TYPE
from reconciler.preview.unreadable import UnreadablePreview

COMPONENT_TYPE = "hedgerow:pubsub:TopicFleet"
COMPONENT_NAME = "fleet"
"""The component under which the program declares topics, and under which an import has to put them."""

_FIELDS = (
    "ingestionDataSourceSettings",
    "kmsKeyName",
    "messageRetentionDuration",
    "messageTransforms",
    "schemaSettings",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """A field that taking a topic over would change.

    Attributes:
        live: its value; `None` where the topic has none.
        declared: likewise; where `live` has a value and this has none, the update takes it away.
        replaces: whether the topic would have to be replaced for it.
    """

    field: str
    live: Any
    declared: Any
    replaces: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """A declared topic that is live and not in the Pulumi stack."""

    topic: TopicName
    changes: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PulumiState:
    """What the state of a Pulumi stack holds of topics.

    Attributes:
        topics: the URN of each.
        component: the URN of the fleet's component, if it is there.
    """

    topics: Mapping[TopicName, str]
    component: str | None = None


def read_state(text: str) -> PulumiState:
    """What `pulumi stack export` prints.

    Raises:
        UnreadablePreview: when it is nothing of the kind.
    """
    try:
        resources = json.loads(text)["deployment"].get("resources") or []
        found = [(str(one["type"]), str(one["urn"]), str(one.get("id", ""))) for one in resources]
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UnreadablePreview("this is no exported state of a Pulumi stack") from None
    topics: dict[TopicName, str] = {}
    for kind, urn, identity in found:
        if kind == TOPIC_TYPE and (name := _name(identity)):
            topics[name] = urn
    components = (urn for kind, urn, _ in found if kind == COMPONENT_TYPE and urn.endswith(f"::{COMPONENT_NAME}"))
    return PulumiState(topics=topics, component=next(components, None))


def adoptions(
    declared: Mapping[TopicName, Mapping[str, Any]], live: Mapping[TopicName, Mapping[str, Any]], state: PulumiState
) -> tuple[Adoption, ...]:
    """The declared topics that are live and not in the state, in the order of names.

    Args:
        declared: what the program declares of each topic, under REST names.
        live: each live topic as the API answers it.
        state: of the Pulumi stack that declares them.
    """
    return tuple(
        Adoption(topic=name, changes=_changes(declared[name], live[name]))
        for name in sorted(declared)
        if name in live and name not in state.topics
    )


def import_file(found: tuple[Adoption, ...], state: PulumiState, version: str | None) -> dict[str, Any]:
    """The file for `pulumi import --file`, with the fleet's component as the parent of every topic.

    Args:
        found: the topics.
        state: of the Pulumi stack; a component that it has is referred to, and one that it has not is made.
        version: of the provider; without one the engine takes what it has.
    """
    pinned = {"version": version} if version else {}
    topics = [
        {
            "type": TOPIC_TYPE,
            "name": f"{one.topic.project}/{one.topic.topic}",
            "id": str(one.topic),
            "parent": COMPONENT_NAME,
            **pinned,
        }
        for one in found
    ]
    if state.component is not None:
        return {"nameTable": {COMPONENT_NAME: state.component}, "resources": topics}
    component = {"type": COMPONENT_TYPE, "name": COMPONENT_NAME, "component": True}
    return {"resources": [component, *topics]}


def _changes(declared: Mapping[str, Any], live: Mapping[str, Any]) -> tuple[FieldChange, ...]:
    found = []
    if policy := declared.get("messageStoragePolicy"):
        there = StoragePolicy.from_json(live.get("messageStoragePolicy"))
        if there != StoragePolicy.from_json(policy):
            found.append(FieldChange(field="messageStoragePolicy", live=there and there.to_json(), declared=policy))
    wanted, labels = declared.get("labels", {}), live.get("labels", {})
    if any(labels.get(key) != value for key, value in wanted.items()):
        shown = {key: labels[key] for key in wanted if key in labels}
        found.append(FieldChange(field="labels", live=shown or None, declared=wanted))
    found += [
        FieldChange(field=field, live=live.get(field), declared=declared.get(field))
        for field in _FIELDS
        if declared.get(field) != live.get(field)
    ]
    if tags := declared.get("tags"):
        found.append(FieldChange(field="tags", live=live.get("tags"), declared=tags, replaces=True))
    return tuple(found)


def _name(identity: str) -> TopicName | None:
    try:
        return TopicName.parse(identity)
    except InvalidInput:
        return None
