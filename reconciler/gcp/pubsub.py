"""Live topics: listed page by page, read one by one only when about to be written, and their storage policy written.

The pages are walked as raw protobuf messages, which is about ten times faster than through proto-plus wrappers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from google.api_core import exceptions
from google.api_core.retry import Retry
from google.protobuf.field_mask_pb2 import FieldMask
from google.pubsub_v1 import PublisherClient
from google.pubsub_v1 import types as pubsub
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport

from reconciler.errors import CallFailed
from reconciler.gcp.connection import Connection, open_transport, translated_errors
from reconciler.model import LiveTopic, RegionSet, StoragePolicy, TopicName
from reconciler.reconcile import UPDATE_MASK

PAGE_SIZE = 1000
"""Topics asked for in one page; the server may return fewer (its maximum is not documented)."""


class PubsubTopics:
    """Pub/Sub topics over the official client. Safe to use from several threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        transport = open_transport(
            PublisherGrpcTransport, connection.endpoints.pubsub, PublisherClient.DEFAULT_ENDPOINT
        )
        self._client = PublisherClient(transport=transport)

    def list(self, project: str) -> Iterator[LiveTopic]:
        """All topics of a project.

        Raises:
            CallFailed: when a page could not be read within the retry budget, or pages turn in circles.
        """
        seen: set[str] = set()
        with translated_errors():
            pages = self._client.list_topics(
                pubsub.ListTopicsRequest(project=f"projects/{project}", page_size=PAGE_SIZE),
                retry=self._connection.read_retry,
                timeout=self._connection.call_timeout,
                metadata=self._connection.metadata(project),
            ).pages
            for page in pages:
                for topic in pubsub.ListTopicsResponse.pb(page).topics:
                    yield _live_topic(topic)
                if page.next_page_token in seen:
                    raise CallFailed("INTERNAL", "ListTopics handed out the same page token twice", is_transient=False)
                seen.add(page.next_page_token)

    def get(self, name: TopicName) -> LiveTopic | None:
        """One topic, or `None` if there is none of that name, in one attempt: who writes paces every call.

        Raises:
            CallFailed: when it could not be read.
        """
        return self._get(name, retry=None)

    def look_up(self, name: TopicName) -> LiveTopic | None:
        """One topic, or `None` if there is none of that name, for who only reads.

        Raises:
            CallFailed: when it could not be read within the retry budget.
        """
        return self._get(name, retry=self._connection.read_retry)

    def _get(self, name: TopicName, retry: Retry | None) -> LiveTopic | None:
        with translated_errors():
            try:
                topic = self._client.get_topic(
                    topic=str(name),
                    retry=retry,
                    timeout=self._connection.call_timeout,
                    metadata=self._connection.metadata(name.project),
                )
            except exceptions.NotFound:
                return None
        return _live_topic(pubsub.Topic.pb(topic))

    def write_storage_policy(self, name: TopicName, policy: StoragePolicy) -> None:
        """Replaces the whole storage policy, both fields, in one attempt.

        Raises:
            CallFailed: when the API refused it, or its answer did not arrive.
        """
        written = pubsub.MessageStoragePolicy(
            allowed_persistence_regions=list(policy.regions), enforce_in_transit=policy.enforce_in_transit
        )
        self._update(pubsub.Topic(name=str(name), message_storage_policy=written))

    def recompute_storage_policy(self, name: TopicName) -> None:
        """Has the server compute the storage policy from the organization's, in one attempt.

        The mask names the field and the topic leaves it out (Pub/Sub API, UpdateTopicRequest.update_mask).

        Raises:
            CallFailed: when the API refused it, or its answer did not arrive.
        """
        self._update(pubsub.Topic(name=str(name)))

    def _update(self, topic: pubsub.Topic) -> None:
        project = TopicName.parse(topic.name).project
        with translated_errors():
            self._client.update_topic(
                pubsub.UpdateTopicRequest(topic=topic, update_mask=FieldMask(paths=[UPDATE_MASK])),
                retry=None,
                timeout=self._connection.call_timeout,
                metadata=self._connection.metadata(project),
            )


def _live_topic(topic: Any) -> LiveTopic:
    """From the raw message. Whether the field is present tells "no policy" from an empty one."""
    policy = None
    if topic.HasField("message_storage_policy"):
        stored = topic.message_storage_policy
        policy = storage_policy(tuple(stored.allowed_persistence_regions), stored.enforce_in_transit)
    _, project, _, name = topic.name.split("/", 3)
    return LiveTopic(name=TopicName(sys.intern(project), name), policy=policy)


@lru_cache(maxsize=4096)
def storage_policy(regions: tuple[str, ...], enforce_in_transit: bool) -> StoragePolicy:  # noqa: FBT001 - a key
    """One value for all topics that have this policy: a fleet has many topics and few policies."""
    return StoragePolicy(regions=RegionSet(frozenset(regions)), enforce_in_transit=enforce_in_transit)
