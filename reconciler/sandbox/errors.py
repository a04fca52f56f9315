"""What a refused request is told, once for both transports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.json_format import MessageToDict
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status


class Code(Enum):
    """The canonical codes: gRPC's number, and the HTTP status that `google/rpc/code.proto` maps it to."""

    OK = (0, 200)
    CANCELLED = (1, 499)
    UNKNOWN = (2, 500)
    INVALID_ARGUMENT = (3, 400)
    DEADLINE_EXCEEDED = (4, 504)
    NOT_FOUND = (5, 404)
    ALREADY_EXISTS = (6, 409)
    PERMISSION_DENIED = (7, 403)
    RESOURCE_EXHAUSTED = (8, 429)
    FAILED_PRECONDITION = (9, 400)
    ABORTED = (10, 409)
    OUT_OF_RANGE = (11, 400)
    UNIMPLEMENTED = (12, 501)
    INTERNAL = (13, 500)
    UNAVAILABLE = (14, 503)
    DATA_LOSS = (15, 500)
    UNAUTHENTICATED = (16, 401)

    @property
    def number(self) -> int:
        """The number on the gRPC wire."""
        return self.value[0]

    @property
    def http_status(self) -> int:
        """The status of a REST answer."""
        return self.value[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """A machine-readable cause (`google.rpc.ErrorInfo`) in the `googleapis.com` domain."""

    reason: str
    metadata: Mapping[str, str]


class ApiError(Exception):
    """A refusal, as the service words it: what clients show is `message`, what they branch on is `code`."""

    def __init__(self, code: Code, message: str, *, reason: Reason | None = None) -> None:
        super().__init__(f"{code.name}: {message}")
        self.code = code
        self.message = message
        self.reason = reason

    def to_status(self) -> Status:
        """The `google.rpc.Status` that gRPC clients find in the trailing metadata."""
        status = Status(code=self.code.number, message=self.message)
        if self.reason is not None:
            detail = AnyMessage()
            info = ErrorInfo(reason=self.reason.reason, domain="googleapis.com", metadata=dict(self.reason.metadata))
            detail.Pack(info)
            status.details.append(detail)
        return status

    def to_json(self) -> dict[str, Any]:
        """The body of a REST answer."""
        body: dict[str, Any] = {"code": self.code.http_status, "message": self.message, "status": self.code.name}
        if self.reason is not None:
            body["details"] = MessageToDict(self.to_status())["details"]
        return {"error": body}


class Gone(Exception):
    """Nobody waits for the answer any more: the client gave up, or the sandbox stops."""


def invalid(message: str) -> ApiError:
    """The refusal of a request that no state of the world would make right."""
    return ApiError(Code.INVALID_ARGUMENT, message)
