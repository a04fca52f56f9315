"""The commands of README and docs/pulumi.md, in the order in which a reader types them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from reconciler.spec import load_fleet, load_snapshot
from tests.engine.workshop import REPOSITORY, Workshop, finish

pytestmark = [pytest.mark.engine, pytest.mark.network]

PAGES = {"README.md": 3, "docs/pulumi.md": 5}
"""Pages that lead from nothing to a fleet, each with the number of its commands."""


def commands(page: str) -> list[str]:
    """The commands of the one block that begins with Pulumi's stack."""
    (block,) = re.findall(
        r"^```console\n(\$ pulumi stack init .*?)^```$",
        (REPOSITORY / page).read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    return [line.removeprefix("$ ") for line in block.splitlines()]


@pytest.mark.parametrize("page", PAGES)
def test_a_reader_comes_from_nothing_to_the_example_fleet(page: str, bare_workshop: Workshop) -> None:
    workshop = bare_workshop
    shutil.copytree(REPOSITORY / "stacks" / "demo", workshop.root / "stacks" / "demo")
    snapshot = Path(shutil.copy(REPOSITORY / "policies" / "organization.yaml", workshop.root / "policies"))
    for resource, constraint in list(workshop.world.organization.policies):
        workshop.world.delete_policy(resource, constraint)
    workshop.world.load_snapshot(load_snapshot(snapshot))

    assert len(commands(page)) == PAGES[page]
    for command in commands(page):
        finish(workshop.start("bash", "-c", command)).succeeded()
    declared = load_fleet(workshop.root / "stacks" / "demo").fleet.by_name
    assert {str(topic.name) for topic in workshop.world.topics()} == set(map(str, declared))
