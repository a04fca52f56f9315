"""What is left of a spec file without what does not fit its schema, so that the rest can still be checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reconciler.spec.wording import Failure

_IDENTIFYING = frozenset({"name", "project", "forEach", "service", "topics"})
"""Keys without which nothing more can be said about an entry."""


def remainder(body: Mapping[str, Any], failures: Iterable[Failure]) -> dict[str, Any]:
    """A file's mapping without its failures; it fits the schema.

    An entry that cannot be checked further is `None`, so that the others keep their indexes.
    """
    rest: dict[str, Any] = {
        key: list(part) if isinstance(part, list) else dict(part) if isinstance(part, dict) else part
        for key, part in body.items()
    }
    for failure in failures:
        unknown = failure.keyword == "additionalProperties"
        known = failure.rule.get("properties", {})
        match failure.path:
            case () if unknown:
                rest = {key: part for key, part in rest.items() if key in known}
            case ():
                return {}
            case ("defaults" | "hedgingProfiles" as part, str(key), *_) if part in rest:
                rest[part].pop(key, None)
            case ("defaults",) if unknown and "defaults" in rest:
                rest["defaults"] = {key: value for key, value in rest["defaults"].items() if key in known}
            case ("topics", int(index)) if unknown and rest.get("topics", [])[index] is not None:
                entry = rest["topics"][index]
                rest["topics"][index] = {key: value for key, value in entry.items() if key in known}
            case ("topics", int(index), str(key), *_) if key not in _IDENTIFYING and rest["topics"][index] is not None:
                rest["topics"][index] = {name: value for name, value in rest["topics"][index].items() if name != key}
            case ("topics" | "publishers" | "exemptions" as part, int(index), *_) if part in rest:
                rest[part][index] = None
            case (str(part), *_):
                rest.pop(part, None)
    return rest
