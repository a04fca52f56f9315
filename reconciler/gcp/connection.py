"""How the Google Cloud clients are reached: endpoint, credentials, quota project, errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import grpc
from google.api_core import exceptions
from google.api_core.retry import Retry
from google.auth.exceptions import DefaultCredentialsError, RefreshError

from reconciler.errors import CallFailed, HedgerowError
from reconciler.model import Endpoints

_Transport = TypeVar("_Transport")

_TRANSIENT = (
    exceptions.ServiceUnavailable,
    exceptions.ResourceExhausted,
    exceptions.TooManyRequests,
    exceptions.DeadlineExceeded,
    exceptions.Aborted,
)

QUOTA_PROJECT_OF_TOPIC = "topic"
"""The quota project setting by which each topic's own project pays for the calls about it."""

CALL_TIMEOUT = 30.0
"""Seconds after which an attempt that nobody answers is given up."""

RETRY_BUDGET = 60.0
"""Longer than an attempt, so that one which stalls is tried again."""

_UNLIMITED = [("grpc.max_receive_message_length", -1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """Where the APIs are and on whose account they are called.

    Attributes:
        quota_project: the project that pays the quota, `topic`, or `None` for the caller's own.
        call_timeout: seconds that one attempt may take.
        retry_budget: seconds for which transient errors of reads are tried again.
    """

    endpoints: Endpoints = Endpoints()
    quota_project: str | None = None
    call_timeout: float = CALL_TIMEOUT
    retry_budget: float = RETRY_BUDGET

    @property
    def read_retry(self) -> Retry:
        """The retry policy of reads: transient errors only, with jitter, within the budget."""
        return Retry(
            predicate=lambda error: isinstance(error, _TRANSIENT),
            initial=0.1,
            maximum=5.0,
            multiplier=2.0,
            timeout=self.retry_budget,
        )

    def metadata(self, project: str) -> Sequence[tuple[str, str]]:
        """The header that charges a call about a project to the quota project."""
        payer = project if self.quota_project == QUOTA_PROJECT_OF_TOPIC else self.quota_project
        return [("x-goog-user-project", payer)] if payer else []


def open_transport(transport: Callable[..., _Transport], endpoint: str | None, default: str) -> _Transport:
    """A client's gRPC transport: plain text for `http://HOST:PORT`, else TLS with the ambient credentials.

    Raises:
        HedgerowError: when there are no credentials.
    """
    if endpoint is not None and endpoint.startswith("http://"):
        return transport(channel=grpc.insecure_channel(endpoint.removeprefix("http://").rstrip("/"), _UNLIMITED))
    try:
        return transport(host=(endpoint or default).removeprefix("https://"))
    except DefaultCredentialsError:
        raise HedgerowError(
            "there are no Google Cloud credentials",
            hint="run `gcloud auth application-default login`, or set `GOOGLE_APPLICATION_CREDENTIALS`",
        ) from None


@contextmanager
def translated_errors() -> Iterator[None]:
    """Turns the client libraries' exceptions into `CallFailed`."""
    try:
        yield
    except exceptions.RetryError as error:
        cause: Any = error.cause
        raise _failed(cause if isinstance(cause, exceptions.GoogleAPICallError) else error) from error
    except (exceptions.GoogleAPICallError, RefreshError) as error:
        raise _failed(error) from error


def _failed(error: Exception) -> CallFailed:
    if not isinstance(error, exceptions.GoogleAPICallError):
        return CallFailed("UNAUTHENTICATED", str(error), is_transient=False, hint="log in again")
    status = error.grpc_status_code
    code = status.name if status is not None else type(error).__name__
    hint = None
    if "quota project" in error.message or error.reason == "SERVICE_DISABLED" or "SERVICE_DISABLED" in error.message:
        # User credentials without a quota project are charged to a project of Google's own, where the API is disabled.
        service = (error.metadata or {}).get("service", "this API")
        hint = f"set `reconcile.quotaProject` in stack.yaml to a project that has {service} enabled"
    elif error.reason == "IAM_PERMISSION_DENIED" and error.metadata:
        on = f" on {error.metadata['resource']}" if error.metadata.get("resource") else ""
        hint = f"the caller needs `{error.metadata.get('permission', 'a permission')}`{on}"
    return CallFailed(code, error.message, is_transient=isinstance(error, _TRANSIENT), hint=hint)
