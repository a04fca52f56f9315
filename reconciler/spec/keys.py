"""What somebody meant who wrote a key that is not known: the right spelling, or where the key belongs."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from reconciler.spec.schema import SCHEMAS, schema

_FILES = {"stack": "`stack.yaml`", "fleet": "a spec file", "organization": "a policy snapshot"}

_MEANT = {
    "regions": "allowedPersistenceRegions",
    "kmsKey": "kmsKeyName",
    "profiles": "hedgingProfiles",
    "delay": "hedgeDelay",
}
"""Other tools' words, and slips that no likeness of letters would find."""


@lru_cache(maxsize=1024)
def advise(name: str, key: str, known: tuple[str, ...]) -> str:
    """What to write instead of `key`, where a file of schema `name` has a mapping that knows only the keys `known`.

    Tried in this order: the same word in another spelling, another tool's word for it, a very similar word here, a
    place where the key is known, a similar word here, a similar word elsewhere; else the keys that are known here.
    """
    if key == "<<":
        return "merge keys are not read; use `defaults`, or write the values out"
    spelled = {_plain(candidate): candidate for candidate in known}
    if _plain(key) in spelled:
        return f"write `{spelled[_plain(key)]}`"
    if _MEANT.get(key) in known:
        return f"write `{_MEANT[key]}`"
    if close := difflib.get_close_matches(_plain(key), list(spelled), n=1, cutoff=0.85):
        return f"write `{spelled[close[0]]}`"
    if places := [place for candidate, place in _everywhere(name) if candidate == key]:
        return f"`{key}` belongs {places[0]}"
    if close := difflib.get_close_matches(_plain(key), list(spelled), n=1, cutoff=0.7):
        return f"write `{spelled[close[0]]}`"
    nearby = {_plain(candidate): (candidate, place) for candidate, place in reversed(_in_file(name))}
    if close := difflib.get_close_matches(_plain(key), list(nearby), n=1, cutoff=0.8):
        candidate, place = nearby[close[0]]
        return f"write `{candidate}`, which belongs {place}"
    listed = ", ".join(f"`{candidate}`" for candidate in known if candidate != "$schema")
    return f"known here: {listed}" if listed else "nothing belongs here"


def _plain(key: str) -> str:
    return key.replace("_", "").replace("-", "").lower()


@cache
def _in_file(name: str) -> list[tuple[str, str]]:
    """All keys of one kind of file with where they belong, the outermost first."""
    found = sorted(_keys(schema(name), schema(name), ()), key=lambda item: len(item[1]))
    return [(key, f"in `{path[-1]}`" if path else "at the top of the file") for key, path in found]


@cache
def _everywhere(name: str) -> list[tuple[str, str]]:
    """The keys of this kind of file, and then those of the others."""
    others = [other for other in SCHEMAS if other != name]
    return _in_file(name) + [
        (key, f"in {_FILES[other]}" + (f", {place}" if place.startswith("in ") else ""))
        for other in others
        for key, place in _in_file(other)
    ]


def _keys(root: dict[str, Any], part: Any, path: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every property of a schema with the named properties that lead to it."""
    if not isinstance(part, dict) or len(path) > 6:
        return
    if "$ref" in part:
        target = root["$defs"][part["$ref"].rpartition("/")[2]]
        yield from _keys(root, target, path)
    for key, below in part.get("properties", {}).items():
        yield key, path
        yield from _keys(root, below, (*path, key))
    for keyword in ("items", "additionalProperties", "else"):
        yield from _keys(root, part.get(keyword), path)
