"""Subscriptions and the messages waiting in them: enough to see what arrives, and what arrives twice."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

from reconciler.sandbox.clock import Clock
from reconciler.sandbox.errors import ApiError, Code
from reconciler.sandbox.paging import page

DELETED_TOPIC = "_deleted-topic_"
"""What a subscription names as its topic once that is deleted."""


@dataclass(slots=True, kw_only=True)
class _Waiting:
    """A message in a subscription; `leased_until` is in the clock's seconds, 0 for free."""

    message: Any
    leased_until: float = 0.0


@dataclass(slots=True, kw_only=True)
class _Queue:
    subscription: Any
    waiting: OrderedDict[str, _Waiting] = field(default_factory=OrderedDict)


class Subscriptions:
    """Subscriptions by full name. Thread-safe. Pull only: no push, filter, ordering, dead letters or expiry."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._queues: dict[str, _Queue] = {}
        self._message_ids = 0
        self._lock = RLock()

    def create(self, subscription: Any) -> None:
        """Adds a subscription.

        Raises:
            ApiError: `ALREADY_EXISTS`.
        """
        with self._lock:
            if subscription.name in self._queues:
                raise ApiError(Code.ALREADY_EXISTS, "Subscription already exists")
            self._queues[subscription.name] = _Queue(subscription=subscription)

    def existing(self, name: str) -> Any:
        """A subscription.

        Raises:
            ApiError: `NOT_FOUND`.
        """
        return self._queue(name).subscription

    def delete(self, name: str) -> None:
        """Removes a subscription with its messages.

        Raises:
            ApiError: `NOT_FOUND`.
        """
        with self._lock:
            self._queue(name)
            del self._queues[name]

    def page(self, project: str, size: int, token: str) -> tuple[list[Any], str]:
        """A page of a project's subscriptions by name, and the token of the next."""
        with self._lock:
            names, following = page(
                sorted(name for name in self._queues if name.startswith(f"projects/{project}/")), size, token
            )
            return [self._queues[name].subscription for name in names], following

    def detach(self, topic: str) -> None:
        """Marks the subscriptions of a deleted topic."""
        with self._lock:
            for queue in self._queues.values():
                if queue.subscription.topic == topic:
                    queue.subscription = type(queue.subscription).FromString(queue.subscription.SerializeToString())
                    queue.subscription.topic = DELETED_TOPIC

    def deliver(self, topic: str, messages: Iterable[Any]) -> list[str]:
        """Gives messages their ids and publish time, and puts them into the topic's subscriptions."""
        published = self._clock.now()
        ids = []
        with self._lock:
            queues = [queue for queue in self._queues.values() if queue.subscription.topic == topic]
            for message in messages:
                self._message_ids += 1
                ids.append(str(self._message_ids))
                if queues:
                    kept = type(message).FromString(message.SerializeToString())
                    kept.message_id = ids[-1]
                    kept.publish_time.FromDatetime(published)
                    for queue in queues:
                        queue.waiting[ids[-1]] = _Waiting(message=kept)
        return ids

    def pull(self, name: str, most: int) -> Sequence[tuple[str, Any]]:
        """Free messages, oldest first, with their acknowledgement ids; leased for the subscription's deadline."""
        with self._lock:
            queue = self._queue(name)
            now = self._clock.seconds()
            free = [(i, w) for i, w in queue.waiting.items() if w.leased_until <= now][:most]
            for _, waiting in free:
                waiting.leased_until = now + queue.subscription.ack_deadline_seconds
            return [(f"{name}:{message_id}", waiting.message) for message_id, waiting in free]

    def acknowledge(self, name: str, ack_ids: Iterable[str]) -> None:
        """Forgets messages; unknown acknowledgement ids are ignored."""
        with self._lock:
            waiting = self._queue(name).waiting
            for ack_id in ack_ids:
                waiting.pop(ack_id.removeprefix(f"{name}:"), None)

    def _queue(self, name: str) -> _Queue:
        with self._lock:
            if name not in self._queues:
                raise ApiError(Code.NOT_FOUND, "Subscription does not exist")
            return self._queues[name]
