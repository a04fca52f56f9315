"""Runs of the past as text and as JSON values."""

from __future__ import annotations

from typing import Any

from reconciler.reconcile import Entry, Recorded, Status, change_document
from reconciler.report.diagnostics import counted
from reconciler.report.run import policy_words

_MAY_HAVE = "no outcome was recorded: the write may or may not have happened"


def recorded_line(run: Recorded) -> str:
    """One line for a run: when it began, how it ended, how many changes ended how."""
    return f"{run.id}  {_state(run):10}  {_counts(run)}" + (f"; {run.stopped}" if run.stopped else "") + "\n"


def recorded_text(run: Recorded) -> str:
    """A run with every change that it wrote, or may have written."""
    source = run.plan.get("reverts") or run.plan.get("digest") or "an unknown plan"
    lines = [
        f"run {run.id} on {run.stack or 'an unknown stack'}, begun {run.begun_at or 'at some time'}, {_state(run)}",
        f"{'reverts' if 'reverts' in run.plan else 'plan'} {source}",
    ]
    width = max((len(str(entry.change.name)) for entry in run.entries), default=0)
    lines += [f"  {_line(entry, width)}" for entry in run.entries]
    lines += [f"  {outcome['status']:8} {topic}  {outcome['message']}" for topic, outcome in run.not_written.items()]
    lines.append(_counts(run))
    if run.stopped:
        lines.append(f"stopped early: {run.stopped}")
    return "".join(f"{line}\n" for line in lines)


def recorded_document(run: Recorded) -> dict[str, Any]:
    """A run as JSON values."""
    return {
        "run": run.id,
        "stack": run.stack,
        "begunAt": run.begun_at,
        "endedAt": run.ended_at,
        "stopped": run.stopped,
        "plan": dict(run.plan),
        "planned": run.planned,
        "changes": [
            {
                **change_document(entry.change),
                "status": entry.status and str(entry.status),
                "found": entry.found and entry.found.to_json(),
                "message": entry.message if entry.status else _MAY_HAVE,
            }
            for entry in run.entries
        ],
        "notWritten": [
            {"topic": topic, "status": outcome["status"], "message": outcome["message"]}
            for topic, outcome in run.not_written.items()
        ],
    }


def _state(run: Recorded) -> str:
    if run.ended_at is None:
        return "not ended"
    return "stopped" if run.stopped else "ended"


def _counts(run: Recorded) -> str:
    parts = [f"{run.count(status):,} {status}" for status in Status if run.count(status)]
    unknown = run.count(None)
    parts += [f"{unknown:,} that may have been made"] * bool(unknown)
    parts += [f"{len(run.not_written):,} not written"] * bool(run.not_written)
    return f"{counted(run.planned, 'change')}: {', '.join(parts) or 'none begun'}" if run.planned else "no changes"


def _line(entry: Entry, width: int) -> str:
    change = entry.change
    what = f"{policy_words(change.before)} -> {policy_words(change.after)}"
    message = entry.message if entry.status else _MAY_HAVE
    ending = f"   {message}" if message else ""
    return f"{entry.status or 'unknown':8} {change.name!s:{width}}  {change.resolution:9}  {what}{ending}"
