"""Why something could not be read, and the way out: the permission, the role that holds it, the setting.

Permissions and roles: IAM reference of 2026-05-30 for Organization Policy, Pub/Sub and Resource Manager.
"""

from __future__ import annotations

from dataclasses import dataclass

from reconciler.errors import CallFailed
from reconciler.reconcile import Unavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """A kind of reading: what is read, and what a caller needs for it."""

    what: str
    needs: str


POLICIES = Access(
    what="the organization policy",
    needs="`orgpolicy.policy.get` and `orgpolicy.policies.list`, held by roles/orgpolicy.policyViewer",
)
EFFECTIVE_POLICY = Access(
    what="the organization policy", needs="`orgpolicy.policy.get`, held by roles/orgpolicy.policyViewer"
)
TOPICS = Access(what="the topics", needs="`pubsub.topics.list`, held by roles/pubsub.viewer")
TREE = Access(what="the resource", needs="the right to get it in Resource Manager")
TAGS = Access(what="the tags", needs="roles/resourcemanager.tagViewer")


def unavailable(error: CallFailed, access: Access) -> Unavailable:
    """What is reported in place of something that could not be read; it is never taken for "none"."""
    return Unavailable(reason=f"{access.what} could not be read: {error.message}", hint=_way_out(error, access.needs))


def _way_out(error: CallFailed, needs: str) -> str:
    if error.hint:
        return error.hint
    match error.code:
        case "PERMISSION_DENIED":
            return f"the caller needs {needs}"
        case "NOT_FOUND":
            return "correct the project in `projects` of stack.yaml"
        case "UNAVAILABLE" | "DEADLINE_EXCEEDED":
            return "check the endpoint and the network, then run again"
        case "RESOURCE_EXHAUSTED":
            return "wait a minute and run again, or have another project pay: `reconcile.quotaProject` in stack.yaml"
        case _:
            return "run again; if it persists, read the API's message"
