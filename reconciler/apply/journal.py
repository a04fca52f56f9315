"""The journal of a run: a record before each write and one after it, durable before anything goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any

from reconciler.reconcile import Change, Outcome, change_document

if TYPE_CHECKING:
    from reconciler.apply.store import Log

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The wall clock, in UTC."""
    return datetime.now(UTC)


class Journal:
    """Writes the records of a run into a log.

    Records are JSON objects with `event` (`begin`, `intent`, `outcome`, `end`), `at` (ISO 8601, UTC) and the run's id.
    An intent without an outcome means that the write may or may not have happened. Every method raises `HedgerowError`
    when its record is not known to be durable.
    """

    def __init__(self, log: Log, run: str, clock: Clock = utc_now) -> None:
        self._log = log
        self._run = run
        self._clock = clock

    @property
    def address(self) -> str:
        """Where it is, for people."""
        return self._log.address

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._log.close()

    def begin(self, *, stack: str, plan: Mapping[str, Any], changes: int) -> None:
        """The run begins; `plan` says what it was computed from, `changes` how many it is about to make."""
        self._append("begin", stack=stack, plan=plan, changes=changes)

    def intent(self, change: Change) -> None:
        """A write is about to be sent."""
        self._append("intent", **change_document(change))

    def outcome(self, outcome: Outcome) -> None:
        """What became of a change."""
        self._append(
            "outcome",
            topic=str(outcome.change.name),
            status=str(outcome.status),
            found=outcome.found and outcome.found.to_json(),
            message=outcome.message,
        )

    def end(self, *, stopped: str | None) -> None:
        """The run ends, early for a reason or because nothing is left to do."""
        self._append("end", stopped=stopped)

    def _append(self, event: str, **fields: Any) -> None:
        record = {"event": event, "run": self._run, "at": self._clock().isoformat(timespec="milliseconds"), **fields}
        self._log.append(json.dumps(record, sort_keys=True, ensure_ascii=False).encode())
