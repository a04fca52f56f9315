"""The journal of a run: one line before each write and one after it, on disk before anything goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any

from reconciler.errors import HedgerowError
from reconciler.reconcile import Change, Outcome, change_document

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The wall clock, in UTC."""
    return datetime.now(UTC)


class Journal:
    """A JSONL file that is only ever appended to; every record is flushed to the disk before its method returns.

    Records hold `event` (`begin`, `intent`, `outcome`, `end`), `at` (ISO 8601, UTC) and the run's id. An intent without
    an outcome means that the write may or may not have happened.
    """

    def __init__(self, path: Path, run: str, clock: Clock = utc_now) -> None:
        """Creates the file.

        Raises:
            HedgerowError: when it cannot be created, or exists already.
        """
        self.path = path
        self._run = run
        self._clock = clock
        self._lock = Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644)
        except OSError as error:
            raise _cannot_write(path, error) from error

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._file)

    def begin(self, *, stack: str, plan: Mapping[str, Any]) -> None:
        """The run begins; `plan` says what it was computed from."""
        self._append("begin", stack=stack, plan=plan)

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
        line = json.dumps(record, sort_keys=True, ensure_ascii=False).encode() + b"\n"
        with self._lock:
            try:
                written = os.write(self._file, line)
                if written != len(line):
                    raise OSError(f"only {written} of {len(line)} bytes were written")
                os.fsync(self._file)
            except OSError as error:
                raise _cannot_write(self.path, error) from error


def _cannot_write(path: Path, error: OSError) -> HedgerowError:
    return HedgerowError(
        f"the journal {path} cannot be written: {error.strerror or error}",
        hint="nothing is written to the cloud without one; free the disk, or set `reconcile.journal` in stack.yaml",
    )
