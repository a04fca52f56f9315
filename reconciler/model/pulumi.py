"""How a stack is declared with Pulumi: provider settings, which topics may go, and into how many Pulumi stacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from reconciler.model.names import TopicName
from reconciler.model.topics import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """What the `gcp` provider of a program is told beyond its own configuration (`pulumi_gcp.ProviderArgs`, 10.2).

    Credentials are not among it: the provider takes them from its environment.

    Attributes:
        project: for what names none; topics always do.
        billing_project: who pays the quota where `user_project_override` is on.
        impersonate_service_account: the account on whose behalf the provider calls.
        pubsub_custom_endpoint: the whole base address of Pub/Sub's REST API, with version and final slash.
        default_labels: labels that the provider puts on every topic.
        add_pulumi_attribution_label: whether it labels what it creates with `goog-pulumi-provisioned`.
        universe_domain: the domain of another cloud than Google's public one.
    """

    project: str | None = None
    billing_project: str | None = None
    user_project_override: bool | None = None
    impersonate_service_account: str | None = None
    pubsub_custom_endpoint: str | None = None
    default_labels: Mapping[str, str] = field(default_factory=dict)
    add_pulumi_attribution_label: bool | None = None
    universe_domain: str | None = None


@dataclass(frozen=True, slots=True)
class OneStack:
    """All topics are declared in one Pulumi stack."""


@dataclass(frozen=True, slots=True)
class StackPerProject:
    """Each project's topics are declared in a Pulumi stack of their own."""


@dataclass(frozen=True, slots=True)
class StackPerShard:
    """Topics are declared in one of `count` Pulumi stacks, each by its own name alone."""

    count: int


Split = OneStack | StackPerProject | StackPerShard


@dataclass(frozen=True, slots=True, kw_only=True)
class PulumiSettings:
    """How a stack is declared with Pulumi; the defaults are those of a stack that says nothing.

    Attributes:
        provider: `None` leaves the provider to Pulumi's own configuration.
        may_delete: topics that a `pulumi up` may delete, sorted, each with where it was named.
        may_replace: topics that it may delete and create anew, likewise.
        split: into which Pulumi stacks the topics go.
    """

    provider: ProviderSettings | None = None
    may_delete: Mapping[TopicName, Origin] = field(default_factory=dict)
    may_replace: Mapping[TopicName, Origin] = field(default_factory=dict)
    split: Split = OneStack()

    def is_expendable(self, topic: TopicName) -> bool:
        """Whether a topic is declared without protection, because it may be deleted or replaced."""
        return topic in self.may_delete or topic in self.may_replace
