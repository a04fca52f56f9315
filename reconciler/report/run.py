"""A run as text and as JSON values: waves as they end, what failed, and a summary."""

from __future__ import annotations

from typing import Any

from reconciler.model import StoragePolicy
from reconciler.reconcile import Outcome, Run, Status, Wave, change_document
from reconciler.report.diagnostics import counted

_SHOWN = 20
"""Made changes that text lists; the journal and JSON have all."""


def wave_text(wave: Wave, number_of_waves: int) -> str:
    """One line for a wave that has ended."""
    failures = [
        f"{wave.count(status):,} {status}" for status in Status if status is not Status.MADE and wave.count(status)
    ]
    result = ", ".join(failures) or "ok"
    changes = counted(len(wave.outcomes), "change")
    return f"wave {wave.number} of {number_of_waves}   {changes:14} {result:20} {wave.seconds:.1f} s"


def run_text(run: Run) -> str:
    """A line for each change; of those that were made, the first few."""
    made = [outcome for outcome in run.outcomes if outcome.status is Status.MADE]
    troubled = [outcome for outcome in run.outcomes if outcome.status in (Status.FAILED, Status.STALE)]
    width = max((len(str(outcome.change.name)) for outcome in [*made[:_SHOWN], *troubled]), default=0)
    lines = [
        f"  made    {o.change.name!s:{width}}  {o.change.resolution:9}  {policy_words(o.found)}" for o in made[:_SHOWN]
    ]
    if len(made) > _SHOWN:
        lines.append(f"  made    {counted(len(made) - _SHOWN, 'change')} more, all in the journal")
    lines += [f"  {o.status:8}{o.change.name!s:{width}}  {o.message}" for o in troubled]
    return "".join(f"{line}\n" for line in lines)


def policy_words(policy: StoragePolicy | None) -> str:
    """A storage policy in words, a long list of regions cut."""
    if policy is None:
        return "no storage policy"
    names = list(policy.regions)
    shown = names if len(names) <= 5 else names[:4]
    more = "" if shown is names else f" and {len(names) - 4} more"
    return ", ".join(shown) + more + ", enforced in transit" * policy.enforce_in_transit


def run_summary(run: Run, *, undo: str | None = None) -> list[str]:
    """How many changes were made, where it is recorded, and the command that leads back, if anything was made."""
    counts = ", ".join(f"{run.count(status):,} {status}" for status in Status if run.count(status))
    total = counted(len(run.outcomes), "change")
    verified = "; verified by reading back" if run.count(Status.MADE) else ""
    lines = [f"{total}: {counts}{verified}" if run.outcomes else "nothing to change"]
    if run.stopped:
        lines.append(f"stopped early: {run.stopped}")
    made = run.count(Status.MADE)
    lines.append(f"journal {run.journal}" + (f"     undo: {undo}" if undo and made else ""))
    return lines


def run_document(run: Run) -> dict[str, Any]:
    """A run as JSON values."""
    return {
        "run": run.id,
        "journal": run.journal,
        "stopped": run.stopped,
        "counts": {str(status): run.count(status) for status in Status},
        "outcomes": [_outcome(outcome) for outcome in run.outcomes],
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        **change_document(outcome.change),
        "status": str(outcome.status),
        "found": outcome.found and outcome.found.to_json(),
        "message": outcome.message,
    }
