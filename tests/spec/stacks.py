"""Stacks written to a temporary folder, and what loading them says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from reconciler.model import TopicName, TopicSpec
from reconciler.spec import InvalidSpecs, Loaded, load_fleet

STACK = """\
apiVersion: hedgerow/v1
organization: organizations/123456789012
policySource: live
projects: [acme-billing-prod, acme-orders-prod]
"""


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Writes files, and a `stack.yaml` unless there is one."""
    for name, content in {"stack.yaml": STACK, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def load(folder: Path, files: Mapping[str, str | bytes]) -> Loaded:
    """What a stack of these files is."""
    return load_fleet(write(folder, files), display="s")


def topics(folder: Path, files: Mapping[str, str | bytes]) -> dict[str, TopicSpec]:
    """The topics of a stack, by id."""
    return {topic.name.topic: topic for topic in load(folder, files).fleet.topics}


def one_topic(folder: Path, entry: str) -> TopicSpec:
    """The topic that one entry, written as a mapping, declares."""
    fleet = load(folder, {"t.yaml": f"topics:\n  - {entry}\n"}).fleet
    assert len(fleet.topics) == 1
    return fleet.topics[0]


def problems(folder: Path, files: Mapping[str, str | bytes]) -> list[str]:
    """Every problem of a stack, as it is printed."""
    with pytest.raises(InvalidSpecs) as invalid:
        load(folder, files)
    return [str(problem) for problem in invalid.value.problems]


def problem(folder: Path, text: str | bytes) -> str:
    """The one problem of a stack with this text in the file `t.yaml`."""
    found = problems(folder, {"t.yaml": text})
    assert len(found) == 1, found
    return found[0]


def orders(topic: str) -> TopicName:
    return TopicName("acme-orders-prod", topic)
