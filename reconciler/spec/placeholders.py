"""Placeholders: `{key}` of a `forEach`, and those that nothing fills in."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from reconciler.model import Origin

_FILLED = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_BRACED = re.compile(r"\{(?:\{.*?\}\}|[A-Za-z_][A-Za-z0-9_.]*\})")
_DOLLAR = re.compile(r"\$(?:\{[^}]*\}|[A-Za-z_][A-Za-z0-9_]*)")
_UNRESOLVED = re.compile(f"{_BRACED.pattern}|{_DOLLAR.pattern}")

VERBATIM = frozenset({"messageTransforms", "matchGlob"})
"""Keys whose texts are programs and patterns, in which braces and dollars mean something else."""


def expand(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The entries that an entry with `forEach` stands for: one for each combination of its values."""
    keys = entry["forEach"]
    rest = {key: value for key, value in entry.items() if key != "forEach"}
    for values in itertools.product(*keys.values()):
        filled = dict(zip(keys, values, strict=True))
        yield {key: value if key in VERBATIM else _fill(value, filled) for key, value in rest.items()}


def _fill(value: Any, filled: Mapping[str, str]) -> Any:
    match value:
        case str():
            return _FILLED.sub(lambda match: filled.get(match[1], match[0]), value)
        case dict():
            return {key: item if key in VERBATIM else _fill(item, filled) for key, item in value.items()}
        case list():
            return [_fill(item, filled) for item in value]
        case _:
            return value


def may_hold_placeholders(text: str) -> bool:
    """Whether a file's text may hold a placeholder; false means that no value in it needs a look.

    A backslash may spell one in a quoted text.
    """
    # Two searches, each for one first character, are many times faster than one for either.
    return "\\" in text or _BRACED.search(text) is not None or _DOLLAR.search(text) is not None


def unresolved(value: Any, origin: Origin) -> Iterator[tuple[Origin, str]]:
    """Every placeholder that is left in the texts of a value, and where."""
    match value:
        case str():
            for match in _UNRESOLVED.finditer(value):
                yield origin, match[0]
        case dict():
            for key, item in value.items():
                if key not in VERBATIM:
                    yield from unresolved(item, origin.at(key))
        case list():
            for index, item in enumerate(value):
                yield from unresolved(item, origin.at(index))
