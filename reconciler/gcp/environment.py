"""`HEDGEROW_*` variables: where the Google Cloud APIs are, who pays, and how long a call may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reconciler.errors import HedgerowError, UsageError
from reconciler.gcp.connection import CALL_TIMEOUT, RETRY_BUDGET, Connection
from reconciler.model import Stack


def connection_of(stack: Stack, environment: Mapping[str, str]) -> Connection:
    """A stack's settings with environment variables put over them.

    `HEDGEROW_PUBSUB_ENDPOINT`, `HEDGEROW_ORG_POLICY_ENDPOINT`, `HEDGEROW_RESOURCE_MANAGER_ENDPOINT`,
    `HEDGEROW_ASSET_ENDPOINT`, `HEDGEROW_QUOTA_PROJECT`; `HEDGEROW_RETRY_BUDGET` is the number of seconds for which a
    call that failed for a passing reason is tried again, `HEDGEROW_CALL_TIMEOUT` the number that one attempt may take.

    Raises:
        HedgerowError: when Google's emulator is meant.
        UsageError: for a number that is none.
    """
    endpoints = replace(
        stack.endpoints,
        pubsub=environment.get("HEDGEROW_PUBSUB_ENDPOINT") or stack.endpoints.pubsub,
        org_policy=environment.get("HEDGEROW_ORG_POLICY_ENDPOINT") or stack.endpoints.org_policy,
        resource_manager=environment.get("HEDGEROW_RESOURCE_MANAGER_ENDPOINT") or stack.endpoints.resource_manager,
        asset=environment.get("HEDGEROW_ASSET_ENDPOINT") or stack.endpoints.asset,
    )
    if "PUBSUB_EMULATOR_HOST" in environment and endpoints.pubsub is None:
        raise HedgerowError(
            "PUBSUB_EMULATOR_HOST is set, but Google's emulator neither updates storage policies nor knows "
            "organization policies",
            hint="unset it, or use hedgerow's own: hedgerow sandbox start",
        )
    return Connection(
        endpoints=endpoints,
        quota_project=environment.get("HEDGEROW_QUOTA_PROJECT") or stack.reconcile.quota_project,
        call_timeout=_seconds(environment, "HEDGEROW_CALL_TIMEOUT", CALL_TIMEOUT),
        retry_budget=_seconds(environment, "HEDGEROW_RETRY_BUDGET", RETRY_BUDGET),
    )


def _seconds(environment: Mapping[str, str], variable: str, default: float) -> float:
    value = environment.get(variable) or default
    try:
        return float(value)
    except ValueError:
        raise UsageError(f"{variable} is `{value}`, not a number of seconds") from None
