"""The settings of the provider that the stand-in heeds, from the stack's configuration or the environment.

Names as in pulumi-gcp (`gcp:pubsubCustomEndpoint`...) and, for the environment, terraform-provider-google; other
settings are taken and do nothing. A guess: impersonation, which the real one carries out with Google's credentials
service, shows here as the token `sandbox:ACCOUNT`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.engine.standin.topic import ATTRIBUTION


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How topics are made.

    Attributes:
        endpoint: with the version and a slash at its end.
        headers: of every call.
        project: of topics that name none.
        labels: that every new topic gets.
    """

    endpoint: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    project: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Settings:
        """The settings of a configuration, whose values are strings: JSON where they are not meant as text.

        Raises:
            ValueError: without an endpoint, so that nothing can reach Google.
        """
        endpoint = _text(config, "pubsubCustomEndpoint", "GOOGLE_PUBSUB_CUSTOM_ENDPOINT")
        if endpoint is None:
            raise ValueError("the stand-in for the gcp provider needs `gcp:pubsubCustomEndpoint`")
        token = _text(config, "accessToken", "GOOGLE_OAUTH_ACCESS_TOKEN")
        account = _text(config, "impersonateServiceAccount", "GOOGLE_IMPERSONATE_SERVICE_ACCOUNT")
        billed = _text(config, "billingProject", "GOOGLE_BILLING_PROJECT")
        headers = {}
        if token or account:
            headers["Authorization"] = f"Bearer {f'sandbox:{account}' if account else token}"
        if billed and _value(config, "userProjectOverride", "USER_PROJECT_OVERRIDE") is True:
            headers["X-Goog-User-Project"] = billed
        attributes = _value(config, "addPulumiAttributionLabel") is not False
        labels = {**(ATTRIBUTION if attributes else {}), **(_value(config, "defaultLabels") or {})}
        return cls(
            endpoint=endpoint, headers=headers, project=_text(config, "project", "GOOGLE_PROJECT"), labels=labels
        )


def _text(config: Mapping[str, Any], key: str, variable: str) -> str | None:
    return config.get(key) or os.environ.get(variable) or None


def _value(config: Mapping[str, Any], key: str, variable: str = "") -> Any:
    found = config.get(key, os.environ.get(variable))
    if not isinstance(found, str):
        return found
    try:
        return json.loads(found)
    except ValueError:
        return found
