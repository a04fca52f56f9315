"""Which topics a program would take over and what that changes, as text and as a JSON document."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from reconciler.preview import Adoption, FieldChange

_SHOWN = 60


def adoption_text(found: Mapping[str, Sequence[Adoption]]) -> str:
    """One line for each topic, by Pulumi stack, and one for each field that the import would change."""
    lines: list[str] = []
    for name, adoptions in found.items():
        if adoptions:
            lines.append(name)
        for one in adoptions:
            lines.append(f"  = {one.topic}" + ("" if one.changes else "  as declared"))
            lines += [f"      {_change(change)}" for change in one.changes]
    return "".join(f"{line}\n" for line in lines)


def adoption_document(stack: str, found: Mapping[str, Sequence[Adoption]]) -> dict[str, Any]:
    """The same as JSON values, nothing cut."""
    return {
        "formatVersion": "1",
        "stack": stack,
        "adoptions": [
            {
                "topic": str(one.topic),
                "pulumiStack": name,
                "changes": [
                    {
                        "property": change.field,
                        "live": change.live,
                        "declared": change.declared,
                        "replaces": change.replaces,
                    }
                    for change in one.changes
                ],
            }
            for name, adoptions in found.items()
            for one in adoptions
        ],
    }


def _change(change: FieldChange) -> str:
    if change.replaces:
        return f"! {change.field}: {_short(change.declared)} would replace the topic; tag it by a tag binding instead"
    if change.declared is None:
        return f"- {change.field}: {_short(change.live)} would be taken away"
    return f"~ {change.field}: {_short(change.live)} -> {_short(change.declared)}"


def _short(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, dict) and "allowedPersistenceRegions" in value:
        flag = ", enforced in transit" if value["enforceInTransit"] else ""
        return f"{', '.join(value['allowedPersistenceRegions']) or 'no region'}{flag}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
