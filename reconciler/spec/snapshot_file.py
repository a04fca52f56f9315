"""A captured snapshot as a file: sorted, a resource a line, a value a line, so that a change reads well in a review."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from reconciler.spec.files import read_document
from reconciler.spec.problems import Problems

_HEAD = "# Captured by `hedgerow policy snapshot`, which keeps `valueGroups` and writes everything else anew.\n"


def renewed_snapshot(captured: Mapping[str, Any], before: Path | None) -> dict[str, Any]:
    """A captured body, made to replace a file.

    Hand-written `valueGroups` are kept, and so is `capturedAt` where nothing else changed: capturing twice gives equal
    bytes.

    Args:
        captured: a whole body, with the time of capture.
        before: the file of before; `None` or an unreadable one counts as none.
    """
    document = read_document(before, str(before), Problems()) if before is not None and before.is_file() else None
    old = document.body if document is not None else {}
    body = {**captured, **({"valueGroups": old["valueGroups"]} if old.get("valueGroups") else {})}
    if "capturedAt" in old and _content(old) == _content(body):
        body["capturedAt"] = old["capturedAt"]
    return body


def snapshot_text(body: Mapping[str, Any]) -> str:
    """The YAML of a snapshot's body, in the order of the format's description."""
    parts = [_HEAD, "apiVersion: hedgerow/v1\n", f"organization: {body['organization']}\n"]
    if "capturedAt" in body:
        parts.append(f"capturedAt: {body['capturedAt']}\n")
    parts += ["resources:\n", *(f"  - {_flow(resource)}\n" for resource in body["resources"])]
    for key in ("policies", "effective"):
        if body.get(key):
            parts += [f"{key}:\n", _block(body[key])]
    for key in ("tagKeys", "valueGroups"):
        if body.get(key):
            parts += [f"{key}:\n", *(f"  {_flow(name)}: {_flow(entry)}\n" for name, entry in sorted(body[key].items()))]
    return "".join(parts)


def _content(body: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key not in ("$schema", "apiVersion", "capturedAt") and value}


def _flow(value: Any) -> str:
    """A value on one line. PyYAML ends a lone text with a document marker, which is cut."""
    text: str = yaml.dump(
        value, Dumper=yaml.CSafeDumper, default_flow_style=True, sort_keys=False, allow_unicode=True, width=2**30
    )
    return text.removesuffix("...\n").strip()


def _block(values: list[Any]) -> str:
    """A list with every value on a line of its own, indented."""
    text: str = yaml.dump(
        values, Dumper=yaml.CSafeDumper, default_flow_style=False, sort_keys=False, allow_unicode=True, width=2**30
    )
    return "".join(f"  {line}\n" for line in text.splitlines())
