"""A fleet's live state: each project's policy and topics; one project's failure never stops another's."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from reconciler.errors import CallFailed
from reconciler.gcp.assets import AssetTopics
from reconciler.gcp.organization import Organization
from reconciler.gcp.pubsub import PubsubTopics
from reconciler.gcp.remedies import ASSETS, EFFECTIVE_POLICY, TOPIC, TOPICS, Access, unavailable
from reconciler.model import LiveTopic, TopicName
from reconciler.orgpolicy import EffectivePolicy
from reconciler.reconcile import LiveProject, Unavailable

_Item = TypeVar("_Item", bound=Hashable)
_Answer = TypeVar("_Answer")

CONCURRENT_PROJECTS = 16
"""Projects that are read at the same time."""

CONCURRENT_POLICIES = 64
"""Projects whose policies are: each takes four small calls, one after the other, which mostly wait."""


def read_policies(projects: Iterable[str], organization: Organization) -> Mapping[str, EffectivePolicy | Unavailable]:
    """The effective policy of each project, or why it could not be read."""
    return _for_each(
        sorted(set(projects)), organization.effective_policy, EFFECTIVE_POLICY, at_once=CONCURRENT_POLICIES
    )


def read_topics(projects: Iterable[str], topics: PubsubTopics) -> Mapping[str, LiveProject]:
    """The topics of each project, or why they could not be listed."""
    with reading_topics(projects, topics) as answers:
        return answers()


@contextmanager
def reading_topics(projects: Iterable[str], topics: PubsubTopics) -> Iterator[Callable[[], Mapping[str, LiveProject]]]:
    """The same beside whatever else the block does; calling what it yields waits for the answers."""
    with _begun(
        sorted(set(projects)), lambda project: tuple(topics.list(project)), TOPICS, CONCURRENT_PROJECTS
    ) as answers:
        yield answers


def read_whole_topics(
    projects: Iterable[str], topics: PubsubTopics
) -> Mapping[str, Mapping[TopicName, Mapping[str, Any]] | Unavailable]:
    """The topics of each project with all of their fields, under their REST names, or why they could not be listed."""
    return _for_each(
        sorted(set(projects)), lambda project: dict(topics.list_whole(project)), TOPICS, at_once=CONCURRENT_PROJECTS
    )


def read_single_topics(
    names: Iterable[TopicName], topics: PubsubTopics, pace: Callable[[str], object]
) -> Mapping[TopicName, LiveTopic | Unavailable | None]:
    """Single topics, `None` where there is none of that name, or why they could not be read.

    `pace` is called with a topic's project before each call, and waits as long as the quota asks for.
    """

    def read(name: TopicName) -> LiveTopic | None:
        pace(name.project)
        return topics.look_up(name)

    return _for_each(sorted(set(names)), read, TOPIC)


def read_inventory(parent: str, projects: Iterable[str], assets: AssetTopics) -> Mapping[str, LiveProject]:
    """The topics of each project as one list of everything below `parent` shows them, or why there is no such list.

    An incomplete list says nothing about any project, so one page that cannot be read takes all of them with it.
    """
    found: dict[str, list[LiveTopic]] = {project: [] for project in sorted(set(projects))}
    try:
        for topic in assets.list(parent, found.keys()):
            found[topic.name.project].append(topic)
    except CallFailed as error:
        return dict.fromkeys(found, unavailable(error, ASSETS))
    return found


def _for_each(
    names: Sequence[_Item], read: Callable[[_Item], _Answer], access: Access, *, at_once: int = CONCURRENT_PROJECTS
) -> dict[_Item, _Answer | Unavailable]:
    with _begun(names, read, access, at_once) as answers:
        return answers()


@contextmanager
def _begun(
    names: Sequence[_Item], read: Callable[[_Item], _Answer], access: Access, at_once: int
) -> Iterator[Callable[[], dict[_Item, _Answer | Unavailable]]]:
    def attempt(name: _Item) -> _Answer | Unavailable:
        try:
            return read(name)
        except CallFailed as error:
            return unavailable(error, access)

    pool = ThreadPoolExecutor(max_workers=at_once)
    try:
        reading = {name: pool.submit(attempt, name) for name in names}
        yield lambda: {name: answer.result() for name, answer in reading.items()}
    finally:
        # Whoever is interrupted here has a lease to give back, and does not wait for calls that may stall.
        pool.shutdown(wait=False, cancel_futures=True)
