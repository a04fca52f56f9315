"""What the client libraries raise, as failures that name the way out."""

from __future__ import annotations

from typing import Any

import pytest
from google.api_core import exceptions as api
from google.rpc.error_details_pb2 import ErrorInfo

from reconciler.errors import CallFailed
from reconciler.gcp.connection import translated_errors

exceptions: Any = api
"""The library's constructors have no types."""


def failure(error: Exception) -> CallFailed:
    with pytest.raises(CallFailed) as failed, translated_errors():
        raise error
    return failed.value


def denied(reason: str, metadata: dict[str, str]) -> Exception:
    info = ErrorInfo(reason=reason, domain="googleapis.com", metadata=metadata)
    error: Exception = exceptions.PermissionDenied("no", error_info=info)
    return error


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (
            denied("SERVICE_DISABLED", {"service": "orgpolicy.googleapis.com", "consumer": "projects/764086051850"}),
            "set `reconcile.quotaProject` in stack.yaml to a project that has orgpolicy.googleapis.com enabled",
        ),
        (
            exceptions.PermissionDenied("the API requires a quota project, which is not set by default"),
            "set `reconcile.quotaProject` in stack.yaml to a project that has this API enabled",
        ),
        (
            denied("IAM_PERMISSION_DENIED", {"permission": "orgpolicy.policy.get", "resource": "folders/456"}),
            "the caller needs `orgpolicy.policy.get` on folders/456",
        ),
        (
            denied("IAM_PERMISSION_DENIED", {"permission": "orgpolicy.policy.get"}),
            "the caller needs `orgpolicy.policy.get`",
        ),
        (exceptions.PermissionDenied("no"), None),
    ],
    ids=["service disabled", "no quota project", "permission and resource", "permission", "nothing known"],
)
def test_a_refusal_names_what_is_missing_as_far_as_the_api_says(error: Exception, hint: str | None) -> None:
    failed = failure(error)

    assert (failed.code, failed.hint, failed.is_transient) == ("PERMISSION_DENIED", hint, False)


def test_a_budget_that_is_used_up_shows_the_last_failure() -> None:
    failed = failure(exceptions.RetryError("timed out", exceptions.ResourceExhausted("slow down")))

    assert (failed.code, failed.is_transient, str(failed)) == (
        "RESOURCE_EXHAUSTED",
        True,
        "error: RESOURCE_EXHAUSTED: slow down",
    )
