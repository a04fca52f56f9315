"""Two recorded texts that advise the same and mean the opposite."""

from __future__ import annotations

import pytest

from reconciler.apply import Trouble, trouble
from reconciler.apply.trouble import is_surely_not_done
from reconciler.errors import CallFailed

NOT_ALLOWED = (
    "The requested message storage policy contains the following GCP regions that are not allowed by the project's "
    "organization policy: us-east1. If the project was recently created, you may need to wait a few minutes"
)
"""https://github.com/google/knative-gcp/issues/1701 (2020-09-17)."""

NOWHERE = "does not allow message storage in any GCP region where Cloud Pub/Sub is present"
"""https://github.com/hashicorp/terraform-provider-google/issues/4349 (2019-08-27)."""


@pytest.mark.parametrize(
    ("code", "message", "is_transient", "meaning", "not_done"),
    [
        ("FAILED_PRECONDITION", NOT_ALLOWED, False, Trouble.POLICY_CHANGING, True),
        ("FAILED_PRECONDITION", NOWHERE, False, Trouble.PASSING, True),
        ("RESOURCE_EXHAUSTED", "quota", True, Trouble.THROTTLED, True),
        ("UNAVAILABLE", "try again", True, Trouble.PASSING, False),
        ("DEADLINE_EXCEEDED", "too late", True, Trouble.PASSING, False),
        ("PERMISSION_DENIED", "no", False, Trouble.PERMANENT, True),
        ("INTERNAL", "who knows", False, Trouble.PERMANENT, False),
    ],
)
def test_what_a_failed_call_asks_for(
    code: str, message: str, is_transient: bool, meaning: Trouble, not_done: bool
) -> None:
    error = CallFailed(code, message, is_transient=is_transient)
    assert (trouble(error), is_surely_not_done(error)) == (meaning, not_done)
