"""What a command takes from its environment: where the APIs are, and who pays for the calls."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reconciler.errors import HedgerowError, UsageError
from reconciler.model import Stack

if TYPE_CHECKING:
    from reconciler.gcp import Connection


def now() -> datetime:
    """The time, in UTC: the one place where commands look at the clock."""
    return datetime.now(UTC)


def connection(stack: Stack) -> Connection:
    """How the Google Cloud APIs are reached: the stack's settings, with environment variables put over them.

    `HEDGEROW_PUBSUB_ENDPOINT`, `HEDGEROW_ORG_POLICY_ENDPOINT`, `HEDGEROW_RESOURCE_MANAGER_ENDPOINT`,
    `HEDGEROW_QUOTA_PROJECT`; `HEDGEROW_RETRY_BUDGET` is the number of seconds for which reads are tried again.

    Raises:
        HedgerowError: when the Google Cloud clients are not installed, or Google's emulator is meant.
    """
    # gRPC's own log would stand between the lines of the report; what it knows comes with the errors.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        # Loaded here because most commands do without the cloud, and the clients take a second to import.
        from reconciler.gcp import Connection
    except ModuleNotFoundError as error:
        raise HedgerowError(
            f"this needs the Google Cloud clients: {error.name} is missing", hint="pip install 'hedgerow[gcp]'"
        ) from None
    environment = os.environ
    endpoints = replace(
        stack.endpoints,
        pubsub=environment.get("HEDGEROW_PUBSUB_ENDPOINT") or stack.endpoints.pubsub,
        org_policy=environment.get("HEDGEROW_ORG_POLICY_ENDPOINT") or stack.endpoints.org_policy,
        resource_manager=environment.get("HEDGEROW_RESOURCE_MANAGER_ENDPOINT") or stack.endpoints.resource_manager,
    )
    if "PUBSUB_EMULATOR_HOST" in environment and endpoints.pubsub is None:
        raise HedgerowError(
            "PUBSUB_EMULATOR_HOST is set, but Google's emulator neither updates storage policies nor knows "
            "organization policies",
            hint="unset it, or use hedgerow's own: hedgerow sandbox start",
        )
    budget = environment.get("HEDGEROW_RETRY_BUDGET", "20")
    try:
        seconds = float(budget)
    except ValueError:
        raise UsageError(f"HEDGEROW_RETRY_BUDGET is `{budget}`, not a number of seconds") from None
    quota_project = environment.get("HEDGEROW_QUOTA_PROJECT") or stack.reconcile.quota_project
    return Connection(endpoints=endpoints, quota_project=quota_project, retry_budget=seconds)
