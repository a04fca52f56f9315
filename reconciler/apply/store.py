"""Where the runs of one stack are kept: journals, run records, what is remembered, the lease.

A folder or a bucket. Both give the same promises: what a method wrote is durable when it returns; a log is never
written over; one holder has the lease at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from reconciler.apply.bucket import BucketStore, open_bucket
from reconciler.apply.folder import FolderStore

BUCKET_SCHEMES = ("gs://",)


class Log(Protocol):
    """A list of records that only grows. Thread-safe."""

    @property
    def address(self) -> str:
        """Where it is, for people."""
        ...

    def append(self, record: bytes) -> None:
        """Adds a record, durably; raises `HedgerowError`. After a failure every further record is refused."""
        ...

    def close(self) -> None:
        """Ends writing; never raises."""
        ...


class Holding(Protocol):
    """A lease that was taken."""

    def renew(self, record: bytes) -> bool:
        """Replaces the record; false when the lease is somebody else's now; raises `HedgerowError` on other trouble."""
        ...

    def release(self) -> None:
        """Gives the lease back, if it is still held."""
        ...


class Store(Protocol):
    """The runs of one stack."""

    @property
    def address(self) -> str:
        """Where they are, for people."""
        ...

    @property
    def lease_address(self) -> str:
        """Where the lease is, for people."""
        ...

    @property
    def locks_end_with_process(self) -> bool:
        """Whether a lease that can be taken on this machine has no living holder on it."""
        ...

    def begin_log(self, name: str) -> Log:
        """A new log; raises `HedgerowError` when it exists or cannot be made."""
        ...

    def read_log(self, name: str) -> list[bytes] | None:
        """The records of a log, in order; `None` when there is no such log."""
        ...

    def log_names(self) -> list[str]:
        """The names of all logs, sorted."""
        ...

    def read(self, name: str) -> bytes | None:
        """A file; `None` when it does not exist."""
        ...

    def write(self, name: str, body: bytes) -> None:
        """Writes a file whole, or not at all."""
        ...

    def take_lease(self, record: bytes, may_take: Callable[[bytes], bool]) -> Holding:
        """Takes the lease, where there is none or `may_take` says of its record that it is over.

        Raises `Taken` at once when another holds it.
        """
        ...


def open_store(address: str, stack: str, *, endpoint: str | None = None) -> Store:
    """The store of a stack: in a folder, or in a bucket for `gs://BUCKET/PREFIX`, whose API is at `endpoint`.

    Raises:
        HedgerowError: when the bucket's client is missing or the address cannot be used.
    """
    if address.startswith(BUCKET_SCHEMES):
        return BucketStore(open_bucket(address, endpoint), address.rstrip("/"), stack)
    return FolderStore(address, stack)
