"""The JSON Schemas of spec files, and whether a value fits one.

`jsonschema-rs` decides, because it is fast; what it refuses, `reconciler.spec.explain` puts into words.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema_rs

SCHEMAS = ("stack", "fleet", "organization")
"""The names of the schemas of what people write: `stack.yaml`, every other file of a stack, a snapshot."""


def schema_text(name: str) -> str:
    """The JSON text of a schema, as shipped."""
    return files("reconciler.spec").joinpath(f"schemas/{name}.schema.json").read_text("utf-8")


@cache
def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a name in `SCHEMAS`."""
    body: dict[str, Any] = json.loads(schema_text(name))
    return body


@cache
def _validator(name: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(schema(name))


def fits(name: str, value: Any) -> bool:
    """Whether a value fits a schema. One that holds NaN or an infinity never does."""
    return _validator(name).is_valid(value)
