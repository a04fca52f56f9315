"""What is live once a run has ended, as far as the run knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reconciler.model import StoragePolicy, TopicName, regions_of
from reconciler.reconcile.outcome import Outcome, Status


def live_after(
    live: Mapping[TopicName, StoragePolicy | None], outcomes: Iterable[Outcome]
) -> dict[TopicName, StoragePolicy | None]:
    """The storage policies of topics after a run, from those that its plan was made of.

    A change that failed may have been carried out all the same, or still be: such a topic counts as having the regions
    that it has either way.
    """
    after = dict(live)
    for outcome in outcomes:
        change = outcome.change
        if change.name not in after:
            continue
        if outcome.status in (Status.MADE, Status.STALE):
            after[change.name] = outcome.found
        elif outcome.status is Status.FAILED:
            after[change.name] = _either_way(change.before, change.after)
    return after


def _either_way(before: StoragePolicy | None, after: StoragePolicy | None) -> StoragePolicy | None:
    regions = regions_of(before) & regions_of(after)
    if regions.complement:
        return None
    enforced = any(policy is not None and policy.enforce_in_transit for policy in (before, after))
    return StoragePolicy(regions=regions, enforce_in_transit=enforced)
