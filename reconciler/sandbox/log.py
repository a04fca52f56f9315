"""The log of every request that reached the sandbox, for assertions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Lock
from typing import Any

from google.protobuf.json_format import MessageToDict

from reconciler.sandbox.calls import Transport

CAPACITY = 200_000
"""Requests kept; the oldest go first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRequest:
    """One request, and how it was answered.

    Attributes:
        number: counts from 1, in order of arrival.
        method: `UpdateTopic`.
        resource: what it is about, as the client named it.
        mask: the paths of its update mask as gRPC spells them; `None` where it has no mask field.
        writes: whether the method changes resources. Publishing does not.
        status: the code's name; `CANCELLED` when the client went away first; `None` while it is in work. The client
            was told otherwise where a fault lost the answer: `told`.
        told: what the client was told; `None` for nothing.
        message: the request, as a raw protobuf.
    """

    number: int
    time: datetime
    service: str
    method: str
    resource: str
    mask: tuple[str, ...] | None
    writes: bool
    principal: str
    quota_project: str | None
    region: str | None
    transport: Transport
    metadata: Mapping[str, str]
    status: str | None = None
    told: str | None = None
    message: Any

    @property
    def body(self) -> dict[str, Any]:
        """The request as REST spells it."""
        body: dict[str, Any] = MessageToDict(self.message)
        return body

    def to_json(self) -> dict[str, Any]:
        """Everything, for the control endpoint."""
        return {
            "number": self.number,
            "time": self.time.isoformat(),
            "service": self.service,
            "method": self.method,
            "resource": self.resource,
            "mask": None if self.mask is None else list(self.mask),
            "writes": self.writes,
            "principal": self.principal,
            "quotaProject": self.quota_project,
            "region": self.region,
            "transport": self.transport.value,
            "metadata": dict(self.metadata),
            "status": self.status,
            "told": self.told,
            "request": self.body,
        }


class RequestLog:
    """Requests in order of arrival. Thread-safe."""

    def __init__(self) -> None:
        self._entries: dict[int, LoggedRequest] = {}
        self._count = 0
        self._lock = Lock()

    @property
    def requests(self) -> tuple[LoggedRequest, ...]:
        """Everything logged, oldest first."""
        with self._lock:
            return tuple(self._entries.values())

    def writes(self) -> tuple[LoggedRequest, ...]:
        """The requests that ask to create, change or delete something, refused ones included."""
        return tuple(request for request in self.requests if request.writes)

    def clear(self) -> None:
        """Forgets every request; numbers go on."""
        with self._lock:
            self._entries.clear()

    def open(self, **circumstances: Any) -> int:
        """Notes a request that arrived; returns its number."""
        with self._lock:
            self._count += 1
            self._entries[self._count] = LoggedRequest(number=self._count, **circumstances)
            if len(self._entries) > CAPACITY:
                del self._entries[next(iter(self._entries))]
            return self._count

    def close(self, number: int, *, status: str, told: str | None) -> None:
        """Notes how a request ended, if it is still in the log."""
        with self._lock:
            if number in self._entries:
                self._entries[number] = replace(self._entries[number], status=status, told=told)
