"""Who asks, through which door: everything about a request that is not in its message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from threading import Event
from typing import NoReturn

from reconciler.sandbox.errors import Gone

REGION_HEADER = "x-hedgerow-region"
"""Names the region in which a request reaches Pub/Sub; Google's front ends know it from the network."""

_KEPT = frozenset({
    REGION_HEADER, "x-goog-user-project", "x-goog-request-params", "x-goog-api-client", "user-agent",
    "grpc-previous-rpc-attempts", "x-goog-pubsub-client-telemetry",
})  # fmt: skip
_REGIONAL_HOST = re.compile(r"(?P<region>[a-z]+-[a-z]+[0-9]+)-pubsub\.")
_TOKEN = re.compile(r"Bearer\s+sandbox:(?P<principal>.+)", re.IGNORECASE)


class Transport(StrEnum):
    """How a request came in."""

    GRPC = "grpc"
    REST = "rest"
    DIRECT = "direct"
    """A function call, without a server: tests of the rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The circumstances of one request.

    Attributes:
        principal: the name in a bearer token `sandbox:NAME`, else `anonymous`.
        quota_project: the project in `x-goog-user-project`, else `None`.
        region: where the request reaches Pub/Sub; `None` counts as inside every storage policy.
        metadata: headers worth logging.
        gone: set when the client no longer waits, or the sandbox stops.
    """

    transport: Transport = Transport.DIRECT
    principal: str = "anonymous"
    quota_project: str | None = None
    region: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    gone: Event = field(default_factory=Event)

    @classmethod
    def of(cls, transport: Transport, headers: Mapping[str, str], *, gone: Event | None = None) -> Call:
        """Reads the circumstances from headers with lower-case names (gRPC metadata, or HTTP headers with `host`)."""
        token = _TOKEN.fullmatch(headers.get("authorization", ""))
        host = _REGIONAL_HOST.match(headers.get("host", ""))
        return cls(
            transport=transport,
            principal=token["principal"] if token else "anonymous",
            quota_project=headers.get("x-goog-user-project") or None,
            region=headers.get(REGION_HEADER) or (host["region"] if host else None),
            metadata={name: value for name, value in headers.items() if name in _KEPT},
            gone=gone or Event(),
        )

    def hang(self) -> NoReturn:
        """Waits until nobody waits for the answer.

        Raises:
            Gone: then.
        """
        self.gone.wait()
        raise Gone

    def wait(self, seconds: float) -> None:
        """Waits in real time.

        Raises:
            Gone: as soon as nobody waits for the answer.
        """
        if self.gone.wait(seconds):
            raise Gone
