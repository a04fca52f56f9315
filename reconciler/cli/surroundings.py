"""What a command finds in its environment: where the APIs are, who pays for the calls, who asks how it ended."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reconciler.apply import Files, Store, open_files, open_store
from reconciler.errors import ExitCode, HedgerowError, UsageError
from reconciler.model import Stack
from reconciler.report import result_word

if TYPE_CHECKING:
    from reconciler.gcp import Connection


def now() -> datetime:
    """The time, in UTC: the one place where commands look at the clock."""
    return datetime.now(UTC)


def store_of(stack: Stack) -> Store:
    """Where the runs of a stack are kept. `HEDGEROW_STORAGE_ENDPOINT` says where the API of its bucket is.

    Raises:
        HedgerowError: when a bucket's client is missing or its address cannot be used.
    """
    return open_store(stack.reconcile.journal, stack.name, endpoint=_storage_endpoint())


def files_at(address: str) -> Files:
    """Where generated files go: a folder or a bucket. `HEDGEROW_STORAGE_ENDPOINT` says where the bucket's API is.

    Raises:
        HedgerowError: when a bucket's client is missing or its address cannot be used.
    """
    return open_files(address, endpoint=_storage_endpoint())


def _storage_endpoint() -> str | None:
    return os.environ.get("HEDGEROW_STORAGE_ENDPOINT") or None


def note_result(code: ExitCode) -> None:
    """Tells the later steps of a GitHub workflow how a command ended, as `result`: `ok`, `invalid`, `changes`.

    Appends to the file that `GITHUB_OUTPUT` names; does nothing where that is not set. A file that cannot be written
    is none of ours to fail for.
    """
    file = os.environ.get("GITHUB_OUTPUT")
    if file:
        with suppress(OSError), Path(file).open("a", encoding="utf-8") as outputs:
            outputs.write(f"result={result_word(code)}\n")


def connection(stack: Stack) -> Connection:
    """How the Google Cloud APIs are reached: the stack's settings, with environment variables put over them.

    `HEDGEROW_PUBSUB_ENDPOINT`, `HEDGEROW_ORG_POLICY_ENDPOINT`, `HEDGEROW_RESOURCE_MANAGER_ENDPOINT`,
    `HEDGEROW_ASSET_ENDPOINT`, `HEDGEROW_QUOTA_PROJECT`; `HEDGEROW_RETRY_BUDGET` is the number of seconds for which a
    call that failed for a passing reason is tried again, `HEDGEROW_CALL_TIMEOUT` the number that one attempt may take.

    Raises:
        HedgerowError: when the Google Cloud clients are not installed, or Google's emulator is meant.
    """
    # gRPC's own log would stand between the lines of the report; what it knows comes with the errors.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        # Loaded here because most commands do without the cloud, and the clients take a second to import.
        from reconciler.gcp import CALL_TIMEOUT, RETRY_BUDGET, Connection
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
        asset=environment.get("HEDGEROW_ASSET_ENDPOINT") or stack.endpoints.asset,
    )
    if "PUBSUB_EMULATOR_HOST" in environment and endpoints.pubsub is None:
        raise HedgerowError(
            "PUBSUB_EMULATOR_HOST is set, but Google's emulator neither updates storage policies nor knows "
            "organization policies",
            hint="unset it, or use hedgerow's own: hedgerow sandbox start",
        )
    quota_project = environment.get("HEDGEROW_QUOTA_PROJECT") or stack.reconcile.quota_project
    return Connection(
        endpoints=endpoints,
        quota_project=quota_project,
        call_timeout=_seconds("HEDGEROW_CALL_TIMEOUT", CALL_TIMEOUT),
        retry_budget=_seconds("HEDGEROW_RETRY_BUDGET", RETRY_BUDGET),
    )


def _seconds(variable: str, default: float) -> float:
    value = os.environ.get(variable) or default
    try:
        return float(value)
    except ValueError:
        raise UsageError(f"{variable} is `{value}`, not a number of seconds") from None
