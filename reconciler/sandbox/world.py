"""Everything that exists in the sandbox, and the administrator's hand in it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from google.protobuf.json_format import ParseDict, ParseError

from reconciler.errors import InvalidInput
from reconciler.model import LiveTopic, StoragePolicy, TopicName
from reconciler.orgpolicy import Catalogue, Resource, Snapshot
from reconciler.sandbox.clock import Clock
from reconciler.sandbox.denials import Denials, Service
from reconciler.sandbox.errors import ApiError, Code
from reconciler.sandbox.inventory import Inventory
from reconciler.sandbox.organization import Organization
from reconciler.sandbox.quota import AdministratorQuota
from reconciler.sandbox.storage import from_message, to_message
from reconciler.sandbox.subscriptions import Subscriptions
from reconciler.sandbox.topics import TopicMessage, Topics


class World:
    """The state behind the services. Thread-safe; lives in memory only.

    Its methods act like an administrator, or like history: they bypass permissions, quota and log, and `put_topic`
    the rules too. Requests of clients go through the services.

    Args:
        catalogue: regions, and the members of value groups.
        clock: the time; one that can be advanced, by default.
        administrator_operations_per_minute: Pub/Sub's quota for each project; `None` for no limit.
        propagation: how long after a change Pub/Sub goes on with the organization policies of before.
    """

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        clock: Clock | None = None,
        administrator_operations_per_minute: int | None = None,
        propagation: timedelta = timedelta(0),
    ) -> None:
        self.clock = clock or Clock()
        self.organization = Organization(catalogue, self.clock, propagation)
        self.topic_store = Topics()
        self.inventory = Inventory(self.topic_store)
        self.subscriptions = Subscriptions(self.clock)
        self.denials = Denials()
        self.quota = AdministratorQuota(self.clock, administrator_operations_per_minute)

    @property
    def projects(self) -> tuple[str, ...]:
        """The ids of all projects, sorted."""
        names = (resource.name for resource in self.organization.resources)
        return tuple(name.removeprefix("projects/") for name in names if name.startswith("projects/"))

    def load_snapshot(self, snapshot: Snapshot) -> None:
        """Adds the resources, policies and value groups of a snapshot."""
        self.organization.load(snapshot)

    def set_policy(self, body: Mapping[str, Any]) -> None:
        """Sets an organization policy from its v2 JSON (`name` and `spec`), over the one of before.

        Raises:
            ApiError: `INVALID_ARGUMENT` or `NOT_FOUND`, as the service would answer.
        """
        self.organization.set_policy(body)

    def delete_policy(self, resource: str, constraint: str) -> None:
        """Takes an organization policy away.

        Raises:
            ApiError: `NOT_FOUND` where none is set.
        """
        self.organization.delete_policy(resource, constraint)

    def put_topic(
        self,
        name: TopicName | str,
        policy: StoragePolicy | None,
        labels: Mapping[str, str] | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        """Puts a topic as it is, bypassing every rule: how it looked before the organization's policy changed.

        Its project is made if it does not exist, under no organization.

        Args:
            name: of a topic that exists or not.
            policy: the storage policy; `None` for none, an empty one for the misconfiguration.
            labels: user labels.
            fields: other fields of the topic under their REST names.

        Raises:
            InvalidInput: for a name that is not a topic's, or for fields that a topic does not have.
        """
        name = TopicName.parse(name) if isinstance(name, str) else name
        topic = TopicMessage()
        try:
            ParseDict({**(fields or {}), "name": str(name), "labels": dict(labels or {})}, topic)
        except ParseError as error:
            raise InvalidInput(f"`{name}`: {error}") from error
        if policy is not None:
            topic.message_storage_policy.CopyFrom(to_message(policy))
        if self.organization.find(f"projects/{name.project}") is None:
            self.organization.adopt(f"projects/{name.project}")
        self.topic_store.put(name, topic)

    def topic(self, name: TopicName | str) -> LiveTopic | None:
        """A topic as it is now, or `None`."""
        name = TopicName.parse(name) if isinstance(name, str) else name
        topic = self.topic_store.get(name)
        return None if topic is None else LiveTopic(name=name, policy=from_message(topic))

    def topics(self) -> list[LiveTopic]:
        """Every topic as it is now, by project and id."""
        return [LiveTopic(name=name, policy=from_message(topic)) for name, topic in self.topic_store]

    def delete_topic(self, name: TopicName | str) -> None:
        """Removes a topic.

        Raises:
            ApiError: `NOT_FOUND`.
        """
        name = TopicName.parse(name) if isinstance(name, str) else name
        self.topic_store.delete(name)
        self.subscriptions.detach(str(name))

    def deny(self, project: str, service: str = "pubsub", message: str | None = None) -> None:
        """Answers `PERMISSION_DENIED` to everybody who asks a service about a project.

        Args:
            project: an id, or a whole resource name (`folders/456`).
            service: `pubsub`, `orgpolicy`, `resourcemanager` or `cloudasset`.
            message: the text; a plain one by default.
        """
        self.denials.add(_resource_name(project), Service(service), message)

    def allow(self, project: str, service: str = "pubsub") -> None:
        """Takes `deny` back."""
        self.denials.remove(_resource_name(project), Service(service))

    def project(self, id_or_number: str) -> Resource:
        """The project that a request names.

        Raises:
            ApiError: `NOT_FOUND`, when an organization is loaded and the project is not in it.
        """
        resource = self.organization.find(f"projects/{id_or_number}")
        if resource is None:
            raise ApiError(Code.NOT_FOUND, f"Project not found: {id_or_number}")
        return resource


def _resource_name(project: str) -> str:
    return project if "/" in project else f"projects/{project}"
