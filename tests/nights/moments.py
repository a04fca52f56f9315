"""Moments of a night, and a clock that somebody may set: what the troubles share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.nights.cases import Moment
from tests.nights.night import TOPICS

WRITING_THE_FIRST, WRITING_THE_SECOND, WRITING_THE_LAST = (
    Moment(name="writing", method="UpdateTopic", number=number) for number in (1, 2, 3)
)
READING_THE_LAST_BACK = Moment(name="reading-back", method="GetTopic", number=3, after=1)
MADE = dict.fromkeys(TOPICS, "made")


@dataclass
class WallClock:
    """The clock of all commands, which somebody may set."""

    ahead: timedelta = timedelta(0)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


def first(act: Callable[[], object]) -> Callable[[Callable[[], Any]], Any]:
    """Does something before a request is carried out."""

    def both(carry_out: Callable[[], Any]) -> Any:
        act()
        return carry_out()

    return both
