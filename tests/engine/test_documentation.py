"""The commands of docs/pulumi.md, in the order in which a reader types them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from reconciler.spec import load_fleet, load_snapshot
from tests.engine.workshop import REPOSITORY, Workshop, finish

pytestmark = [pytest.mark.engine, pytest.mark.network]

PAGE = (REPOSITORY / "docs" / "pulumi.md").read_text("utf-8")
COMMANDS = [
    line.removeprefix("$ ")
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]


def test_a_reader_comes_from_nothing_to_the_example_fleet(bare_workshop: Workshop) -> None:
    workshop = bare_workshop
    shutil.copytree(REPOSITORY / "stacks" / "demo", workshop.root / "stacks" / "demo")
    snapshot = Path(shutil.copy(REPOSITORY / "policies" / "organization.yaml", workshop.root / "policies"))
    for resource, constraint in list(workshop.world.organization.policies):
        workshop.world.delete_policy(resource, constraint)
    workshop.world.load_snapshot(load_snapshot(snapshot))

    assert len(COMMANDS) == 5
    for command in COMMANDS:
        finish(workshop.start("bash", "-c", command)).succeeded()
    declared = load_fleet(workshop.root / "stacks" / "demo").fleet.by_name
    assert {str(topic.name) for topic in workshop.world.topics()} == set(map(str, declared))
