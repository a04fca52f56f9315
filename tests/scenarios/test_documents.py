"""The examples of a page are those of scenarios, which are run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
STORIES = [path.read_text("utf-8") for path in sorted(Path(__file__).parent.glob("*.md"))]
EXAMPLES = re.findall(r"^```console\n(.*?)^```$", (ROOT / "docs" / "policy.md").read_text("utf-8"), re.S | re.M)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.partition("\n")[0])
def test_an_example_of_the_page_on_policies_is_told_by_a_scenario(example: str) -> None:
    assert any(example in story for story in STORIES)


def test_the_page_on_policies_has_examples() -> None:
    assert len(EXAMPLES) == 6
