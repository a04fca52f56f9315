"""The fault matrix as a table: what the weather does, when, and how a run has to end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from reconciler.model import Resolution
from reconciler.sandbox import Answer, Bystander, Call, Fault
from reconciler.sandbox.methods import Method
from tests.nights.night import DRIFTS, TOPICS

NOT_ALLOWED = (
    "The requested message storage policy contains the following GCP regions that are not allowed by the project's "
    "organization policy: europe-west4."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A request in the life of a run.

    Attributes:
        number: of the topic that the request is about, in the order of writing; 0 while planning.
        after: requests of the method about the same thing that come before.
    """

    name: str
    method: str
    number: int = 0
    after: int = 0

    @property
    def resource(self) -> str:
        """What the request is about: while planning, the first topic's project."""
        return TOPICS[self.number - 1] if self.number else "projects/acme-billing-prod*"

    @property
    def is_write(self) -> bool:
        """Whether something is about to change."""
        return self.method == "UpdateTopic"

    def met(self, act: Callable[[Callable[[], Any]], Any]) -> Bystander:
        """Somebody who stands by and acts once, at this moment, with what carries the request out."""
        seen = 0

        def stand_by(method: Method, request: Any, call: Call, carry_out: Callable[[], Any]) -> Any:
            nonlocal seen
            del call
            if method.name != self.method or not method.subject(request).startswith(self.resource.rstrip("*")):
                return carry_out()
            seen += 1
            return act(carry_out) if seen == self.after + 1 else carry_out()

        return stand_by


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """What goes wrong.

    Attributes:
        outcome: of the change that it meets: `made` where the run gets over it.
        times: how many requests in a row it meets; `None` for all.
        writes_only: whether it is about writes alone.
        budget: seconds for which calls are tried again.
    """

    name: str
    outcome: str
    error: str | None = None
    times: int | None = 1
    answer: Answer = Answer.GIVEN
    latency: float = 0.0
    message: str | None = None
    writes_only: bool = False
    budget: float = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One night of the matrix."""

    resolution: Resolution
    weather: Weather
    moment: Moment

    @property
    def id(self) -> str:
        """For pytest."""
        return f"{self.resolution}-{self.weather.name}-{self.moment.name}"

    @property
    def fault(self) -> Fault:
        """The weather, at the moment."""
        return Fault(
            method=self.moment.method,
            resource=self.moment.resource,
            after=self.moment.after,
            times=self.weather.times,
            error=self.weather.error,
            answer=self.weather.answer,
            latency=self.weather.latency,
            message=self.weather.message,
        )

    @property
    def code(self) -> int:
        """How the run has to end."""
        if self.weather.outcome == "made":
            return 0
        if self.moment.number == 0:
            return 4
        return {"failed": 6, "stale": 7}[self.weather.outcome]

    @property
    def statuses(self) -> dict[str, str]:
        """What the journal has to say, by topic. After a failure no wave begins."""
        if self.moment.number == 0:
            return dict.fromkeys(TOPICS[self.weather.outcome != "made" :], "made")
        met = self.moment.number - 1
        rest = TOPICS[met + 1 :] if self.weather.outcome != "failed" else ()
        return {**dict.fromkeys(TOPICS[:met], "made"), TOPICS[met]: self.weather.outcome, **dict.fromkeys(rest, "made")}


MOMENTS = (
    Moment(name="while-reading-the-policy", method="GetEffectivePolicy"),
    Moment(name="while-listing", method="ListTopics"),
    Moment(name="while-reading-the-first-again", method="GetTopic", number=1),
    Moment(name="while-writing-the-first", method="UpdateTopic", number=1),
    Moment(name="while-reading-the-first-back", method="GetTopic", number=1, after=1),
    Moment(name="while-writing-the-last", method="UpdateTopic", number=3),
    Moment(name="while-reading-the-last-back", method="GetTopic", number=3, after=1),
)

WEATHERS = (
    Weather(name="unavailable", error="UNAVAILABLE", outcome="made"),
    Weather(name="unavailable-for-good", error="UNAVAILABLE", times=None, outcome="failed", budget=0.5),
    Weather(name="throttled", error="RESOURCE_EXHAUSTED", outcome="made"),
    Weather(name="throttled-for-good", error="RESOURCE_EXHAUSTED", times=None, outcome="failed", budget=0.5),
    Weather(name="too-late", error="DEADLINE_EXCEEDED", outcome="made"),
    Weather(name="aborted", error="ABORTED", outcome="made"),
    Weather(name="broken", error="INTERNAL", outcome="failed"),
    Weather(name="denied", error="PERMISSION_DENIED", outcome="failed"),
    Weather(name="gone", error="NOT_FOUND", outcome="stale"),
    Weather(name="slow", latency=0.05, outcome="made"),
    Weather(name="stalled", answer=Answer.STALLED, outcome="made"),
    Weather(name="silent", answer=Answer.SILENT, outcome="made"),
    Weather(name="answer-lost", answer=Answer.LOST, outcome="made", writes_only=True),
    Weather(name="answer-lost-as-broken", answer=Answer.LOST, error="INTERNAL", outcome="made", writes_only=True),
    Weather(name="answers-lost", answer=Answer.LOST, times=None, outcome="made", writes_only=True),
    Weather(
        name="policy-changed", error="FAILED_PRECONDITION", message=NOT_ALLOWED, outcome="failed", writes_only=True
    ),
)


def matrix() -> Iterator[Case]:
    """Every combination that makes sense."""
    for resolution in DRIFTS:
        for weather in WEATHERS:
            for moment in MOMENTS:
                if moment.is_write or not weather.writes_only:
                    yield Case(resolution=resolution, weather=weather, moment=moment)
