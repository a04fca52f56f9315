from __future__ import annotations

import os
from pathlib import Path

import pytest

from reconciler.errors import Position
from reconciler.model import Origin
from reconciler.spec import locate

TEXT = """\
defaults:
  labels: {team: a}
topics:
  - name: orders
    messageStoragePolicy:
      allowedPersistenceRegions: [europe-west1, us-east1]
  - {name: ü😀x, labels: {a: b}}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "t.yaml"
    path.write_text(TEXT, "utf-8")
    return path


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        (("topics",), 3, 1),
        (("topics", 0), 4, 5),
        (("topics", 0, "name"), 4, 5),
        (("topics", 0, "messageStoragePolicy", "allowedPersistenceRegions"), 6, 7),
        (("topics", 0, "messageStoragePolicy", "allowedPersistenceRegions", 1), 6, 49),
        (("topics", 0, "messageStoragePolicy", "allowedPersistenceRegions", "us-east1"), 6, 49),
        (("topics", 1, "labels", "a"), 7, 26),
        (("topics", 0, "messageStoragePolicy", "allowedPersistenceRegions", "us-east7"), 6, 7),
        (("topics", 0, "labels", "a"), 4, 5),
        (("topics", 7, "name"), 3, 1),
        (("defaults", "labels", "team", "x"), 2, 12),
    ],
)
def test_entries_are_at_their_key_and_items_at_themselves(
    file: Path, path: tuple[str | int, ...], line: int, column: int
) -> None:
    assert locate(Origin(str(file), path)) == Position(str(file), line, column)


def test_a_whole_file_has_no_line(file: Path) -> None:
    assert locate(Origin(str(file))) == Position(str(file))


def test_a_file_may_be_shown_under_another_name(file: Path) -> None:
    assert locate(Origin("stacks/x/t.yaml", ("topics",)), file=file) == Position("stacks/x/t.yaml", 3, 1)


def test_a_file_that_changes_is_looked_at_again(file: Path) -> None:
    origin = Origin(str(file), ("topics",))
    locate(origin)
    file.write_text("# one more line\n" + TEXT, "utf-8")
    os.utime(file, ns=(1, 1))

    assert locate(origin).line == 4


@pytest.mark.parametrize("content", [b"topics: [", b"\xff", b""], ids=["not YAML", "not UTF-8", "empty"])
def test_a_file_that_cannot_be_read_has_no_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.yaml"
    path.write_bytes(content)

    assert locate(Origin(str(path), ("topics",))) == Position(str(path))


def test_a_file_that_is_gone_has_no_line(tmp_path: Path) -> None:
    path = str(tmp_path / "gone.yaml")

    assert locate(Origin(path, ("topics",))) == Position(path)
