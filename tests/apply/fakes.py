"""A cloud with the API's own rules, one topic deep, that fails on command."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from reconciler.errors import CallFailed
from reconciler.model import LiveTopic, RegionSet, StoragePolicy, TopicName

PERMISSION_DENIED = CallFailed("PERMISSION_DENIED", "pubsub.topics.update is missing", is_transient=False)
UNAVAILABLE = CallFailed("UNAVAILABLE", "try again", is_transient=True)


@dataclass
class FakeTopics:
    """Topics in memory; `failures` are raised by the next writes, before or after they have happened."""

    policies: dict[TopicName, StoragePolicy | None]
    computed: StoragePolicy | None = None
    failures: deque[tuple[CallFailed, bool]] = field(default_factory=deque)
    reads_fail: deque[CallFailed | None] = field(default_factory=deque)
    writes: list[TopicName] = field(default_factory=list)

    def get(self, name: TopicName) -> LiveTopic | None:
        if self.reads_fail and (error := self.reads_fail.popleft()):
            raise error
        if name not in self.policies:
            return None
        return LiveTopic(name=name, policy=self.policies[name])

    def write_storage_policy(self, name: TopicName, policy: StoragePolicy) -> None:
        self._write(name, policy)

    def recompute_storage_policy(self, name: TopicName) -> None:
        self._write(name, self.computed)

    def _write(self, name: TopicName, policy: StoragePolicy | None) -> None:
        self.writes.append(name)
        error, is_lost = self.failures.popleft() if self.failures else (None, False)
        if error is None or is_lost:
            self.policies[name] = policy
        if error is not None:
            raise error


def policy(*regions: str, flag: bool = False) -> StoragePolicy:
    return StoragePolicy(regions=RegionSet.of(*regions), enforce_in_transit=flag)
