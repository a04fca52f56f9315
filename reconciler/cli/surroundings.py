"""What a command finds in its environment: where the APIs are, who pays for the calls, who asks how it ended."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reconciler.apply import Files, Store, open_files, open_store
from reconciler.errors import ExitCode, HedgerowError
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

    `reconciler.gcp.connection_of` says which.

    Raises:
        HedgerowError: when the Google Cloud clients are not installed, or Google's emulator is meant.
    """
    # gRPC's own log would stand between the lines of the report; what it knows comes with the errors.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        # Loaded here because most commands do without the cloud, and the clients take a second to import.
        from reconciler.gcp import connection_of
    except ModuleNotFoundError as error:
        raise HedgerowError(
            f"this needs the Google Cloud clients: {error.name} is missing", hint="pip install 'hedgerow[gcp]'"
        ) from None
    return connection_of(stack, os.environ)
