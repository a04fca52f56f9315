"""The provider's calls to Pub/Sub over REST, and the form in which it passes on what it is told.

Calls, and which refusals are tried again, as in `resource_pubsub_topic.go` and `transport` of
terraform-provider-google (e03b7622). The real one goes on trying for 20 minutes, this one for `RETRY_BUDGET`. The form
of an error is that of Go's `googleapi.Error`; everything around it is a guess.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

RETRY_BUDGET = 2.0
"""Seconds."""

_PAUSE = 0.25
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Refused(Exception):
    """A call that failed for good."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"googleapi: Error {status}: {message}")
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class PubSub:
    """The API at an endpoint.

    Attributes:
        base: with the version and a slash at its end.
        headers: of every call.
    """

    base: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def create(self, name: str, topic: Mapping[str, Any]) -> dict[str, Any]:
        """Creates a topic, waits until it can be read, and reads it."""
        self._call("PUT", name, topic)
        until = time.monotonic() + RETRY_BUDGET
        while (live := self.read(name)) is None:
            if time.monotonic() > until:
                raise Refused(404, "Topic not found")
            time.sleep(_PAUSE)
        return live

    def read(self, name: str) -> dict[str, Any] | None:
        """A topic, or nothing where there is none."""
        try:
            return self._call("GET", name)
        except Refused as refused:
            if refused.status == 404:
                return None
            raise

    def update(self, name: str, topic: Mapping[str, Any], mask: list[str]) -> dict[str, Any]:
        """Changes the fields of the mask, if there are any, and reads the topic."""
        if mask:
            self._call("PATCH", name, {"topic": topic}, query=f"?updateMask={quote(','.join(mask), safe='')}")
        live = self.read(name)
        if live is None:
            raise Refused(404, "Topic not found")
        return live

    def delete(self, name: str) -> None:
        """Deletes a topic; one that is gone is none to complain about."""
        try:
            self._call("DELETE", name)
        except Refused as refused:
            if refused.status != 404:
                raise

    def _call(self, verb: str, name: str, sent: Mapping[str, Any] | None = None, query: str = "") -> dict[str, Any]:
        until = time.monotonic() + RETRY_BUDGET
        while True:
            request = urllib.request.Request(  # noqa: S310 - the scheme is the endpoint's
                f"{self.base}{quote(name)}{query}",
                method=verb,
                data=None if sent is None else json.dumps(sent).encode(),
                headers={"Content-Type": "application/json", **self.headers},
            )
            try:
                with _DIRECT.open(request, timeout=60) as answer:
                    return dict(json.load(answer))
            except urllib.error.HTTPError as error:
                told = error.read().decode()
                if not _passing(error.code, told) or time.monotonic() > until:
                    raise Refused(error.code, _message(told)) from None
            except OSError:
                if time.monotonic() > until:
                    raise
            time.sleep(_PAUSE)


def _passing(status: int, told: str) -> bool:
    """Whether the real provider takes a refusal for a passing one: rightly or not, by the text."""
    return status in (429, 500, 502, 503, 504) or (status == 400 and "retry this operation" in told)


def _message(told: str) -> str:
    try:
        return str(json.loads(told)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return told
