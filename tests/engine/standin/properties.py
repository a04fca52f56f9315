"""Properties between protobuf structs and plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.struct_pb2 import Struct

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""What stands for a value that only the real run will know (`pulumi.runtime.rpc.UNKNOWN`)."""

DEFAULTS = "__defaults"
"""Under this key the bridge lists, in each object, which inputs it has filled in."""


def plain(struct: Struct) -> dict[str, Any]:
    """A struct's values. Numbers are floats."""
    return MessageToDict(struct)


def struct(values: Mapping[str, Any]) -> Struct:
    """The struct of plain values."""
    made = Struct()
    made.update(values)
    return made


def public(value: Any) -> Any:
    """A value without the bridge's own keys, at any depth."""
    match value:
        case dict():
            return {key: public(inner) for key, inner in value.items() if not key.startswith("__")}
        case list():
            return [public(inner) for inner in value]
    return value
