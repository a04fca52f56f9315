"""Who may not ask what: permissions that are missing, by resource and service."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from threading import Lock

from reconciler.sandbox.errors import ApiError, Code


class Service(StrEnum):
    """The services of the sandbox, as permissions are denied by."""

    PUBSUB = "pubsub"
    ORG_POLICY = "orgpolicy"
    RESOURCE_MANAGER = "resourcemanager"
    ASSET = "cloudasset"


class Denials:
    """Scripted `PERMISSION_DENIED`: for everybody, on one project, folder or organization, in one service."""

    def __init__(self) -> None:
        self._denied: dict[tuple[str, Service], str] = {}
        self._lock = Lock()

    @property
    def all(self) -> Mapping[tuple[str, Service], str]:
        """The message of each denial."""
        return dict(self._denied)

    def add(self, resource: str, service: Service, message: str | None = None) -> None:
        """Denies a service on `projects/ID`, `folders/N` or `organizations/N`."""
        with self._lock:
            self._denied[resource, service] = (
                message or f"The caller does not have permission to use {service}.googleapis.com on {resource}."
            )

    def remove(self, resource: str, service: Service) -> None:
        """Takes a denial back, if there is one."""
        with self._lock:
            self._denied.pop((resource, service), None)

    def clear(self) -> None:
        """Takes every denial back."""
        with self._lock:
            self._denied.clear()

    def check(self, resource: str, service: Service) -> None:
        """Whether a request about this resource may pass.

        Raises:
            ApiError: `PERMISSION_DENIED`.
        """
        if self._denied and (message := self._denied.get((resource, service))) is not None:
            raise ApiError(Code.PERMISSION_DENIED, message)
