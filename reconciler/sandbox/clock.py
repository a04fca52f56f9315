"""The sandbox's time, which tests can advance."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from threading import Lock


class Clock:
    """The wall clock, plus everything it was advanced by.

    Quotas, acknowledgement deadlines, policy propagation and time stamps follow it; injected latency is real time.
    """

    def __init__(self) -> None:
        self._ahead = timedelta(0)
        self._lock = Lock()

    def now(self) -> datetime:
        """The present, in UTC."""
        return datetime.now(UTC) + self._ahead

    def seconds(self) -> float:
        """Monotonic seconds, for measuring spans."""
        return time.monotonic() + self._ahead.total_seconds()

    def advance(self, by: timedelta) -> None:
        """Lets time pass at once.

        Raises:
            ValueError: for a negative span.
        """
        if by < timedelta(0):
            raise ValueError("time does not run backwards")
        with self._lock:
            self._ahead += by
