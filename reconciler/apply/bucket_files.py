"""Generated files in a bucket: objects, written under the condition that nobody else has written them meanwhile."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from reconciler.apply.bucket import own, told, version_of
from reconciler.apply.found import Found

if TYPE_CHECKING:
    from obstore.store import ObjectStore

_READERS = 16
"""Objects read at once: each takes a round trip, and a fleet has thousands."""


class BucketFiles:
    """The objects right under an address; those below further slashes are none of them."""

    def __init__(self, bucket: ObjectStore, address: str) -> None:
        self._bucket = bucket
        self._address = address

    @property
    def address(self) -> str:
        """The common part of all objects' addresses."""
        return self._address

    def place(self, name: str) -> str:
        """The object's address."""
        return f"{self._address}/{name}"

    def names(self) -> list[str]:
        """The names of all objects."""
        with told(f"{self._address} cannot be listed"):
            return [item["path"] for item in self._bucket.list_with_delimiter()["objects"]]

    def read(self, names: Iterable[str]) -> dict[str, Found]:
        """What is there under these names."""
        wanted = list(names)
        with ThreadPoolExecutor(max_workers=_READERS) as pool:
            found = pool.map(self._found, wanted)
            return {name: one for name, one in zip(wanted, found, strict=True) if one is not None}

    def replace(self, name: str, content: bytes, seen: Found | None) -> bool:
        """Creates an object, or replaces the generation that was seen.

        An answer that was lost makes the client's next attempt find the object changed; then it is our own.
        """
        from obstore.exceptions import AlreadyExistsError, PreconditionError  # noqa: PLC0415 - see `open_bucket`

        with told(f"`{self.place(name)}` cannot be written"):
            try:
                self._bucket.put(name, content, mode="create" if seen is None else version_of(seen.version))
            except (AlreadyExistsError, PreconditionError):
                return own(self._bucket, name, content) is not None
        return True

    def remove(self, name: str, seen: Found) -> bool:
        """Removes an object. The client knows no conditional removal, so this looks just before."""
        with told(f"`{self.place(name)}` cannot be removed"):
            if self._found(name) != seen:
                return False
            self._bucket.delete(name)
        return True

    def settle(self) -> None:
        """Nothing to do: an object is durable once it is written."""

    def _found(self, name: str) -> Found | None:
        with told(f"`{self.place(name)}` cannot be read"):
            try:
                found = self._bucket.get(name)
                return Found(content=found.bytes().to_bytes(), version=found.meta)
            except FileNotFoundError:
                return None
