"""The administrator quota: how many operations a project may ask for in a minute."""

from __future__ import annotations

from threading import Lock

from reconciler.sandbox.clock import Clock
from reconciler.sandbox.errors import ApiError, Code, Reason

PUBSUB_DEFAULT = 6000
"""Operations a minute and project that Pub/Sub grants (`administratorPerMinutePerProject`)."""


class AdministratorQuota:
    """A token bucket for each consumer project, filled at the start; off while `per_minute` is `None`."""

    def __init__(self, clock: Clock, per_minute: int | None = None) -> None:
        self.per_minute = per_minute
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}
        self._lock = Lock()

    def spend(self, consumer: str, number: str) -> None:
        """Charges one operation to a project.

        Raises:
            ApiError: `RESOURCE_EXHAUSTED`, worded as recorded from the service, when the bucket is empty.
        """
        limit = self.per_minute
        if limit is None:
            return
        with self._lock:
            now = self._clock.seconds()
            left, since = self._buckets.get(consumer, (float(limit), now))
            left = min(float(limit), left + (now - since) * limit / 60)
            spent = left >= 1
            self._buckets[consumer] = (left - 1 if spent else left, now)
        if not spent:
            raise _exhausted(number, limit)

    def refill(self) -> None:
        """Forgets what was spent."""
        with self._lock:
            self._buckets.clear()


def _exhausted(number: str, limit: int) -> ApiError:
    # Text and details as recorded in https://github.com/teslamotors/fleet-telemetry/issues/289 (2025-01-03).
    return ApiError(
        Code.RESOURCE_EXHAUSTED,
        "Quota exceeded for quota metric 'Administrator operations' and limit 'Administrator operations per minute' "
        f"of service 'pubsub.googleapis.com' for consumer 'project_number:{number}'.",
        reason=Reason(
            reason="RATE_LIMIT_EXCEEDED",
            metadata={
                "consumer": f"projects/{number}",
                "quota_limit": "administratorPerMinutePerProject",
                "quota_limit_value": str(limit),
                "quota_location": "global",
                "quota_metric": "pubsub.googleapis.com/administrator",
                "service": "pubsub.googleapis.com",
            },
        ),
    )
