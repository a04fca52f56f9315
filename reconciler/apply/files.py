"""Where generated files go: a folder or a bucket.

Both give the same promises: readers see a file as it was or as it is to be, never half of it; and a file is replaced or
removed only while it is what the caller has seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from reconciler.apply.bucket import open_bucket
from reconciler.apply.bucket_files import BucketFiles
from reconciler.apply.folder_files import FolderFiles
from reconciler.apply.found import Found
from reconciler.apply.store import BUCKET_SCHEMES


class Files(Protocol):
    """Files under plain names, beside which those of others may lie."""

    @property
    def address(self) -> str:
        """Where they are, for people."""
        ...

    def place(self, name: str) -> str:
        """Where one of them is, for people."""
        ...

    def names(self) -> list[str]:
        """What is there, whatever it is; raises `HedgerowError`."""
        ...

    def read(self, names: Iterable[str]) -> dict[str, Found]:
        """What is there under these names; raises `HedgerowError`."""
        ...

    def replace(self, name: str, content: bytes, seen: Found | None) -> bool:
        """Writes a file; false when what is there is not what was seen (`None`: nothing). Raises `HedgerowError`."""
        ...

    def remove(self, name: str, seen: Found) -> bool:
        """Removes a file; false when it is not what was seen. Raises `HedgerowError`."""
        ...

    def settle(self) -> None:
        """Makes what was written and removed outlast a crash; once for all of it. Raises `HedgerowError`."""
        ...


def open_files(address: str, *, endpoint: str | None = None) -> Files:
    """The files in a folder, or in a bucket for `gs://BUCKET/PREFIX`, whose API is at `endpoint`.

    Raises:
        HedgerowError: when the bucket's client is missing or the address cannot be used.
    """
    if address.startswith(BUCKET_SCHEMES):
        return BucketFiles(open_bucket(address, endpoint), address.rstrip("/"))
    return FolderFiles(address)
