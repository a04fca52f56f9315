"""Canonical JSON of values, and digests over it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping
from datetime import date, timedelta
from functools import cache
from json.encoder import encode_basestring
from operator import itemgetter
from typing import Any, cast

from reconciler.model.names import TopicName
from reconciler.model.regions import RegionSet
from reconciler.model.topics import Origin


def canonical_json(value: Any) -> bytes:
    """The one JSON form of a JSON-like value: sorted keys, no spaces, UTF-8.

    Raises:
        ValueError: for NaN and infinities, which JSON does not have.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def digest(value: Any) -> str:
    """`sha256:...` over a value's canonical form; of a JSON value, over its `canonical_json`.

    Dataclasses count as objects with their type's name; `Origin` fields do not count (moving an entry changes nothing),
    nor do fields that take no part in comparison. NaN counts as the text `nan`.
    """
    return f"sha256:{hashlib.sha256(_encode(value, {}).encode()).hexdigest()}"


def json_digest(value: Any) -> str:
    """The `digest` of a value that is JSON through and through, at a third of its cost: a plan has megabytes."""
    return f"sha256:{hashlib.sha256(canonical_json(value)).hexdigest()}"


def _encode(value: Any, seen: dict[int, str]) -> str:
    """The canonical JSON of a value, built as text: a fleet has too many small values to copy them first.

    `seen` holds the text of what was met as a field before, by identity: most topics share their policy, labels and
    resolutions.
    """
    if isinstance(value, str):
        return encode_basestring(value)
    kind: Any = type(value)
    if layout := _layout(kind):
        opening, keys = layout
        fields = [f"{key}{_encode_field(getattr(value, name), seen)}" for key, name in keys]
        return f"{opening}{','.join(fields)}}}"
    match value:
        case None | bool() | int():
            return json.dumps(value)
        case TopicName():
            return encode_basestring(str(value))
        case RegionSet():
            names = ",".join(map(encode_basestring, sorted(value.names)))
            return f'{{"{"but" if value.complement else "regions"}":[{names}]}}'
        case Origin():
            return "null"
        case date():
            return f'"{value.isoformat()}"'
        case list() | tuple():
            return f"[{','.join([_encode(item, seen) for item in value])}]"
        case Mapping():
            items = sorted(((str(key), item) for key, item in value.items()), key=itemgetter(0))
            return f"{{{','.join([f'{encode_basestring(key)}:{_encode(item, seen)}' for key, item in items])}}}"
        case timedelta():
            return f'"{value / timedelta(microseconds=1):.0f}us"'
        case float():
            return json.dumps(value if math.isfinite(value) else str(value))
        case _:
            raise TypeError(f"{type(value).__name__} has no canonical form")


def _encode_field(value: Any, seen: dict[int, str]) -> str:
    if isinstance(value, TopicName | str):
        return _encode(value, seen)
    text = seen.get(id(value))
    if text is None:
        text = seen[id(value)] = _encode(value, seen)
    return text


@cache
def _layout(kind: Any) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """How a dataclass is written: its opening with its type's name, then each field's key as JSON and its name.

    `None` for what is no dataclass, or has a form of its own.
    """
    if kind in (TopicName, RegionSet, Origin) or not dataclasses.is_dataclass(kind):
        return None
    names = sorted(field.name for field in dataclasses.fields(kind) if field.compare)
    opening = f'{{"type":"{cast(type, kind).__name__}"' + ("," if names else "")
    return opening, tuple((f"{encode_basestring(name)}:", name) for name in names)
