"""Journals held against what the sandbox saw: what runs say they did, and what they did."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from tests.nights.warden import Sent, Warden, records


def discrepancies(warden: Warden, killed: Collection[str] = ()) -> list[str]:
    """Where the journals and the writes that arrived differ; nothing, if runs tell the truth.

    - A write has an intent before it: the warden looked when it arrived.
    - `made` means that a write was carried out, and `skipped`, or a change without an intent, that none was.
    - An intent without an outcome means that the process was killed (`killed` has those runs), and nothing else.
    """
    found = []
    for path in sorted(warden.journals.glob("*/*.jsonl")):
        of_run = [sent for sent in warden.sent if sent.run == path.stem]
        found += [f"{path.stem}: {what}" for what in _in(records(path), of_run, is_killed=path.stem in killed)]
    return found


def _in(journal: list[dict[str, Any]], sent: list[Sent], *, is_killed: bool) -> list[str]:
    found = []
    intents = {record["topic"] for record in journal if record["event"] == "intent"}
    outcomes = {record["topic"]: record["status"] for record in journal if record["event"] == "outcome"}
    carried_out = {one.topic for one in sent if one.carried_out}
    for topic, status in outcomes.items():
        if status == "made" and topic not in intents:
            found.append(f"{topic} was made without an intent")
        if status == "made" and topic not in carried_out:
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
