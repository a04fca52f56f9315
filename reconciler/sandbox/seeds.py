"""Files that a sandbox starts with: topics as they already are, and faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import yaml_rs

from reconciler.errors import InvalidInput, Position
from reconciler.model import StoragePolicy, TopicName
from reconciler.sandbox.faults import Fault

_Read = TypeVar("_Read")
_OWN_FIELDS = ("name", "messageStoragePolicy", "labels")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedTopic:
    """A topic as it is before the story begins; `fields` are its other fields, under their REST names."""

    name: TopicName
    policy: StoragePolicy | None
    labels: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)


def load_topics(path: Path | str) -> tuple[SeedTopic, ...]:
    """The topics of a YAML or JSON file `topics: [...]`, each as `gcloud pubsub topics describe` prints it.

    Raises:
        InvalidInput: for a file that cannot be read as that, with its path.
    """
    return _loaded(path, seed_topics)


def load_faults(path: Path | str) -> tuple[Fault, ...]:
    """The faults of a YAML or JSON file `faults: [...]`, with the fields of `Fault`.

    Raises:
        InvalidInput: for a file that cannot be read as that, with its path.
    """
    return _loaded(path, lambda body: tuple(Fault.from_json(fault) for fault in _list(body, "faults")))


def seed_topics(body: Mapping[str, Any]) -> tuple[SeedTopic, ...]:
    """The topics of a parsed `{"topics": [...]}`.

    Raises:
        InvalidInput: naming the first topic that is not one.
    """
    return tuple(_topic(entry) for entry in _list(body, "topics"))


def _topic(entry: Mapping[str, Any]) -> SeedTopic:
    name = TopicName.parse(str(entry.get("name")))
    policy, labels = entry.get("messageStoragePolicy"), entry.get("labels") or {}
    if not isinstance(policy, Mapping | None) or not isinstance(labels, Mapping):
        raise InvalidInput(f"`{name}`: `messageStoragePolicy` and `labels` are mappings")
    return SeedTopic(
        name=name,
        policy=StoragePolicy.from_json(None if policy is None else dict(policy)),
        labels={str(key): str(value) for key, value in labels.items()},
        fields={key: value for key, value in entry.items() if key not in _OWN_FIELDS},
    )


def _list(body: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    entries = body.get(key)
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise InvalidInput(f"`{key}` is not a list of mappings", hint=f"write `{key}: [...]` at the top")
    return entries


def _loaded(path: Path | str, read: Callable[[Mapping[str, Any]], tuple[_Read, ...]]) -> tuple[_Read, ...]:
    position = Position(str(path))
    try:
        body = yaml_rs.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InvalidInput(f"the file cannot be read: {error.strerror}", position=position) from error
    except ValueError as error:
        raise InvalidInput(f"the file is not YAML: {error}", position=position) from error
    try:
        return read(body if isinstance(body, Mapping) else {})
    except InvalidInput as error:
        raise InvalidInput(error.message, position=position, hint=error.hint) from error
