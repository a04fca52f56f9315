"""What a failed write means: wait, stop, or look what became of it."""

from __future__ import annotations

from enum import StrEnum

from reconciler.errors import CallFailed

REGIONS_NOT_ALLOWED = "contains the following GCP regions that are not allowed"
"""What Pub/Sub says of a policy with a region that the organization does not allow. The text goes on to advise waiting
for recently created projects, yet it is permanent: it lists the regions (recorded in
https://github.com/google/knative-gcp/issues/1701)."""

NO_REGION_ALLOWED = "does not allow message storage in any GCP region"
"""What Pub/Sub says where the effective policy admits no region; passes in a project that has just been created, whose
policy is not there yet (recorded in https://github.com/hashicorp/terraform-provider-google/issues/4349)."""

_SURELY_NOT_DONE = frozenset(
    {
        "FAILED_PRECONDITION",
        "INVALID_ARGUMENT",
        "NOT_FOUND",
        "OUT_OF_RANGE",
        "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED",
        "UNAUTHENTICATED",
        "UNIMPLEMENTED",
    }
)
"""Codes with which the server refuses a request before it does anything (google/rpc/code.proto). With any other, the
request may have been carried out."""


class Trouble(StrEnum):
    """What a failed call asks for."""

    THROTTLED = "throttled"
    """The quota is used up: everything that the same payer pays for waits."""
    PASSING = "passing"
    """The same call may succeed later."""
    POLICY_CHANGING = "policy-changing"
    """The organization's policy is not the one that the plan was computed from: nothing more for this project."""
    PERMANENT = "permanent"
    """The same call will never succeed."""


def trouble(error: CallFailed) -> Trouble:
    """What a failed call asks for."""
    if error.code == "RESOURCE_EXHAUSTED":
        return Trouble.THROTTLED
    if REGIONS_NOT_ALLOWED in error.message:
        return Trouble.POLICY_CHANGING
    if error.is_transient or NO_REGION_ALLOWED in error.message:
        return Trouble.PASSING
    return Trouble.PERMANENT


def is_surely_not_done(error: CallFailed) -> bool:
    """Whether a write that failed like this certainly changed nothing."""
    return error.code in _SURELY_NOT_DONE
