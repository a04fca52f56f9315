"""`defaults`: what entries take from their file and from the folders above it.

A file's defaults hold for the entries of that file and for all entries in files of folders *below* the file's folder;
never for other files of the same folder. The nearest wins, key by key; the mappings in `MERGED` are put over each other
entry by entry, everything else is taken whole. Two files of one folder that give a key different values for the folders
below are an error, since neither is nearer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reconciler.model import Origin
from reconciler.spec.files import Document
from reconciler.spec.problems import Problems

MERGED = frozenset({"labels", "resolutions", "retry", "batching", "flowControl"})

_Steps = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The defaults that hold somewhere: values by key, and where each was written.

    The origin of a merged mapping is the nearest one; those of its entries are there too, as `retry.totalTimeout`.
    `merged` are the keys of `values` that are such mappings.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    merged: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "merged", MERGED & self.values.keys())

    def over(self, values: Mapping[str, Any], origin: Origin) -> Scope:
        """These defaults with nearer ones put over them."""
        if not values:
            return self
        merged = dict(self.values)
        for key, value in values.items():
            merged[key] = {**merged.get(key, {}), **value} if key in MERGED else value
        origins = {**self.origins, **{key: origin.at(key) for key in values}}
        for key in MERGED & values.keys():
            origins |= {f"{key}.{part}": origin.at(key, part) for part in values[key]}
        return Scope(values=merged, origins=origins)

    def get(self, key: str, entry: Mapping[str, Any]) -> Any:
        """An entry's value for a key, else the default; merged mappings together."""
        if key not in entry:
            return self.values.get(key)
        if key in MERGED and key in self.values:
            return {**self.values[key], **entry[key]}
        return entry[key]

    def applied(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """All of an entry's values with the defaults for what it lacks, as `get` has them one by one."""
        values = {**self.values, **entry}
        for key in self.merged:
            if key in entry:
                values[key] = {**self.values[key], **entry[key]}
        return values

    def origin(self, key: str, entry: Mapping[str, Any], origin: Origin) -> Origin:
        """Where the value for a key was written, if it was: in the entry at `origin`, else in the defaults."""
        return origin.at(key) if key in entry else self.origins.get(key, origin)

    def origins_of(self, *keys: str) -> Iterator[tuple[str, Origin]]:
        """Where the values for keys, and the entries of those that are merged mappings, were written."""
        for name, origin in self.origins.items():
            if name.partition(".")[0] in keys:
                yield name, origin


NO_DEFAULTS = Scope()


def scopes(documents: Mapping[str, Document], problems: Problems) -> dict[str, Scope]:
    """The defaults that hold in each file; files are named by their path in the stack's folder.

    Notes conflicts, and defaults that reach no entry.
    """
    by_folder: dict[_Steps, list[tuple[str, Document]]] = {}
    for path, document in documents.items():
        by_folder.setdefault(tuple(path.split("/")[:-1]), []).append((path, document))
    inherited: dict[_Steps, Scope] = {(): NO_DEFAULTS}
    for folder in sorted({steps[:depth] for steps in by_folder for depth in range(1, len(steps) + 1)}):
        above = folder[:-1]
        inherited[folder] = _together(inherited[above], (d for _, d in by_folder.get(above, ())), problems)
    found: dict[str, Scope] = {}
    for folder, members in by_folder.items():
        has_below = any(other[: len(folder)] == folder and other != folder for other in by_folder)
        for path, document in members:
            defaults = document.body.get("defaults", {})
            found[path] = inherited[folder].over(defaults, Origin(document.file, ("defaults",)))
            if defaults and not has_below and not ({"topics", "publishers"} & document.body.keys()):
                problems.warning(
                    "defaults-unused",
                    Origin(document.file, ("defaults",)),
                    "these defaults reach no entry: there is none in this file, and no folder below it",
                    hint="move the file to the folder above, or the defaults to where the entries are",
                )
    return found


def _together(above: Scope, documents: Iterable[Document], problems: Problems) -> Scope:
    """The defaults for a folder: those of all files of the folder above it, over those for that folder."""
    scope = above
    seen: dict[tuple[str, ...], tuple[Any, Origin]] = {}
    for document in documents:
        defaults, origin = document.body.get("defaults", {}), Origin(document.file, ("defaults",))
        for path, value in _settings(defaults):
            before, first = seen.setdefault(path, (value, origin.at(*path)))
            if before != value:
                message = f"two files of this folder give the folders below different defaults for `{'.'.join(path)}`"
                problems.error("defaults-conflict", origin.at(*path), message, hint="keep one of them", first=first)
        scope = scope.over(defaults, origin)
    return scope


def _settings(defaults: Mapping[str, Any]) -> Iterable[tuple[tuple[str, ...], Any]]:
    """Every default that can be given on its own."""
    for key, value in defaults.items():
        if key in MERGED:
            yield from (((key, part), item) for part, item in value.items())
        else:
            yield (key,), value
