"""A fleet's live state: each project's policy and topics; one project's failure never stops another's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from reconciler.errors import CallFailed
from reconciler.gcp.organization import Organization
from reconciler.gcp.pubsub import PubsubTopics
from reconciler.gcp.remedies import EFFECTIVE_POLICY, TOPICS, Access, unavailable
from reconciler.orgpolicy import EffectivePolicy
from reconciler.reconcile import LiveProject, Unavailable

_Answer = TypeVar("_Answer")

CONCURRENT_PROJECTS = 16
"""Projects that are read at the same time."""


def read_policies(projects: Iterable[str], organization: Organization) -> Mapping[str, EffectivePolicy | Unavailable]:
    """The effective policy of each project, or why it could not be read."""
    return _for_each(projects, organization.effective_policy, EFFECTIVE_POLICY)


def read_topics(projects: Iterable[str], topics: PubsubTopics) -> Mapping[str, LiveProject]:
    """The topics of each project, or why they could not be listed."""
    return _for_each(projects, lambda project: tuple(topics.list(project)), TOPICS)


def _for_each(
    projects: Iterable[str], read: Callable[[str], _Answer], access: Access
) -> dict[str, _Answer | Unavailable]:
    def attempt(project: str) -> _Answer | Unavailable:
        try:
            return read(project)
        except CallFailed as error:
            return unavailable(error, access)

    names = sorted(set(projects))
    pool = ThreadPoolExecutor(max_workers=CONCURRENT_PROJECTS)
    try:
        return dict(zip(names, pool.map(attempt, names), strict=True))
    finally:
        # Whoever is interrupted here has a lease to give back, and does not wait for calls that may stall.
        pool.shutdown(wait=False, cancel_futures=True)
