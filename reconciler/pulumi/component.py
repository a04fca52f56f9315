"""`TopicFleet`: a component resource that declares topics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pulumi
import pulumi_gcp as gcp

from reconciler.errors import InvalidInput
from reconciler.model import StoragePolicy
from reconciler.pulumi.declared import DeclaredTopic

FIELDS = {
    "ingestionDataSourceSettings": "ingestion_data_source_settings",
    "kmsKeyName": "kms_key_name",
    "messageRetentionDuration": "message_retention_duration",
    "messageTransforms": "message_transforms",
    "schemaSettings": "schema_settings",
    "tags": "tags",
}
"""The provider's argument for each further field of a topic (`pulumi_gcp.pubsub.TopicArgs`, 10.2).

What lies inside a field keeps its REST names: the provider's are the same (compared with `google.pubsub_v1`, 2.44).
"""


class TopicFleet(pulumi.ComponentResource):
    """Topics, each a child named `PROJECT/TOPIC`, so that its URN depends on nothing but the topic's own name.

    Two fleets of one stack that declare the same topic are refused by the engine. A topic is protected and has the
    deletion policy `PREVENT`, unless it is expendable: deleting or replacing one loses the messages in it, and takes
    two deliberate steps, an update that lifts the protection and another that makes use of it.

    Attributes:
        topics: the declared resources, by the topic's full name.
    """

    topics: dict[str, gcp.pubsub.Topic]

    def __init__(
        self, name: str, *, topics: Iterable[DeclaredTopic], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        """Declares the topics.

        Raises:
            InvalidInput: for a field that the provider's topic does not have; nothing is registered then.
        """
        arguments = [(topic, _arguments(topic)) for topic in topics]
        super().__init__("hedgerow:pubsub:TopicFleet", name, None, opts)
        self.topics = {
            str(topic.name): gcp.pubsub.Topic(
                f"{topic.name.project}/{topic.name.topic}", opts=self._options(topic), **inputs
            )
            for topic, inputs in arguments
        }
        self.register_outputs({})

    def _options(self, topic: DeclaredTopic) -> pulumi.ResourceOptions:
        # An import that is asked for again, of what Pulumi has already, changes nothing.
        imported = str(topic.name) if topic.imported else None
        return pulumi.ResourceOptions(parent=self, protect=not topic.expendable, import_=imported)


def _arguments(topic: DeclaredTopic) -> dict[str, Any]:
    unknown = sorted(topic.fields.keys() - FIELDS.keys())
    if unknown:
        raise InvalidInput(
            f"`{topic.name}`: the Pulumi provider cannot declare the field `{unknown[0]}`",
            hint=f"remove it; these can be declared: {', '.join(FIELDS)}",
        )
    arguments: dict[str, Any] = {FIELDS[key]: value for key, value in topic.fields.items()}
    arguments |= {
        "name": topic.name.topic,
        "project": topic.name.project,
        "deletion_policy": "DELETE" if topic.expendable else "PREVENT",
    }
    if topic.labels:
        arguments["labels"] = dict(topic.labels)
    if topic.storage_policy is not None:
        arguments["message_storage_policy"] = _block(topic.storage_policy)
    return arguments


def _block(policy: StoragePolicy) -> gcp.pubsub.TopicMessageStoragePolicyArgs:
    return gcp.pubsub.TopicMessageStoragePolicyArgs(
        allowed_persistence_regions=list(policy.regions), enforce_in_transit=policy.enforce_in_transit
    )
