"""What Cloud Asset Inventory knows of the topics: those of now, or, while it lags, those of a moment ago."""

from __future__ import annotations

from threading import Lock
from typing import Any

from reconciler.model import TopicName
from reconciler.sandbox.topics import Topics

_Known = list[tuple[TopicName, Any]]


class Inventory:
    """The inventory's own view of the topics. Thread-safe.

    The real one is behind by an undocumented time ("delays in resource data collection and indexing",
    asset_service.proto); here it is behind from `freeze` to `catch_up`, so that a test knows what it shows.
    """

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._frozen: _Known | None = None
        self._lock = Lock()

    def freeze(self) -> None:
        """From now on shows the topics as they are now, whatever becomes of them."""
        with self._lock:
            self._frozen = list(self._topics)

    def catch_up(self) -> None:
        """Shows the topics as they are again."""
        with self._lock:
            self._frozen = None

    @property
    def topics(self) -> _Known:
        """Every topic that it knows, by project and id."""
        with self._lock:
            return list(self._topics) if self._frozen is None else self._frozen
