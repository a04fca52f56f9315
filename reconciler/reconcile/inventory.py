"""What the Asset Inventory alone does not settle, and has to be read again from Pub/Sub.

Premise: an inventory lags behind and lacks the in-transit flag. What it shows suffices to say that a topic is in sync,
or to report that it is not. It does not suffice

- to change a topic: `before` has to hold both fields, as they are now;
- to call a declared topic absent: it may only be too young;
- to find nothing in a project: it may be no part of the organization that was listed.

Up to `MOST_SINGLE_READS` topics of a project are read one by one. A project with more of them is listed as a whole, as
is one of which the inventory shows nothing: that costs one call for many topics, so no project costs more than it would
have without the inventory, but for those few.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from reconciler.model import LiveTopic, TopicName
from reconciler.reconcile.drift import Kind
from reconciler.reconcile.plan import LiveProject, Plan, Row
from reconciler.reconcile.policies import Unavailable

MOST_SINGLE_READS = 10
"""Topics of one project that are read one by one; with more of them, the project is listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAgain:
    """What has to be read from Pub/Sub before a plan from an inventory says anything about it.

    Attributes:
        projects: those to be listed as a whole, sorted.
        topics: single topics of other projects, in the order of their names.
    """

    projects: tuple[str, ...] = ()
    topics: tuple[TopicName, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Live topics, with what was read again put over what the inventory said.

    Attributes:
        live: the topics of each project, or why they could not be listed.
        unread: single topics that could not be read, with the reason.
    """

    live: Mapping[str, LiveProject]
    unread: Mapping[TopicName, Unavailable] = field(default_factory=dict)


def to_read_again(plan: Plan, live: Mapping[str, LiveProject]) -> ReadAgain:
    """What a plan that was made from an inventory does not settle.

    Args:
        plan: made from `live`.
        live: what the inventory showed of each project.
    """
    open_topics: dict[str, list[TopicName]] = {project: [] for project in live}
    for row in plan.rows:
        if _is_open(row):
            open_topics[row.drift.name.project].append(row.drift.name)
    empty = {project for project, topics in live.items() if not isinstance(topics, Unavailable) and not topics}
    crowded = {project for project, topics in open_topics.items() if len(topics) > MOST_SINGLE_READS}
    whole = empty | crowded
    return ReadAgain(
        projects=tuple(sorted(whole)),
        topics=tuple(name for project in sorted(open_topics.keys() - whole) for name in open_topics[project]),
    )


def settle(
    live: Mapping[str, LiveProject],
    projects: Mapping[str, LiveProject],
    topics: Mapping[TopicName, LiveTopic | Unavailable | None],
) -> Settled:
    """Puts what Pub/Sub answered over what the inventory showed.

    Args:
        live: what the inventory showed of each project.
        projects: those that were listed again.
        topics: those that were read again; `None` where there is no such topic.
    """
    corrected: dict[str, LiveProject] = {**live, **projects}
    found: dict[str, list[LiveTopic]] = {name.project: [] for name in topics}
    for answer in topics.values():
        if isinstance(answer, LiveTopic):
            found[answer.name.project].append(answer)
    for project, answers in found.items():
        shown = corrected[project]
        if not isinstance(shown, Unavailable):
            corrected[project] = (*(topic for topic in shown if topic.name not in topics), *answers)
    unread = {name: answer for name, answer in topics.items() if isinstance(answer, Unavailable)}
    return Settled(live=corrected, unread=unread)


def _is_open(row: Row) -> bool:
    """Whether a row would change a topic whose flag is not known, or calls one absent."""
    return row.drift.kind is Kind.ABSENT or (row.change is not None and not row.drift.flag_known)
