"""Why something could not be read, and the way out: the permission, the role that holds it, the setting.

Permissions and roles: IAM reference of 2026-05-30 for Organization Policy, Pub/Sub and Resource Manager; for the Asset
Inventory https://docs.cloud.google.com/asset-inventory/docs/access-control.
"""

from __future__ import annotations

from dataclasses import dataclass

from reconciler.errors import CallFailed
from reconciler.reconcile import Unavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """A kind of reading.

    Attributes:
        what: is read.
        needs: what a caller needs for it.
        named_in: where the stack names what was looked for.
    """

    what: str
    needs: str
    named_in: str = "the project in `projects`"


POLICIES = Access(
    what="the organization policy",
    needs="`orgpolicy.policy.get` and `orgpolicy.policies.list`, held by roles/orgpolicy.policyViewer",
)
EFFECTIVE_POLICY = Access(
    what="the organization policy", needs="`orgpolicy.policy.get`, held by roles/orgpolicy.policyViewer"
)
TOPICS = Access(what="the topics", needs="`pubsub.topics.list`, held by roles/pubsub.viewer")
TOPIC = Access(what="the topic", needs="`pubsub.topics.get`, held by roles/pubsub.viewer")
ASSETS = Access(
    what="the Asset Inventory",
    needs="`cloudasset.assets.listResource` on the organization, held by roles/cloudasset.viewer, and "
    "`serviceusage.services.use`, held by roles/serviceusage.serviceUsageConsumer",
    named_in="`organization`",
)
TREE = Access(what="the resource", needs="the right to get it in Resource Manager")
TAGS = Access(what="the tags", needs="roles/resourcemanager.tagViewer")


def unavailable(error: CallFailed, access: Access) -> Unavailable:
    """What is reported in place of something that could not be read; it is never taken for "none"."""
    return Unavailable(reason=f"{access.what} could not be read: {error.message}", hint=_way_out(error, access))


def _way_out(error: CallFailed, access: Access) -> str:
    if error.hint:
        return error.hint
    match error.code:
        case "PERMISSION_DENIED":
            return f"the caller needs {access.needs}"
        case "NOT_FOUND":
            return f"correct {access.named_in} of stack.yaml"
        case "UNAVAILABLE" | "DEADLINE_EXCEEDED":
            return "check the endpoint and the network, then run again"
        case "RESOURCE_EXHAUSTED":
            return "wait a minute and run again, or have another project pay: `reconcile.quotaProject` in stack.yaml"
        case _:
            return "run again; if it persists, read the API's message"
