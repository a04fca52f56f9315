"""The warden: stands by in the sandbox and judges every write of a run at the moment when it arrives.

Runs come without credentials, so `anonymous` is the run's name; everybody else has one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from reconciler.model import ALL_REGIONS, RegionSet, StoragePolicy, TopicName, regions_of
from reconciler.sandbox import Call, World
from reconciler.sandbox.methods import Method, Trait
from reconciler.sandbox.storage import from_message

RUN = "anonymous"
GIVES_UP_WITHIN = 2.0
"""Seconds in which the sandbox hears that a client has given a call up, on a machine that is very busy."""

LATEST = 16
"""Journals of a stack in which an intent is looked for: those that were written to last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A write that reached the sandbox. `policy` is `None` where the server is to compute it."""

    run: str | None
    topic: str
    policy: StoragePolicy | None
    carried_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """A run whose journal has the intent of a write, and its outcome too if that is told already."""

    run: str
    outcome: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What a topic had at some time after somebody else's hand was at it."""

    topic: str
    policy: StoragePolicy | None
    at: datetime


@dataclass(kw_only=True)
class Warden:
    """Judges writes, and keeps them.

    Attributes:
        world: where they go.
        journals: the folder that holds the folders of the stacks' runs.
        may_write: the topics that a stack declares and leaves to runs.
        may_widen: those of them whose stack allows to add regions and to switch in-transit enforcement off.
        is_calm: whether policies stand still: then a region outside them is never even asked for.
        forbidden: what was written, or asked for, against a rule. Stays empty.
        sent: the writes of runs.
        late: those of them that came when their run had told them to have failed, as it may.
        edits: what others wrote, as far as they told.
    """

    world: World
    journals: Path
    may_write: Collection[str]
    may_widen: Collection[str] = ()
    is_calm: bool = True
    forbidden: list[str] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    late: list[Sent] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    _seen: dict[str, StoragePolicy | None] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def __call__(self, method: Method, request: Any, call: Call, carry_out: Callable[[], Any]) -> Any:
        """Stands by (`Sandbox.stand_by`)."""
        if call.principal != RUN:
            return carry_out()
        if method.name == "GetTopic":
            topic = carry_out()
            self._seen[topic.name] = from_message(topic)
            return topic
        if Trait.WRITE not in method.traits:
            return carry_out()
        return self._written(method, request, call, carry_out)

    def edited(self, topic: str, policy: StoragePolicy | None) -> None:
        """Somebody else says what a topic has now."""
        with self._lock:
            self.edits.append(Edit(topic=topic, policy=policy, at=datetime.now(UTC)))

    def _written(self, method: Method, request: Any, call: Call, carry_out: Callable[[], Any]) -> Any:
        if method.name != "UpdateTopic":
            self._object(f"{method.name} was called")
            return carry_out()
        name, policy = request.topic.name, from_message(request.topic)
        announced = self._announced(name, policy, call)
        for objection in self._objections(request, name, policy, announced):
            self._object(f"{name}: {objection}")
        carried_out, allowed = False, self._allowed(name)
        try:
            answer = carry_out()
            carried_out = True
        finally:
            sent = Sent(run=announced.run if announced else None, topic=name, policy=policy, carried_out=carried_out)
            with self._lock:
                self.sent.append(sent)
                self.late += [sent] if announced and announced.outcome else []
        # A policy may change in this very moment: then either will do.
        if regions_of(from_message(answer)) - (allowed | self._allowed(name)):
            self._object(f"{name}: regions outside of what the organization allows were stored")
        return answer

    def _objections(
        self, request: Any, name: str, policy: StoragePolicy | None, announced: Announced | None
    ) -> list[str]:
        found = []
        if list(request.update_mask.paths) != ["message_storage_policy"]:
            found.append(f"the mask is {list(request.update_mask.paths)}")
        if {descriptor.name for descriptor, _ in request.topic.ListFields()} - {"name", "message_storage_policy"}:
            found.append("another field was sent along")
        if name not in self.may_write:
            found.append("the topic is not the stack's to write")
        if name not in self._seen:
            found.append("the topic was not read before")
        if announced is None:
            found.append(f"no open intent in a journal announces the write{self._closed(name, policy)}")
        if policy is not None:
            found += self._wrong_in(name, policy)
        return found

    def _wrong_in(self, name: str, policy: StoragePolicy) -> list[str]:
        seen, found = self._seen.get(name), []
        if policy.is_empty:
            found.append("the list of regions is empty")
        if self.is_calm and (outside := policy.regions - self._allowed(name)):
            found.append(f"{outside} is outside of what the organization allows")
        if name not in self.may_widen and policy.regions - regions_of(seen):
            found.append(f"regions were added to {regions_of(seen)}: {policy.regions}")
        if (
            name not in self.may_widen
            and seen is not None
            and seen.enforce_in_transit
            and not policy.enforce_in_transit
        ):
            found.append("the in-transit flag was lost")
        return found

    def _allowed(self, name: str) -> RegionSet:
        """What the service itself enforces now."""
        project = self.world.project(TopicName.parse(name).project)
        allowed = self.world.organization.enforced(project).allowed
        return ALL_REGIONS if allowed.is_all else allowed

    def _announced(self, name: str, policy: StoragePolicy | None, call: Call) -> Announced | None:
        """The run whose journal, as it lies on the disk right now, has an open intent for just this write.

        A write for which the run no longer waits may come after its outcome too, if that is `failed`.
        """
        found = self._intents(name, policy)
        for one in found:
            if one.outcome is None:
                return one
        for one in found:
            if one.outcome == "failed" and call.gone.wait(GIVES_UP_WITHIN):
                return one
        return None

    def _closed(self, name: str, policy: StoragePolicy | None) -> str:
        """Which runs had the same intent and were through with it, in words."""
        found = self._intents(name, policy)
        return f"; {', '.join(f'{one.run} has told it to be {one.outcome}' for one in found)}" if found else ""

    def _intents(self, name: str, policy: StoragePolicy | None) -> list[Announced]:
        """The runs whose journals have an intent for just this write, the latest first."""
        found = []
        for path in _latest(self.journals):
            announced, outcome = False, None
            for record in records(path):
                if record.get("topic") == name and record["event"] == "intent":
                    announced = announces(record, policy)
                elif record.get("topic") == name:
                    outcome = record["status"]
            if announced:
                found.append(Announced(run=path.stem, outcome=outcome))
        return found

    def _object(self, objection: str) -> None:
        with self._lock:
            self.forbidden.append(objection)


def announces(intent: dict[str, Any], policy: StoragePolicy | None) -> bool:
    """Whether an intent is about writing just this."""
    if intent["resolution"] == "recompute":
        return policy is None
    return policy is not None and intent["after"] == policy.to_json()


def records(path: Path) -> list[dict[str, Any]]:
    """The whole records of a journal; half of one at its end is left out."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def _latest(folder: Path) -> list[Path]:
    """The journals of each stack that were written to last, the latest first.

    Of each stack, since the runs of one are no measure for how long a write of another may take.
    """
    found: dict[Path, list[tuple[int, Path]]] = {}
    for path in folder.glob("*/*.jsonl"):
        with suppress(FileNotFoundError):
            found.setdefault(path.parent, []).append((path.stat().st_mtime_ns, path))
    return [path for of_stack in found.values() for _, path in sorted(of_stack, reverse=True)[:LATEST]]
