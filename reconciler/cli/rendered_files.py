"""Generated files in a folder or a bucket: what rendering would change there, and carrying it out.

Premise: other files may lie in the same place, other stacks' generated ones among them. A file is this stack's to
replace or remove only if its own content says that hedgerow generated it for this stack. Everything else is left alone,
and a name that is taken by such a file refuses the whole writing.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePath

from reconciler.apply import Files, Found
from reconciler.errors import HedgerowError
from reconciler.hedging import GENERATOR, SCHEMA_ID, stack_of

_SUFFIXES = frozenset({".json", ".yaml", ".properties", ".env"})
"""Of generated files."""

_SCHEMA_FAMILY = SCHEMA_ID.rpartition(":")[0] + ":"


_WRITERS = 16
"""Files written at once: each waits for a disk or a round trip, and a fleet has thousands."""

_WAY_OUT = "move the file away, rename the service, or set `publishers.output` to another place"


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
    """One file of the output, found or wanted.

    Attributes:
        found: its content; `None` where there is no readable file.
        wanted: the rendered document; `None` for an orphaned file.
        diff: from found to wanted, unified; empty unless the file is changed.
        reason: of a foreign file, whose it is instead; else empty.
        seen: what is there, which has to be there still when it is replaced or removed.
    """

    name: str
    kind: FileKind
    found: bytes | None = None
    wanted: bytes | None = None
    diff: str = ""
    reason: str = ""
    seen: Found | None = field(default=None, compare=False)


def compare(output: Files, documents: Mapping[str, bytes], *, stack: str) -> list[FileState]:
    """What is there against what should be, by file name. Writes nothing.

    Args:
        output: where generated files go.
        documents: rendered documents by file name.
        stack: the name of the stack that they were rendered for.

    Raises:
        HedgerowError: when something that is there cannot be read.
    """
    for name in documents:
        _refuse_path(name)
    there = output.names()
    looked_at = [name for name in there if name in documents or PurePath(name).suffix in _SUFFIXES]
    found = output.read(looked_at)
    states = [_state(output, name, wanted, found.get(name), stack) for name, wanted in documents.items()]
    states += [
        FileState(name=name, kind=FileKind.ORPHANED, found=seen.content, seen=seen)
        for name, seen in found.items()
        if name not in documents and seen.content is not None and _stack_of(seen.content) == stack
    ]
    return sorted(states, key=lambda state: state.name)


def write(output: Files, states: Iterable[FileState], *, prune: bool) -> list[FileState]:
    """Makes the output what it should be, and returns the states that led to a change, in their order.

    Each file is replaced at once or not at all, and only while it is still what `compare` saw.

    Args:
        output: what was compared.
        states: what `compare` returned.
        prune: whether orphaned files are removed.

    Raises:
        HedgerowError: when a name is taken by a foreign file (nothing was written then), when a file has changed since
            it was compared, or when writing fails; the other files are done.
    """
    states = list(states)
    foreign = [state for state in states if state.kind is FileKind.FOREIGN]
    if foreign:
        raise HedgerowError(f"nothing was written: {_foreign(output, foreign)}", hint=_WAY_OUT)
    done, errors = [], []
    for state, error in attempt(output, states, prune=prune):
        if error is None:
            done.append(state)
        else:
            errors.append(error)
    if errors:
        raise errors[0]
    return done


def attempt(output: Files, states: Iterable[FileState], *, prune: bool) -> list[tuple[FileState, HedgerowError | None]]:
    """Does with each file what its state asks for, several at once, and returns what came of those that ask for any.

    Args:
        output: what was compared.
        states: what `compare` returned; a foreign file is an error of its own here.
        prune: whether orphaned files are removed.
    """
    kinds = {FileKind.NEW, FileKind.CHANGED, FileKind.FOREIGN, *([FileKind.ORPHANED] if prune else [])}
    due = [state for state in states if state.kind in kinds]
    for state in due:
        _refuse_path(state.name)
    if not due:
        return []
    with ThreadPoolExecutor(max_workers=_WRITERS) as pool:
        errors = list(pool.map(lambda state: _attempted(output, state), due))
    if not all(errors):
        output.settle()
    return list(zip(due, errors, strict=True))


def _attempted(output: Files, state: FileState) -> HedgerowError | None:
    try:
        if state.kind is FileKind.FOREIGN:
            return HedgerowError(_foreign(output, [state]), hint=_WAY_OUT)
        if state.wanted is not None:
            is_done = output.replace(state.name, state.wanted, state.seen)
        else:
            is_done = state.seen is not None and output.remove(state.name, state.seen)
    except HedgerowError as error:
        return error
    if is_done:
        return None
    message = f"`{output.place(state.name)}` has changed since it was compared; it was left alone"
    return HedgerowError(message, hint="run the command again")


def _foreign(output: Files, states: Iterable[FileState]) -> str:
    return f"{', '.join(f'`{output.place(state.name)}` ({state.reason})' for state in states)} would be overwritten"


def _state(output: Files, name: str, wanted: bytes, seen: Found | None, stack: str) -> FileState:
    if seen is None:
        return FileState(name=name, kind=FileKind.NEW, wanted=wanted)
    found = seen.content
    if found is None:
        return FileState(name=name, kind=FileKind.FOREIGN, wanted=wanted, reason="not a regular file", seen=seen)
    if found == wanted:
        return FileState(name=name, kind=FileKind.UNCHANGED, found=found, wanted=wanted, seen=seen)
    owner = _stack_of(found)
    if owner == stack:
        diff = _diff(output.place(name), found, wanted)
        return FileState(name=name, kind=FileKind.CHANGED, found=found, wanted=wanted, diff=diff, seen=seen)
    reason = "not generated by hedgerow" if owner is None else f"generated for stack `{owner}`"
    return FileState(name=name, kind=FileKind.FOREIGN, found=found, wanted=wanted, reason=reason, seen=seen)


def _refuse_path(name: str) -> None:
    """Refuses a file name that leads elsewhere.

    Raises:
        ValueError: for such a name, which the rules on publishers refuse.
    """
    if name in ("", "..") or PurePath(name).name != name:
        raise ValueError(f"{name!r} is not a file name")


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


def _diff(place: str, found: bytes, wanted: bytes) -> str:
    lines = difflib.unified_diff(
        found.decode(errors="replace").splitlines(),
        wanted.decode().splitlines(),
        fromfile=place,
        tofile=f"{place} (rendered)",
        lineterm="",
    )
    text = "".join(f"{line}\n" for line in lines)
    return text or f"{place} differs in white space at the end of lines or of the file only\n"
