"""`python -m benchmarks.floor STACK`: reads, parses and validates a stack's files, and does nothing with them.

What no check of the same files can be faster than, with the same libraries: every spec file through `yaml-rs`, then
`jsonschema-rs`.
"""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema_rs
import yaml_rs


def main(stack: Path) -> int:
    """0 when all files fit the schema."""
    text = files("reconciler.spec").joinpath("schemas/fleet.schema.json").read_text("utf-8")
    validator = jsonschema_rs.validator_for(json.loads(text))
    for path in stack.glob("*/*.yaml"):
        value: Any = yaml_rs.loads(path.read_text("utf-8"), parse_datetime=False)
        if not validator.is_valid(value):
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
