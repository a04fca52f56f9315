"""Journals held against what the sandbox saw: what runs say they did, and what they did."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tests.nights.warden import Edit, Sent, Warden, records

SLACK = timedelta(seconds=1)
"""Between what others do and what they say of it."""


def discrepancies(warden: Warden, killed: Collection[str] = ()) -> list[str]:
    """Where the journals and the writes that arrived differ; nothing, if runs tell the truth.

    - A write has an intent before it: the warden looked when it arrived.
    - `made` means that a write was carried out (or that somebody else wrote just this while our answer was missing),
      and `skipped`, or a change without an intent, that none was.
    - An intent without an outcome means that the process was killed (`killed` has those runs), and nothing else.
    """
    found = []
    for path in sorted(warden.journals.glob("*/*.jsonl")):
        of_run = [sent for sent in warden.sent if sent.run == path.stem]
        journal = records(path)
        theirs = _made_by_others(journal, warden.edits)
        found += [f"{path.stem}: {what}" for what in _in(journal, of_run, theirs, is_killed=path.stem in killed)]
    return found


def made_while_in_doubt(warden: Warden) -> list[str]:
    """Changes that runs told to be made, while the write that was carried out was somebody else's."""
    found = []
    for path in sorted(warden.journals.glob("*/*.jsonl")):
        carried_out = {sent.topic for sent in warden.sent if sent.run == path.stem and sent.carried_out}
        outcomes = [record for record in records(path) if record["event"] == "outcome"]
        found += [
            f"{path.stem}: {record['topic']}"
            for record in outcomes
            if record["status"] == "made" and record["topic"] not in carried_out
        ]
    return found


def _made_by_others(journal: list[dict[str, Any]], edits: list[Edit]) -> set[str]:
    """Topics to which somebody else wrote what the run was about to write, between its intent and its outcome."""
    intents = {record["topic"]: record for record in journal if record["event"] == "intent"}
    outcomes = {record["topic"]: record for record in journal if record["event"] == "outcome"}
    return {
        edit.topic
        for edit in edits
        if edit.topic in intents.keys() & outcomes.keys()
        and (edit.policy and edit.policy.to_json()) == intents[edit.topic]["after"]
        and _time(intents[edit.topic]) - SLACK <= edit.at <= _time(outcomes[edit.topic]) + SLACK
    }


def _time(record: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(record["at"])


def _in(journal: list[dict[str, Any]], sent: list[Sent], theirs: set[str], *, is_killed: bool) -> list[str]:
    found = []
    intents = {record["topic"] for record in journal if record["event"] == "intent"}
    outcomes = {record["topic"]: record["status"] for record in journal if record["event"] == "outcome"}
    carried_out = {one.topic for one in sent if one.carried_out}
    for topic, status in outcomes.items():
        if status == "made" and topic not in intents:
            found.append(f"{topic} was made without an intent")
        if status == "made" and topic not in carried_out | theirs:
            found.append(f"{topic} is told to be made, and no write was carried out")
        if (status == "skipped" or topic not in intents) and topic in carried_out:
            found.append(f"{topic} is told not to be written, and was")
    if not is_killed:
        found += [f"{topic} has an intent and no outcome" for topic in sorted(intents - outcomes.keys())]
        if not journal or journal[-1]["event"] != "end":
            found.append("does not end")
    return found


def journal(folder: Path) -> list[dict[str, Any]]:
    """All records of all journals, in the order of the runs."""
    return [record for path in sorted(folder.glob("*/*.jsonl")) for record in records(path)]
