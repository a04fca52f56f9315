"""The examples of pages are those of scenarios, which are run."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"
STORIES = [path.read_text("utf-8") for path in sorted(Path(__file__).parent.glob("*.md"))]
TOLD = {
    "policy.md": ("console",),
    "publishers.md": ("console", "json", "yaml"),
    "nightly.md": ("console", ""),
}
"""In which languages the blocks of a page are a scenario's; those in others, and marked ones, are tested elsewhere."""

_BLOCK = re.compile(r"^```(?P<language>[a-z]*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
_CRON = "0 2 * * *"


def examples() -> list[tuple[str, str]]:
    return [
        (page, block["body"])
        for page, languages in TOLD.items()
        for block in _BLOCK.finditer((DOCS / page).read_text("utf-8"))
        if block["language"] in languages and not block["body"].startswith(_CRON)
    ]


@pytest.mark.parametrize(
    ("page", "example"), examples(), ids=[f"{page}-{example.partition(chr(10))[0]}" for page, example in examples()]
)
def test_an_example_of_a_page_is_told_by_a_scenario(page: str, example: str) -> None:
    assert any(example in story for story in STORIES), page


def test_the_pages_have_examples() -> None:
    assert Counter(page for page, _ in examples()) == {"policy.md": 6, "publishers.md": 4, "nightly.md": 2}
