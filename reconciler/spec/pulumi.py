"""The section `pulumi` of `stack.yaml`, and names in it that nobody declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reconciler.model import (
    Fleet,
    OneStack,
    Origin,
    ProviderSettings,
    PulumiSettings,
    Split,
    StackPerProject,
    StackPerShard,
    TopicName,
)
from reconciler.spec.problems import Problems


def read_pulumi(body: Mapping[str, Any], origin: Origin) -> PulumiSettings:
    """What a valid section says; an empty one is what a stack without it says."""
    return PulumiSettings(
        provider=_provider(body["provider"]) if "provider" in body else None,
        may_delete=_topics(body.get("mayDelete", ()), origin.at("mayDelete")),
        may_replace=_topics(body.get("mayReplace", ()), origin.at("mayReplace")),
        split=_split(body.get("shards")),
    )


def check_expendable(fleet: Fleet, problems: Problems) -> None:
    """Notes topics that may be deleted or replaced and that no spec declares: a slip, or about to be deleted."""
    settings = fleet.stack.pulumi
    for key, names in {"mayDelete": settings.may_delete, "mayReplace": settings.may_replace}.items():
        for name, origin in names.items():
            if name not in fleet.by_name:
                hint = "correct the name, or take it out"
                if key == "mayDelete":
                    hint += " once the topic is deleted: until then, the next `pulumi up` deletes it"
                problems.warning("topic-unknown", origin, f"`{key}`: no spec declares `{name}`", hint=hint)


def _provider(body: Mapping[str, Any]) -> ProviderSettings:
    return ProviderSettings(
        project=body.get("project"),
        billing_project=body.get("billingProject"),
        user_project_override=body.get("userProjectOverride"),
        impersonate_service_account=body.get("impersonateServiceAccount"),
        pubsub_custom_endpoint=body.get("pubsubCustomEndpoint"),
        default_labels=body.get("defaultLabels", {}),
        add_pulumi_attribution_label=body.get("addPulumiAttributionLabel"),
        universe_domain=body.get("universeDomain"),
    )


def _topics(names: Sequence[str], origin: Origin) -> dict[TopicName, Origin]:
    found = {TopicName.parse(name): origin.at(index) for index, name in enumerate(names)}
    return dict(sorted(found.items()))


def _split(shards: int | str | None) -> Split:
    match shards:
        case int():
            return StackPerShard(shards)
        case str():
            return StackPerProject()
        case None:
            return OneStack()
