"""The way back from a run: for each topic that it wrote, or may have written, the policy that the topic had before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from reconciler.model import LiveTopic, Resolution, StoragePolicy, TopicName, regions_of
from reconciler.reconcile.plan import LiveProject
from reconciler.reconcile.policies import ProjectPolicy, Unavailable
from reconciler.reconcile.resolve import Change


class Why(StrEnum):
    """Why a topic that a run touched is not set back."""

    AS_BEFORE = "as-before"
    """It has the policy that it had before the run."""
    CHANGED_SINCE = "changed-since"
    """It has neither the policy from before the run nor the one that the run wrote."""
    GONE = "gone"
    NOT_ALLOWED = "not-allowed"
    """The organization no longer allows the policy that it had."""
    NOT_EVALUATED = "not-evaluated"
    """The topic or the organization's policy could not be read, or what it allows is undecided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """A topic that stays as it is, and why; `reason` says it in words."""

    name: TopicName
    why: Why
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """The changes that lead back from a run, and the topics that stay as they are."""

    changes: tuple[Change, ...]
    stays: tuple[Stay, ...]

    @property
    def not_evaluated(self) -> tuple[Stay, ...]:
        """The topics that nothing certain can be said about."""
        return tuple(stay for stay in self.stays if stay.why is Why.NOT_EVALUATED)


def reverse(
    written: Iterable[Change],
    live: Mapping[str, LiveProject],
    policies: Mapping[str, ProjectPolicy | Unavailable],
    *,
    run: str,
) -> Reversal:
    """Plans the way back. Only a topic that still has what the run wrote is set back, and only as a whole.

    Args:
        written: the changes that the run sent, or was about to send when it crashed.
        live: the topics of each project concerned, or why they could not be listed.
        policies: the effective policy of each project concerned, or why it could not be read.
        run: its id, for the reasons.
    """
    found = {topic.name: topic for topics in live.values() if not isinstance(topics, Unavailable) for topic in topics}
    changes, stays = [], []
    for change in sorted(written, key=lambda change: change.name):
        project = change.name.project
        step = _back(change, live[project], found.get(change.name), policies[project], run)
        if isinstance(step, Stay):
            stays.append(step)
        else:
            changes.append(step)
    return Reversal(changes=tuple(changes), stays=tuple(stays))


def _back(
    change: Change,
    project: LiveProject,
    topic: LiveTopic | None,
    policy: ProjectPolicy | Unavailable,
    run: str,
) -> Change | Stay:
    for source in (project, policy):
        if isinstance(source, Unavailable):
            return Stay(name=change.name, why=Why.NOT_EVALUATED, reason=source.reason)
    assert isinstance(policy, ProjectPolicy)  # noqa: S101 - narrowed above
    if topic is None:
        return Stay(name=change.name, why=Why.GONE, reason="the topic is gone")
    if topic.policy == change.before:
        return Stay(name=change.name, why=Why.AS_BEFORE, reason="it is as it was before the run")
    if topic.policy != change.after:
        return Stay(
            name=change.name, why=Why.CHANGED_SINCE, reason=f"it has been changed since: now {words(topic.policy)}"
        )
    obstacle = _obstacle(change.before, policy)
    if obstacle is not None:
        return Stay(name=change.name, why=obstacle[0], reason=obstacle[1])
    return replace(
        change,
        resolution=Resolution.RECOMPUTE if change.before is None else Resolution.ENFORCE,
        before=topic.policy,
        after=change.before,
        why=f"back to what it was before {run}",
    )


def _obstacle(before: StoragePolicy | None, policy: ProjectPolicy) -> tuple[Why, str] | None:
    """What stands against writing a policy again."""
    if before is not None and before.is_empty:
        return Why.NOT_ALLOWED, "it had no region, and an empty list is never written"
    allowed, regions = policy.wanted.allowed, regions_of(before)
    outside = regions - allowed.possible
    if outside:
        what = "no storage policy" if before is None else str(outside)
        return Why.NOT_ALLOWED, f"it had {what}, which the organization's policy does not allow"
    flag = before is not None and before.enforce_in_transit
    if policy.wanted.in_transit is not False and not flag:
        if policy.wanted.in_transit is None:
            return Why.NOT_EVALUATED, "it is undecided whether in-transit enforcement is required"
        return Why.NOT_ALLOWED, "it did not enforce its regions in transit, which the organization's policy requires"
    if not regions <= allowed.certain:
        doubtful = regions - allowed.certain
        return Why.NOT_EVALUATED, f"it is undecided whether the organization's policy allows {doubtful}"
    return None


def words(policy: StoragePolicy | None) -> str:
    """A storage policy in words: its regions, and whether it enforces them in transit."""
    if policy is None:
        return "no storage policy"
    return f"{policy.regions}{', enforced in transit' if policy.enforce_in_transit else ''}"
