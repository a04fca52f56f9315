"""Runs in a bucket: an object for each journal record, and a lease held by conditional writes.

Objects cannot be appended to, so a log is a folder of numbered objects; each is created, never replaced. The lease
rests on two conditional writes of the store: creation if absent, and replacement if unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING, Any

from reconciler.apply.taken import Taken
from reconciler.errors import HedgerowError

if TYPE_CHECKING:
    from obstore.store import ClientConfig, GCSConfig, ObjectStore, RetryConfig

_DIGITS = 8

_READERS = 16
"""Records read at once: each takes a round trip, and a night has thousands."""

_RETRIES: RetryConfig = {"max_retries": 5, "retry_timeout": timedelta(seconds=30)}
"""Well below a lease's lifetime, so that trouble with the bucket is noticed before the lease is over."""


def open_bucket(address: str, endpoint: str | None = None) -> ObjectStore:
    """The client of `gs://BUCKET/PREFIX`.

    Args:
        address: the bucket and the prefix.
        endpoint: where the API is; `http://` means plain text without credentials, `None` is Google's own with the
            ambient ones.

    Raises:
        HedgerowError: when the client is not installed, or the address or the credentials cannot be used.
    """
    try:
        # Only stacks that keep something in a bucket need it.
        from obstore.exceptions import BaseError  # noqa: PLC0415
        from obstore.store import GCSStore  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise HedgerowError(
            f"{address} needs the client for buckets: {error.name} is missing",
            hint="pip install 'hedgerow[gcp]'",
        ) from None
    options: ClientConfig = {"timeout": timedelta(seconds=10)}
    config: GCSConfig = {}
    if endpoint is not None:
        plain = endpoint.startswith("http://")
        options["allow_http"] = plain
        config = {"service_account_key": _no_account(endpoint)} if plain else {"base_url": endpoint}
    try:
        return GCSStore.from_url(address, config=config, client_options=options, retry_config=_RETRIES)
    except (BaseError, ValueError) as error:
        raise HedgerowError(f"{address} cannot be opened: {_first_line(error)}") from error


def _no_account(endpoint: str) -> str:
    """The key of nobody, which keeps the client from asking the machine's metadata server for one."""
    nobody = dict.fromkeys(("client_email", "private_key", "private_key_id"), "")
    return json.dumps({"gcs_base_url": endpoint.rstrip("/"), "disable_oauth": True, **nobody})


class BucketStore:
    """The runs of one stack in `ADDRESS/STACK/`, and its lease in `ADDRESS/STACK.lease`."""

    def __init__(self, bucket: ObjectStore, address: str, stack: str) -> None:
        self._bucket = bucket
        self._address = address
        self._stack = stack

    @property
    def address(self) -> str:
        """The common part of all objects' addresses."""
        return f"{self._address}/{self._stack}"

    @property
    def lease_address(self) -> str:
        """The lease's object."""
        return f"{self._address}/{self._stack}.lease"

    @property
    def locks_end_with_process(self) -> bool:
        """An object outlives the process that wrote it."""
        return False

    def begin_log(self, name: str) -> BucketLog:
        """A new log; it exists once it has a record."""
        return BucketLog(self._bucket, f"{self._stack}/{name}/", f"{self.address}/{name}/")

    def read_log(self, name: str) -> list[bytes] | None:
        """The records of a log, in the order in which they were begun."""
        with told(f"the journal {self.address}/{name}/ cannot be read"):
            paths = sorted(self._paths(f"{self._stack}/{name}"))
            with ThreadPoolExecutor(max_workers=_READERS) as pool:
                return list(pool.map(lambda path: self._bucket.get(path).bytes().to_bytes(), paths)) or None

    def log_names(self) -> list[str]:
        """The names of all logs, sorted."""
        with told(f"the runs in {self.address} cannot be listed"):
            listed = self._bucket.list_with_delimiter(self._stack)
        return sorted(prefix.rstrip("/").rpartition("/")[2] for prefix in listed["common_prefixes"])

    def read(self, name: str) -> bytes | None:
        """An object; `None` when it does not exist."""
        with told(f"{self.address}/{name} cannot be read"):
            try:
                return self._bucket.get(f"{self._stack}/{name}").bytes().to_bytes()
            except FileNotFoundError:
                return None

    def write(self, name: str, body: bytes) -> None:
        """Writes an object, which is never seen half."""
        with told(f"{self.address}/{name} cannot be written"):
            self._bucket.put(f"{self._stack}/{name}", body)

    def take_lease(self, record: bytes, may_take: Callable[[bytes], bool]) -> BucketHolding:
        """Creates the lease's object, or replaces one that is over if nobody else did so in between."""
        from obstore.exceptions import AlreadyExistsError  # noqa: PLC0415 - see `open_bucket`

        path = f"{self._stack}.lease"
        with told(f"the lease {self.lease_address} cannot be taken"):
            try:
                return BucketHolding(self._bucket, path, create(self._bucket, path, record))
            except AlreadyExistsError:
                pass
            try:
                found = self._bucket.get(path)
            except FileNotFoundError:
                raise Taken(b"") from None
            left = found.bytes().to_bytes()
            if left.strip() and not may_take(left):
                raise Taken(left)
            holding = BucketHolding(self._bucket, path, found.meta)
        if not holding.renew(record):
            raise Taken(b"")
        return holding

    def _paths(self, prefix: str) -> Iterator[str]:
        for page in self._bucket.list(prefix):
            yield from (item["path"] for item in page)


