"""The JSON Schemas of what reports write and read."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema_rs

SCHEMAS = ("baseline", "findings", "guard", "plan", "pulumi-drift")
"""The names of the schemas: a baseline file, a saved plan, and the JSON of `check`, `guard` and `pulumi drift`."""


def schema_text(name: str) -> str:
    """The JSON text of a schema, as shipped."""
    return files("reconciler.report").joinpath(f"schemas/{name}.schema.json").read_text("utf-8")


@cache
def _validator(name: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(json.loads(schema_text(name)))


def fits(name: str, value: Any) -> bool:
    """Whether a value fits a schema."""
    return _validator(name).is_valid(value)
