"""Talks to a conformance driver: the real library of one language in a process of its own."""

from __future__ import annotations

import json
import re
import selectors
import subprocess
import tempfile
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

ANSWER_WITHIN = 60
"""Seconds, for the slowest request on a loaded machine."""

_UNIT = {"ns": 0.001, "µs": 1, "ms": 1000, "s": 1_000_000}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a library did with settings.

    Attributes:
        stage: where it refused: `load` (the loader, or a setter), `build`, or `publish`; `None` if it did not.
        error: in its own words.
        effective: what it has made of the settings, under the same names and in the same units for every language.
        took: milliseconds for each round of messages.
    """

    stage: str | None = None
    error: str | None = None
    effective: dict[str, Any] = field(default_factory=dict)
    took: tuple[int, ...] = ()


class Driver:
    """A running driver; a context manager."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed in `__exit__`
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True, encoding="utf-8"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def ask(self, request: dict[str, Any]) -> Answer:
        """Sends one request and waits for its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps(request)}\n")
        self._process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            line = self._process.stdout.readline() if selector.select(ANSWER_WITHIN) else ""
        if not line:
            self._errors.seek(0)
            raise AssertionError(f"the driver did not answer {request}: {self._errors.read()}")
        body = json.loads(line)
        effective = body.get("effective", {})
        return Answer(
            stage=body.get("stage"),
            error=body.get("error"),
            effective={**effective, **_from_rust(effective["debug"])} if "debug" in effective else effective,
            took=tuple(body.get("took") or ()),
        )


def _from_rust(debug: str) -> dict[str, Any]:
    """Rust shows its settings in `Debug` output only."""

    def value(pattern: str) -> str | None:
        match = re.search(pattern, debug)
        return match[1] if match else None

    ratio = value(r"refill_ratio: ([0-9.]+)")
    return {
        "delayMicros": _micros(value(r"[^_]delay: ([0-9.]+\w+)") or "0s"),
        "maxTokens": int(value(r"max_tokens: ([0-9]+)") or 0),
        "refillThousandths": round(float(ratio or 0) * 1000, 6),
        "maxMessages": int(value(r"message_count_threshold: ([0-9]+)") or 0),
        "maxBytes": int(value(r"byte_threshold: ([0-9]+)") or 0),
        "maxLatencyMicros": _micros(value(r"delay_threshold: ([0-9.]+\w+)") or "0s"),
    }


def _micros(text: str) -> int:
    match = re.fullmatch(r"([0-9.]+)(\D+)", text)
    assert match is not None, text
    return round(float(match[1]) * _UNIT[match[2]])