class BucketLog:
    """A folder of numbered objects, one for each record."""

    def __init__(self, bucket: ObjectStore, prefix: str, address: str) -> None:
        self._bucket = bucket
        self._prefix = prefix
        self._address = address
        self._lock = Lock()
        self._number = 0
        self._failed = False

    @property
    def address(self) -> str:
        """The common part of the records' addresses."""
        return self._address

    def append(self, record: bytes) -> None:
        """Creates the next object; several threads may do so at once."""
        with self._lock:
            if self._failed:
                raise HedgerowError(f"the journal {self._address} cannot be written: an earlier record is missing")
            self._number += 1
            number = self._number
        try:
            with told(f"the journal {self._address} cannot be written"):
                create(self._bucket, f"{self._prefix}{number:0{_DIGITS}}.json", record)
        except HedgerowError as error:
            self._failed = True
            hint = "nothing is written to the cloud without one; see that the caller may create objects there"
            raise HedgerowError(error.message, hint=hint) from error

    def close(self) -> None:
        """Nothing to do: every record is an object of its own."""


class BucketHolding:
    """A lease that lasts as long as its object stays as it was last written."""

    def __init__(self, bucket: ObjectStore, path: str, seen: Any) -> None:
        self._bucket = bucket
        self._path = path
        self._seen = version_of(seen)

    def renew(self, record: bytes) -> bool:
        """Replaces the object; false when it is not as it was left."""
        from obstore.exceptions import PreconditionError  # noqa: PLC0415 - see `open_bucket`

        with told(f"the lease {self._path} cannot be renewed"):
            try:
                self._seen = version_of(self._bucket.put(self._path, record, mode=self._seen))
            except PreconditionError:
                found = own(self._bucket, self._path, record)
                if found is None:
                    return False
                self._seen = version_of(found)
            except FileNotFoundError:
                return False
        return True

    def release(self) -> None:
        """Empties the object, which gives the lease back; deleting could meet another's."""
        with suppress(HedgerowError):
            self.renew(b"\n")


def create(bucket: ObjectStore, path: str, body: bytes) -> Any:
    """Creates an object, and returns what a later conditional write compares.

    An answer that was lost makes the client's next attempt find the object there; then it is its own.
    """
    from obstore.exceptions import AlreadyExistsError  # noqa: PLC0415 - see `open_bucket`

    try:
        return bucket.put(path, body, mode="create")
    except AlreadyExistsError:
        found = own(bucket, path, body)
        if found is None:
            raise
        return found


def own(bucket: ObjectStore, path: str, body: bytes) -> Any:
    """What is known of an object that holds just this body; `None` for any other. No two records are alike."""
    try:
        found = bucket.get(path)
    except FileNotFoundError:
        return None
    return found.meta if found.bytes().to_bytes() == body else None


def version_of(seen: Any) -> Any:
    """What a conditional write compares; the client takes no `None` in it."""
    return {key: seen[key] for key in ("e_tag", "version") if seen.get(key) is not None}


@contextmanager
def told(what: str) -> Iterator[None]:
    """Turns the client's exceptions into errors of the user."""
    from obstore.exceptions import BaseError  # noqa: PLC0415 - see `open_bucket`

    try:
        yield
    except (BaseError, OSError) as error:
        raise HedgerowError(f"{what}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
