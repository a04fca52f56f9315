"""What a program declares for each topic. Pure, so that it can be compared with what the reconciler wants."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from reconciler.model import (
    DISALLOWED_REGIONS,
    IN_TRANSIT_REQUIRED,
    NO_EXEMPTIONS,
    Exemptions,
    Explicit,
    Fleet,
    Inherit,
    StoragePolicy,
    TopicName,
    TopicSpec,
    Unmanaged,
)
from reconciler.orgpolicy import Catalogue, EffectivePolicy, RegionBounds
from reconciler.reconcile import desired


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredTopic:
    """One topic as a program declares it.

    Attributes:
        storage_policy: both of its fields are declared, regions sorted, so that provider and API never differ by
            default or order. `None` leaves the block out, which the provider takes as "whatever the API says".
        fields: other Topic fields under their REST names.
        expendable: whether the topic may be deleted or replaced, and so is declared without protection.
        imported: whether it is there already, so that Pulumi takes it over instead of creating it.
    """

    name: TopicName
    storage_policy: StoragePolicy | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    expendable: bool = False
    imported: bool = False

    @property
    def properties(self) -> dict[str, Any]:
        """What is declared of the topic itself, under REST names; nothing of what is left to the server."""
        declared = dict(self.fields)
        if self.labels:
            declared["labels"] = dict(self.labels)
        if self.storage_policy is not None:
            declared["messageStoragePolicy"] = self.storage_policy.to_json()
        return declared

    def __post_init__(self) -> None:
        if self.storage_policy is not None and self.storage_policy.is_empty:
            raise ValueError(f"`{self.name}`: a storage policy without a region is never declared; leave it out")


def declare(
    fleet: Fleet,
    policies: Mapping[str, EffectivePolicy],
    catalogue: Catalogue,
    *,
    exemptions: Exemptions = NO_EXEMPTIONS,
    existing: Container[TopicName] = (),
) -> tuple[DeclaredTopic, ...]:
    """Every topic of a fleet that has passed its rules, in the fleet's order.

    Args:
        fleet: what the stack declares.
        policies: the effective policy of each project that has a topic.
        catalogue: with the snapshot's own value groups put over it.
        exemptions: those that count: what such a topic declares stays declared, so that the program does not change a
            topic that the reconciler leaves alone. Creating one is for the API to refuse.
        existing: the live topics, where those that Pulumi does not have yet are to be taken over.

    Raises:
        ValueError: for a topic without a definite storage policy, which the rules refuse.
    """
    return tuple(
        DeclaredTopic(
            name=spec.name,
            storage_policy=_storage_policy(spec, policies[spec.name.project], catalogue, exemptions),
            labels=spec.labels,
            fields=spec.fields,
            expendable=fleet.stack.pulumi.is_expendable(spec.name),
            imported=spec.name in existing,
        )
        for spec in fleet.topics
    )


def _storage_policy(
    spec: TopicSpec, policy: EffectivePolicy, catalogue: Catalogue, exemptions: Exemptions
) -> StoragePolicy | None:
    wanted = desired(spec, policy, catalogue)
    if wanted is None or isinstance(spec.policy, Inherit | Unmanaged):  # somebody else owns it
        return None
    if exemptions.of(DISALLOWED_REGIONS, spec.name) and isinstance(spec.policy, Explicit):
        wanted = replace(wanted, regions=RegionBounds.exactly(spec.policy.regions), problem=None)
    if exemptions.of(IN_TRANSIT_REQUIRED, spec.name) and spec.policy.enforce_in_transit is False:
        wanted = replace(wanted, in_transit=False)
    return wanted.declared_policy(catalogue.regions)
