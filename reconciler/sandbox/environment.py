"""The environment variables that point clients at a sandbox."""

from __future__ import annotations

import tempfile
from pathlib import Path

DEFAULT_GRPC_PORT = 8681
DEFAULT_REST_PORT = 8682


def environment(grpc_address: str, rest_url: str, project: str | None = None) -> dict[str, str]:
    """What to set so that hedgerow, Google's client libraries, gcloud and the Terraform provider talk to a sandbox.

    gcloud gets a configuration folder of its own, so that it neither reads nor changes the user's, and is told not to
    look for updates or report usage.

    Args:
        grpc_address: `127.0.0.1:PORT`.
        rest_url: `http://127.0.0.1:PORT`.
        project: gcloud's default project, if any.
    """
    endpoint = f"http://{grpc_address}"
    variables = {
        "HEDGEROW_PUBSUB_ENDPOINT": endpoint,
        "HEDGEROW_ORG_POLICY_ENDPOINT": endpoint,
        "HEDGEROW_RESOURCE_MANAGER_ENDPOINT": endpoint,
        "HEDGEROW_ASSET_ENDPOINT": endpoint,
        "PUBSUB_EMULATOR_HOST": grpc_address,
        "CLOUDSDK_API_ENDPOINT_OVERRIDES_PUBSUB": f"{rest_url}/",
        "CLOUDSDK_API_ENDPOINT_OVERRIDES_ORGPOLICY": f"{rest_url}/",
        "CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER": f"{rest_url}/",
        "CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDASSET": f"{rest_url}/",
        "CLOUDSDK_AUTH_DISABLE_CREDENTIALS": "true",
        "CLOUDSDK_CONFIG": str(Path(tempfile.gettempdir()) / "hedgerow-sandbox-gcloud"),
        "CLOUDSDK_CORE_DISABLE_PROMPTS": "true",
        "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING": "true",
        "CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK": "true",
        "GOOGLE_PUBSUB_CUSTOM_ENDPOINT": f"{rest_url}/v1/",
        "GOOGLE_OAUTH_ACCESS_TOKEN": "sandbox:provider",
        "PULUMI_GCP_SKIP_REGION_VALIDATION": "true",
    }
    if project is not None:
        variables["CLOUDSDK_CORE_PROJECT"] = project
    return variables
