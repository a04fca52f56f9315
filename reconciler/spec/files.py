"""Finding a stack's files, and reading them within limits."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reconciler.errors import InvalidInput, Position
from reconciler.spec.problems import Problems
from reconciler.spec.syntax import parse

MAX_BYTES = 10 * 2**20

SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One file: the name that messages show, its text, and the mapping that it holds."""

    file: str
    text: str
    body: dict[str, Any]


def read_document(path: Path, file: str, problems: Problems) -> Document | None:
    """Reads one file; notes what is wrong, and is `None` where nothing in it can be checked further."""
    text = _read_text(path, file, problems)
    if text is None:
        return None
    body = parse(text, file, problems)
    return None if body is None else Document(file=file, text=text, body=body)


def _read_text(path: Path, file: str, problems: Problems) -> str | None:
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            message = f"the file has {size / 2**20:.1f} MiB; the limit is {MAX_BYTES // 2**20} MiB"
            problems.error("spec-too-large", Position(file), message, hint="split it; files are read in any number")
            return None
        data = path.read_bytes()
    except OSError as error:
        problems.error("spec-unreadable", Position(file), f"the file cannot be read: {error.strerror}")
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
        message = f"the file is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start:,}"
        problems.error("spec-encoding", Position(file, line, column), message, hint="save it as UTF-8")
        return None


def stack_file(folder: Path) -> Path:
    """The file that says what the stack in a folder is: `stack.yaml`, `stack.yml` or `stack.json`.

    Raises:
        InvalidInput: when the folder or the file is not there.
    """
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise InvalidInput(f"`{folder}` {what}", hint="name a folder that holds a `stack.yaml`")
    found = [folder / f"stack{suffix}" for suffix in SUFFIXES if (folder / f"stack{suffix}").is_file()]
    if not found:
        raise InvalidInput(f"`{folder}` is not a stack: it has no `stack.yaml`", hint="name a folder that holds one")
    if len(found) > 1:
        names = " and ".join(f"`{path.name}`" for path in found)
        raise InvalidInput(f"`{folder}` holds {names}", hint="keep one of them")
    return found[0]


def spec_files(folder: Path, *, without: Iterable[Path]) -> list[str]:
    """All spec files of a stack but its stack file, at any depth, relative to the folder, in sorted order.

    Hidden files and folders are left out, and so is what `without` names: files and folders that hold something else
    (rendered output, journals, a snapshot). Links to folders are not followed.
    """
    excluded = {os.path.normpath(path) for path in without}
    found: list[str] = []
    for parent, folders, names in os.walk(folder):
        at = os.path.normpath(parent)
        folders[:] = [n for n in folders if not n.startswith(".") and os.path.join(at, n) not in excluded]  # noqa: PTH118 - a Path for each name costs more than reading small files
        for name in names:
            path = os.path.join(at, name)  # noqa: PTH118
            if name.endswith(SUFFIXES) and not name.startswith(".") and path not in excluded:
                found.append(os.path.relpath(path, folder).replace(os.sep, "/"))
    return sorted(found)
