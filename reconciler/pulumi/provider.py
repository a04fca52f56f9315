"""The explicit `gcp` provider of a program whose stack has settings for it."""

from __future__ import annotations

import pulumi
import pulumi_gcp as gcp

from reconciler.model import ProviderSettings


def provider_options(settings: ProviderSettings | None) -> pulumi.ResourceOptions | None:
    """Options that hand a component's children the provider; `None` leaves them Pulumi's default one.

    The provider is the resource `gcp` of the stack, whatever its settings are, and no part of any topic's URN. So
    neither giving a stack settings nor changing them replaces a topic, unless the provider itself asks for that
    (`DiffConfig`): then the engine refuses, because topics are protected.
    """
    if settings is None:
        return None
    provider = gcp.Provider(
        "gcp",
        project=settings.project,
        billing_project=settings.billing_project,
        user_project_override=settings.user_project_override,
        impersonate_service_account=settings.impersonate_service_account,
        pubsub_custom_endpoint=settings.pubsub_custom_endpoint,
        default_labels=dict(settings.default_labels) or None,
        add_pulumi_attribution_label=settings.add_pulumi_attribution_label,
        universe_domain=settings.universe_domain,
    )
    return pulumi.ResourceOptions(providers={"gcp": provider})
