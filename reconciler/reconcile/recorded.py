"""A run as its journal tells it: what it did, and what it may have done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reconciler.model import StoragePolicy
from reconciler.reconcile.outcome import Status
from reconciler.reconcile.resolve import Change
from reconciler.reconcile.saved import read_change


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One change that a run was about to write.

    Attributes:
        status: `None` where no outcome was recorded: the write may or may not have happened.
        found: the policy read back, where one was.
    """

    change: Change
    status: Status | None
    found: StoragePolicy | None = None
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A run as its journal tells it.

    Attributes:
        begun_at: ISO 8601, UTC.
        ended_at: `None` where the run crashed, or is still under way.
        plan: what the run was computed from.
        planned: how many changes it was about to make.
        entries: those that it came to write, in the order of its intents.
        not_written: outcomes of changes that were never sent, by topic: stale ones, mostly.
        stopped: why it ended early, if it did.
    """

    id: str
    stack: str
    begun_at: str
    ended_at: str | None
    plan: Mapping[str, Any]
    planned: int
    entries: tuple[Entry, ...]
    not_written: Mapping[str, Mapping[str, Any]]
    stopped: str | None

    def count(self, status: Status | None) -> int:
        """How many of the changes that were written, or may have been, ended like this."""
        return sum(entry.status is status for entry in self.entries)


def recorded(run: str, records: Sequence[Mapping[str, Any]]) -> Recorded:
    """A run from its journal's records, in order; a crash may have cut them off anywhere.

    Raises:
        InvalidInput, KeyError, TypeError, ValueError: for records that no journal holds.
    """
    begin: Mapping[str, Any] = next((r for r in records if r["event"] == "begin"), {})
    end: Mapping[str, Any] = next((r for r in records if r["event"] == "end"), {})
    outcomes = {r["topic"]: r for r in records if r["event"] == "outcome"}
    entries = [_entry(r, outcomes.pop(r["topic"], None)) for r in records if r["event"] == "intent"]
    return Recorded(
        id=run,
        stack=begin.get("stack", ""),
        begun_at=begin.get("at", ""),
        ended_at=end.get("at"),
        plan=begin.get("plan", {}),
        planned=begin.get("changes", len(entries)),
        entries=tuple(entries),
        not_written=outcomes,
        stopped=end.get("stopped"),
    )


def _entry(intent: Mapping[str, Any], outcome: Mapping[str, Any] | None) -> Entry:
    change = read_change(intent)
    if outcome is None:
        return Entry(change=change, status=None)
    return Entry(
        change=change,
        status=Status(outcome["status"]),
        found=StoragePolicy.from_json(outcome["found"]),
        message=outcome["message"],
    )
