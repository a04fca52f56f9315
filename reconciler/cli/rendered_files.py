"""Generated files in a folder: what rendering would change there, and carrying it out.

Premise: other files may lie in the same folder, other stacks' generated ones among them. A file is this stack's to
replace or remove only if its own content says that hedgerow generated it for this stack. Everything else is left alone,
and a name that is taken by such a file refuses the whole writing.
"""

from __future__ import annotations

import difflib
import json
import os
import secrets
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from reconciler.errors import HedgerowError, InvalidInput
from reconciler.hedging import GENERATOR, SCHEMA_ID, stack_of

_SUFFIXES = frozenset({".json", ".yaml", ".properties", ".env"})
"""Of generated files."""

_SCHEMA_FAMILY = SCHEMA_ID.rpartition(":")[0] + ":"


class FileKind(StrEnum):
    """How a file in the output folder relates to the document of that name."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    FOREIGN = "foreign"
    """The name is taken by something that is not this stack's to overwrite."""
    ORPHANED = "orphaned"
    """Generated for this stack, whose specs no longer have the service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    """One file of the output folder, found or wanted.

    Attributes:
        found: its content; `None` where there is no readable file.
        wanted: the rendered document; `None` for an orphaned file.
        diff: from found to wanted, unified; empty unless the file is changed.
        reason: of a foreign file, whose it is instead; else empty.
    """

    name: str
    kind: FileKind
    found: bytes | None = None
    wanted: bytes | None = None
    diff: str = ""
    reason: str = ""


def compare(output: Path, documents: Mapping[str, bytes], *, stack: str) -> list[FileState]:
    """What is in the folder against what should be, by file name. Writes nothing; the folder need not exist.

    Args:
        output: the folder for generated files.
        documents: rendered documents by file name.
        stack: the name of the stack that they were rendered for.

    Raises:
        InvalidInput: when `output` is something else than a folder.
        HedgerowError: when something in it cannot be read.
    """
    if output.exists() and not output.is_dir():
        raise InvalidInput(f"`{output}` is not a folder", hint="set `publishers.output` to a folder")
    try:
        states = [_state(output / _plain(name), wanted, stack) for name, wanted in documents.items()]
        states += [
            FileState(name=path.name, kind=FileKind.ORPHANED, found=found)
            for path in (output.iterdir() if output.exists() else ())
            if path.suffix in _SUFFIXES
            and path.name not in documents
            and (found := _read(path)) is not None
            and _stack_of(found) == stack
        ]
    except OSError as error:
        raise _failure(f"`{error.filename or output}` cannot be read", error) from error
    return sorted(states, key=lambda state: state.name)


def write(output: Path, states: Iterable[FileState], *, prune: bool) -> list[FileState]:
    """Makes the folder what it should be, and returns the states that led to a change, in their order.

    Each file is replaced at once or not at all, and only while it is still what `compare` saw.

    Args:
        output: the folder that was compared; made if it does not exist.
        states: what `compare` returned.
        prune: whether orphaned files are removed.

    Raises:
        HedgerowError: when a name is taken by a foreign file (nothing was written then), when a file has changed since
            it was compared, or when writing fails; files before it in order are done.
    """
    states = list(states)
    foreign = [state for state in states if state.kind is FileKind.FOREIGN]
    if foreign:
        listed = ", ".join(f"`{output / state.name}` ({state.reason})" for state in foreign)
        raise HedgerowError(
            f"nothing was written: {listed} would be overwritten",
            hint="move the file away, rename the service, or set `publishers.output` to another folder",
        )
    done = []
    for state in states:
        path = output / _plain(state.name)
        try:
            if state.wanted is not None and state.kind in (FileKind.NEW, FileKind.CHANGED):
                output.mkdir(parents=True, exist_ok=True)
                _refuse_if_moved(path, state)
                _replace(path, state.wanted)
            elif state.kind is FileKind.ORPHANED and prune:
                _refuse_if_moved(path, state)
                path.unlink()
            else:
                continue
        except OSError as error:
            raise _failure(f"`{path}` cannot be written", error) from error
        done.append(state)
    if done:
        _settle(output)
    return done


def _settle(folder: Path) -> None:
    """Makes new names in a folder outlast a crash; once for all of them, as it costs as much as writing a file."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _state(path: Path, wanted: bytes, stack: str) -> FileState:
    if not os.path.lexists(path):
        return FileState(name=path.name, kind=FileKind.NEW, wanted=wanted)
    found = _read(path)
    if found is None:
        return FileState(name=path.name, kind=FileKind.FOREIGN, wanted=wanted, reason="not a regular file")
    if found == wanted:
        return FileState(name=path.name, kind=FileKind.UNCHANGED, found=found, wanted=wanted)
    owner = _stack_of(found)
    if owner == stack:
        diff = _diff(path, found, wanted)
        return FileState(name=path.name, kind=FileKind.CHANGED, found=found, wanted=wanted, diff=diff)
    reason = "not generated by hedgerow" if owner is None else f"generated for stack `{owner}`"
    return FileState(name=path.name, kind=FileKind.FOREIGN, found=found, wanted=wanted, reason=reason)


def _plain(name: str) -> str:
    """A file name that leads nowhere else.

    Raises:
        ValueError: for anything else; the rules on publishers refuse such services.
    """
    if name in ("", "..") or Path(name).name != name:
        raise ValueError(f"{name!r} is not a file name")
    return name


def _read(path: Path) -> bytes | None:
    """The content of a regular file; `None` for a folder, a link or anything else that has no content of its own."""
    return path.read_bytes() if stat.S_ISREG(path.lstat().st_mode) else None


def _stack_of(content: bytes) -> str | None:
    """The stack that hedgerow generated a file for; `None` for a file that it did not generate."""
    if content.startswith(b"#"):
        return stack_of(content)
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return None
    match document:
        case {"$schema": str(schema), "source": {"generator": str(generator), "stack": str(stack)}} if (
            schema.startswith(_SCHEMA_FAMILY) and generator.startswith(f"{GENERATOR} ")
        ):
            return stack
        case _:
            return None


def _diff(path: Path, found: bytes, wanted: bytes) -> str:
    lines = difflib.unified_diff(
        found.decode(errors="replace").splitlines(),
        wanted.decode().splitlines(),
        fromfile=str(path),
        tofile=f"{path} (rendered)",
        lineterm="",
    )
    text = "".join(f"{line}\n" for line in lines)
    return text or f"{path} differs in white space at the end of lines or of the file only\n"


def _refuse_if_moved(path: Path, state: FileState) -> None:
    """Refuses to touch a file that somebody has changed since it was compared."""
    now = _read(path) if os.path.lexists(path) else None
    if now != state.found or os.path.lexists(path) != (state.found is not None):
        raise HedgerowError(
            f"`{path}` has changed since it was compared; it was left alone, as were those after it",
            hint="run the command again",
        )


def _replace(path: Path, content: bytes) -> None:
    """Puts a whole file in the place of another: readers see the old one or the new one."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _failure(what: str, error: OSError) -> HedgerowError:
    return HedgerowError(f"{what}: {error.strerror or error}")
