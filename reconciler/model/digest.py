"""Canonical JSON of values, and digests over it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

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
    """`sha256:...` over a value's canonical form.

    Dataclasses count as objects with their type's name; `Origin` fields do not count (moving an entry changes nothing),
    nor do fields that take no part in comparison. NaN counts as the text `nan`.
    """
    return f"sha256:{hashlib.sha256(canonical_json(_plain(value))).hexdigest()}"


def _plain(value: Any) -> Any:
    match value:
        case TopicName():
            return str(value)
        case RegionSet():
            return {"but" if value.complement else "regions": sorted(value.names)}
        case Origin():
            return None
        case date():
            return value.isoformat()
        case timedelta():
            return f"{value / timedelta(microseconds=1):.0f}us"
        case _ if dataclasses.is_dataclass(value):
            fields = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value) if f.compare}
            return {"type": type(value).__name__, **fields}
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case float() if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124
            return str(value)
        case _:
            return value
