"""Weather: scripted latency, errors, lost answers and stalls; seeded, so that they can be had again."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from fnmatch import fnmatchcase
from threading import Lock
from typing import Any

from reconciler.errors import InvalidInput
from reconciler.sandbox.errors import Code

Mix = tuple[tuple[float, float], ...]
"""Latencies with their weights: `((0.95, 0.01), (0.05, 0.8))` is 0.8 seconds for one request in twenty."""


class Answer(StrEnum):
    """What becomes of a request that a fault meets."""

    GIVEN = "given"
    """Carried out and answered; or refused, where the fault names an error."""
    LOST = "lost"
    """Carried out, but the client is told the fault's error, `UNAVAILABLE` by default."""
    SILENT = "silent"
    """Carried out, but never answered: the client waits until its deadline."""
    STALLED = "stalled"
    """Neither carried out nor answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that goes wrong with matching requests.

    Attributes:
        method: a glob on the method's name (`UpdateTopic`) or full name (`google.pubsub.v1.Publisher/*`).
        resource: a glob on what the request is about (`projects/acme-lab/topics/*`).
        after: how many matching requests pass unharmed first.
        times: how many are met then; `None` for all.
        rate: the share of those that is met, by chance.
        seed: makes chance repeatable, as long as requests arrive in the same order.
        latency: seconds before anything happens, or a `Mix`.
        error: a code's name (`UNAVAILABLE`), or `None`.
        message: the error's text.
        answer: what becomes of the request.
    """

    method: str = "*"
    resource: str = "*"
    after: int = 0
    times: int | None = None
    rate: float = 1.0
    seed: int = 0
    latency: float | Mix = 0.0
    error: str | None = None
    message: str | None = None
    answer: Answer = Answer.GIVEN

    def __post_init__(self) -> None:
        if self.error is not None and self.error not in Code.__members__:
            raise ValueError(f"`{self.error}` is not a status code")
        if not 0 <= self.rate <= 1:
            raise ValueError("a rate lies between 0 and 1")
        if any(seconds < 0 for seconds in _seconds_in(self.latency)):
            raise ValueError("a latency is not negative")

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Fault:
        """A fault from its fields, as in a file or over the control endpoint.

        Raises:
            InvalidInput: for an unknown field or a wrong value.
        """
        unknown = sorted(set(body) - {field.name for field in fields(cls)})
        if unknown:
            raise InvalidInput(f"a fault has no field `{unknown[0]}`")
        values = dict(body)
        try:
            if isinstance(values.get("latency"), list):
                values["latency"] = tuple((float(weight), float(seconds)) for weight, seconds in values["latency"])
            if "answer" in values:
                values["answer"] = Answer(values["answer"])
            return cls(**values)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"the fault cannot be used: {error}") from error

    def to_json(self) -> dict[str, Any]:
        """The fields, for `from_json`."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def matches(self, method: str, resource: str) -> bool:
        """Whether a request is of the fault's kind. `method` is the full name."""
        return (
            fnmatchcase(method, self.method) or fnmatchcase(method.rpartition("/")[2], self.method)
        ) and fnmatchcase(resource, self.resource)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """What the faults have in store for one request."""

    latency: float = 0.0
    error: Code | None = None
    message: str = ""
    answer: Answer = Answer.GIVEN


CALM = Weather()


class Faults:
    """The faults in force. Thread-safe."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._chances: list[random.Random] = []
        self._seen: Counter[int] = Counter()
        self._lock = Lock()

    @property
    def all(self) -> tuple[Fault, ...]:
        """In the order in which they were added."""
        return tuple(self._faults)

    def add(self, *faults: Fault) -> None:
        """Puts faults in force, behind those already there."""
        with self._lock:
            self._faults += faults
            self._chances += [random.Random(fault.seed) for fault in faults]  # noqa: S311 - repeatable, not secret

    def clear(self) -> None:
        """Ends all faults."""
        with self._lock:
            self._faults, self._chances, self._seen = [], [], Counter()

    def meet(self, method: str, resource: str) -> Weather:
        """What a request meets: latencies add up; the first error, and the first answer but `given`, count."""
        if not self._faults:
            return CALM
        weather = CALM
        with self._lock:
            for index, (fault, chance) in enumerate(zip(self._faults, self._chances, strict=True)):
                if fault.matches(method, resource) and self._strikes(index, fault, chance):
                    weather = _worse(weather, fault, chance)
        return weather

    def _strikes(self, index: int, fault: Fault, chance: random.Random) -> bool:
        place = self._seen[index]
        self._seen[index] += 1
        if place < fault.after or (fault.times is not None and place >= fault.after + fault.times):
            return False
        return fault.rate == 1 or chance.random() < fault.rate


def _worse(weather: Weather, fault: Fault, chance: random.Random) -> Weather:
    if isinstance(fault.latency, tuple):
        weights, seconds = zip(*fault.latency, strict=True)
        latency = chance.choices(seconds, weights)[0]
    else:
        latency = fault.latency
    takes_error = weather.error is None and fault.error is not None
    return Weather(
        latency=weather.latency + latency,
        error=Code[fault.error] if takes_error and fault.error else weather.error,
        message=fault.message or f"injected {fault.error}" if takes_error else weather.message,
        answer=fault.answer if weather.answer is Answer.GIVEN else weather.answer,
    )


def _seconds_in(latency: float | Mix) -> tuple[float, ...]:
    return tuple(seconds for _, seconds in latency) if isinstance(latency, tuple) else (latency,)
