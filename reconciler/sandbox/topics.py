"""The topics that exist, as raw protobufs."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator
from threading import RLock
from typing import Any

import google.pubsub_v1.types as pubsub

from reconciler.model import TopicName
from reconciler.sandbox.errors import ApiError, Code
from reconciler.sandbox.paging import page

TopicMessage = pubsub.Topic.pb()
"""The raw protobuf class: a hundred thousand of them are cheap to keep and to list."""


class Topics:
    """Topics by project and id. Thread-safe: a stored message is never changed, only replaced."""

    def __init__(self) -> None:
        self._topics: dict[str, dict[str, Any]] = {}
        self._order: dict[str, list[str]] = {}
        self._lock = RLock()

    def get(self, name: TopicName) -> Any:
        """A topic, or `None`."""
        return self._topics.get(name.project, {}).get(name.topic)

    def existing(self, name: TopicName) -> Any:
        """A topic.

        Raises:
            ApiError: `NOT_FOUND`.
        """
        topic = self.get(name)
        if topic is None:
            raise ApiError(Code.NOT_FOUND, "Topic not found")
        return topic

    def create(self, name: TopicName, topic: Any) -> None:
        """Adds a topic.

        Raises:
            ApiError: `ALREADY_EXISTS`.
        """
        with self._lock:
            if self.get(name) is not None:
                raise ApiError(Code.ALREADY_EXISTS, "Topic already exists")
            self.put(name, topic)

    def put(self, name: TopicName, topic: Any) -> None:
        """Adds or replaces a topic."""
        with self._lock:
            topics = self._topics.setdefault(name.project, {})
            if name.topic not in topics:
                insort(self._order.setdefault(name.project, []), name.topic)
            topics[name.topic] = topic

    def change(self, name: TopicName, change: Callable[[Any], None]) -> Any:
        """Replaces a topic by a changed copy, with no write in between; returns it.

        Raises:
            ApiError: `NOT_FOUND`.
        """
        with self._lock:
            topic = TopicMessage()
            topic.CopyFrom(self.existing(name))
            change(topic)
            self._topics[name.project][name.topic] = topic
            return topic

    def delete(self, name: TopicName) -> None:
        """Removes a topic.

        Raises:
            ApiError: `NOT_FOUND`.
        """
        with self._lock:
            self.existing(name)
            del self._topics[name.project][name.topic]
            order = self._order[name.project]
            del order[bisect_left(order, name.topic)]

    def page(self, project: str, size: int, token: str) -> tuple[list[Any], str]:
        """A page of a project's topics by id, and the token of the next."""
        with self._lock:
            ids, following = page(self._order.get(project, ()), size, token)
            topics = self._topics.get(project, {})
            return [topics[topic_id] for topic_id in ids], following

    def __iter__(self) -> Iterator[tuple[TopicName, Any]]:
        """Every topic, by project and id, as of now."""
        with self._lock:
            found = [
                (TopicName(project, topic_id), self._topics[project][topic_id])
                for project in sorted(self._order)
                for topic_id in self._order[project]
            ]
        return iter(found)
