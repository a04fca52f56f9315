from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.scenarios.promises import check_declarations, check_pack, check_plans, check_writes
from tests.scenarios.runner import scenario

FILES = sorted(path for path in Path(__file__).parent.glob("*.md") if path.name != "README.md")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_story_goes_as_it_is_told(path: Path, tmp_path: Path) -> None:
    with scenario(path, tmp_path) as story:
        told, happened = path.read_text("utf-8"), story.play()
        if os.environ.get("HEDGEROW_UPDATE") and happened != told:
            path.write_text(happened, encoding="utf-8")
            told = happened
        assert happened == told
        check_writes(story)
        check_plans(story)
        check_declarations(story)
        check_pack()
