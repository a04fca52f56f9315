"""The way back from a run, as text and as JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reconciler.model import TopicName
from reconciler.reconcile import Hold, Reversal, Why, change_document
from reconciler.report.run import policy_words

_MARKS = {Why.NOT_EVALUATED: "?", Why.NOT_ALLOWED: "!"}


def reversal_text(reversal: Reversal, holds: Mapping[TopicName, Hold]) -> str:
    """Each topic that the run wrote: what it is set back to, or why it stays as it is."""
    lines = {}
    for change in reversal.changes:
        hold = holds.get(change.name)
        mark, note = (".", f"   held: {hold.code}") if hold else ("~", "   widening" * change.widening)
        lines[change.name] = f"  {mark} {change.name}  back to {policy_words(change.after)}{note}"
    for stay in reversal.stays:
        lines[stay.name] = f"  {_MARKS.get(stay.why, '.')} {stay.name}  stays: {stay.reason}"
    return "".join(f"{lines[name]}\n" for name in sorted(lines))


def reversal_document(reversal: Reversal, holds: Mapping[TopicName, Hold], *, run: str) -> dict[str, Any]:
    """The same as JSON values."""
    return {
        "formatVersion": "1",
        "reverts": run,
        "changes": [change_document(change) for change in reversal.changes if change.name not in holds],
        "held": [
            {**change_document(change), "hold": {"code": hold.code, "reason": hold.reason, "hint": hold.hint}}
            for change in reversal.changes
            if (hold := holds.get(change.name))
        ],
        "stays": [{"topic": str(stay.name), "why": str(stay.why), "reason": stay.reason} for stay in reversal.stays],
    }
