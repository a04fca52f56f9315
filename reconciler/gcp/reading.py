"""A fleet's live state: each project's policy and topics; one project's failure never stops another's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from reconciler.errors import CallFailed
from reconciler.gcp.organization import Organization
from reconciler.gcp.pubsub import PubsubTopics
from reconciler.orgpolicy import EffectivePolicy
from reconciler.reconcile import LiveProject, Unavailable

_Answer = TypeVar("_Answer")

CONCURRENT_PROJECTS = 16
"""Projects that are read at the same time."""


def read_policies(projects: Iterable[str], organization: Organization) -> Mapping[str, EffectivePolicy | Unavailable]:
    """The effective policy of each project, or why it could not be read."""
    permission = "`orgpolicy.policy.get`, held by roles/orgpolicy.policyViewer"
    return _for_each(projects, organization.effective_policy, "the organization policy", permission)


def read_topics(projects: Iterable[str], topics: PubsubTopics) -> Mapping[str, LiveProject]:
    """The topics of each project, or why they could not be listed."""
    permission = "`pubsub.topics.list`, held by roles/pubsub.viewer"
    return _for_each(projects, lambda project: tuple(topics.list(project)), "the topics", permission)


def _for_each(
    projects: Iterable[str], read: Callable[[str], _Answer], what: str, permission: str
) -> dict[str, _Answer | Unavailable]:
    def attempt(project: str) -> _Answer | Unavailable:
        try:
            return read(project)
        except CallFailed as error:
            return Unavailable(reason=f"{what} could not be read: {error.message}", hint=_way_out(error, permission))

    names = sorted(projects)
    with ThreadPoolExecutor(max_workers=CONCURRENT_PROJECTS) as pool:
        return dict(zip(names, pool.map(attempt, names), strict=True))


def _way_out(error: CallFailed, permission: str) -> str:
    if error.hint:
        return error.hint
    match error.code:
        case "PERMISSION_DENIED":
            return f"the caller needs {permission}"
        case "NOT_FOUND":
            return "correct the project in `projects` of stack.yaml"
        case "UNAVAILABLE" | "DEADLINE_EXCEEDED":
            return "check the endpoint and the network, then run again"
        case _:
            return "run again; if it persists, read the API's message"
