"""What a generated file of a service says, and what differs between the last good one and the one that replaces it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_LOCATIONAL = re.compile(r"(?P<region>.+)-pubsub\.googleapis\.com:443")
_BOOKKEEPING = ("source", "specDigest")
"""Follows from every other difference, or from an edit that changes no setting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that is not as it was.

    Attributes:
        topic: the topic's full name; `None` for what concerns the whole service.
        path: the keys that lead there, from the topic or the document; empty where the topic itself came or went.
        before: the old value, as JSON has it; `None` for none.
        after: the new one.
    """

    topic: str | None
    path: tuple[str, ...]
    before: Any
    after: Any


def differences(before: bytes, after: bytes) -> tuple[Difference, ...]:
    """What differs between two documents of a service, in the order of topics and keys.

    Empty where they say the same in other words, and where only the spec's digest differs: an edit without effect on
    any setting. A former document that cannot be read differs in everything.
    """
    old, new = _parsed(before), _parsed(after)
    found = [
        Difference(topic=None, path=path, before=one, after=other)
        for path, one, other in _differing(_without_topics(old), _without_topics(new), ())
        if path != _BOOKKEEPING
    ]
    topics = old.get("topics", {}), new.get("topics", {})
    for topic, one, other in _by_key(*topics):
        if one is None or other is None:
            found.append(Difference(topic=topic, path=(), before=one, after=other))
        else:
            found += [
                Difference(topic=topic, path=path, before=was, after=now)
                for path, was, now in _differing(one, other, ())
            ]
    return tuple(found)


def endpoint_region(address: str) -> str | None:
    """The region of a locational endpoint's address; `None` for the global one, and for any other."""
    match = _LOCATIONAL.fullmatch(address)
    return match["region"] if match else None


def regions_in(document: bytes) -> dict[str, str]:
    """Through which region a document publishes to each topic, by full name; without those that go the global way."""
    topics = _parsed(document).get("topics", {})
    found = {name: endpoint_region(str(topic.get("endpoint"))) for name, topic in topics.items()}
    return {name: region for name, region in found.items() if region is not None}


def _parsed(document: bytes) -> Mapping[str, Any]:
    try:
        body = json.loads(document)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _without_topics(body: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key != "topics"}


def _differing(old: Any, new: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Where two values differ: inside, where both have keys; else as a whole."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key, one, other in _by_key(old, new):
            yield from _differing(one, other, (*path, key))
    elif old != new:
        yield path, old, new


def _by_key(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for key in sorted(old.keys() | new.keys()):
        yield key, old.get(key), new.get(key)
