"""Journals read back: what a run did, and what it may have done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reconciler.apply.store import Store
from reconciler.errors import HedgerowError, UsageError
from reconciler.model import StoragePolicy
from reconciler.reconcile import Change, Status, read_change


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


def read_run(store: Store, run: str) -> Recorded:
    """Reads the journal of a run.

    Raises:
        HedgerowError: when there is none, or it cannot be read.
    """
    records = store.read_log(run)
    if records is None:
        raise HedgerowError(f"there is no journal of {run} in {store.address}", hint="see `hedgerow runs list`")
    try:
        return _recorded(run, [json.loads(record) for record in records])
    except (KeyError, TypeError, ValueError) as error:
        raise HedgerowError(
            f"the journal of {run} in {store.address} cannot be understood: {type(error).__name__}: {error}"
        ) from error


def find_run(store: Store, name: str) -> str:
    """The id of the run that a user means: all of it, or its end.

    Raises:
        UsageError: when none or several have it.
    """
    names = store.log_names()
    found = [run for run in names if run == name] or [run for run in names if run.endswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"`{name}` is the end of {len(found)} runs", hint=f"name one of: {', '.join(found[-5:])}")
    raise UsageError(f"there is no run `{name}` in {store.address}", hint="see `hedgerow runs list`")


def _recorded(run: str, records: list[Mapping[str, Any]]) -> Recorded:
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
