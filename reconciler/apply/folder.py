"""Runs in a folder: JSONL files that are flushed to the disk, and a lease under an operating-system lock."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock

from reconciler.apply.taken import Taken
from reconciler.errors import HedgerowError

_SUFFIX = ".jsonl"


class FolderStore:
    """The runs of one stack in `FOLDER/STACK/`, and its lease in `FOLDER/STACK.lease`."""

    def __init__(self, address: str, stack: str) -> None:
        self._folder = Path(address) / stack
        self._lease = Path(address) / f"{stack}.lease"

    @property
    def address(self) -> str:
        """The folder."""
        return str(self._folder)

    @property
    def lease_address(self) -> str:
        """The lease's file."""
        return str(self._lease)

    @property
    def locks_end_with_process(self) -> bool:
        """The system gives up a lock when its process ends."""
        return True

    def begin_log(self, name: str) -> FolderLog:
        """A new JSONL file; raises `HedgerowError` when it exists or cannot be made."""
        return FolderLog(self._folder / f"{name}{_SUFFIX}")

    def read_log(self, name: str) -> list[bytes] | None:
        """The lines of a file; the last is left out where a crash cut it off."""
        body = self.read(f"{name}{_SUFFIX}")
        return None if body is None else body.split(b"\n")[:-1]

    def log_names(self) -> list[str]:
        """The names of all logs, sorted."""
        return sorted(path.name.removesuffix(_SUFFIX) for path in self._folder.glob(f"*{_SUFFIX}"))

    def read(self, name: str) -> bytes | None:
        """A file; `None` when it does not exist."""
        path = self._folder / name
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise HedgerowError(f"{path} cannot be read: {error.strerror}") from error

    def write(self, name: str, body: bytes) -> None:
        """Writes a file beside its place and moves it there, so that a reader never sees half of it."""
        path, beside = self._folder / name, self._folder / f".{name}.{os.getpid()}"
        try:
            _make_folder(self._folder)
            with beside.open("wb") as file:
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
            _flush_folder(self._folder)
        except OSError as error:
            with suppress(OSError):
                beside.unlink()
            raise HedgerowError(f"{path} cannot be written: {error.strerror}") from error

    def take_lease(self, record: bytes, may_take: Callable[[bytes], bool]) -> FolderHolding:
        """Takes the lock, then judges the record that the last holder left.

        The lock ends with its process, however that ends; the record still counts where the folder is shared between
        machines that do not see each other's locks.
        """
        try:
            _make_folder(self._lease.parent)
            file = os.open(self._lease, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise HedgerowError(f"the lease {self._lease} cannot be taken: {error.strerror}") from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left = os.pread(file, 10_000, 0)
            if left.strip() and not may_take(left):
                raise Taken(left)
            holding = FolderHolding(self._lease, file)
            if not holding.renew(record):
                raise Taken(left)
        except BlockingIOError:
            left = os.pread(file, 10_000, 0)
            os.close(file)
            raise Taken(left) from None
        except BaseException:
            os.close(file)
            raise
        return holding


class FolderLog:
    """A JSONL file that is only ever appended to; every record is on the disk before `append` returns."""

    def __init__(self, path: Path) -> None:
        """Creates the file.

        Raises:
            HedgerowError: when it cannot be created, or exists already.
        """
        self._path = path
        self._waiting_lock, self._file_lock = Lock(), Lock()
        self._waiting: list[bytes] = []
        self._added = self._flushed = 0
        self._failure: OSError | None = None
        try:
            _make_folder(path.parent)
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644)
            # A file that a power cut takes out of its folder was never durable.
            _flush_folder(path.parent)
        except OSError as error:
            raise _cannot_write(path, error) from error

    @property
    def address(self) -> str:
        """The file."""
        return str(self._path)

    def append(self, record: bytes) -> None:
        """Adds a line and waits for the disk. A file in which half a line may stand takes no further ones.

        Whoever comes first writes what the others, waiting for the disk behind it, have added meanwhile: one flush
        serves them all.
        """
        with self._waiting_lock:
            self._waiting.append(record + b"\n")
            self._added += 1
            number = self._added
        with self._file_lock:
            if self._flushed < number:
                self._flush()
            if self._failure is not None and self._flushed < number:
                raise _cannot_write(self._path, self._failure) from self._failure

    def _flush(self) -> None:
        """Writes all lines that wait; where that fails they stay unflushed, and so does every later one."""
        with self._waiting_lock:
            lines, self._waiting = b"".join(self._waiting), []
            added = self._added
        if self._failure is not None:
            return
        try:
            written = os.write(self._file, lines)
            if written != len(lines):
                raise OSError(f"only {written} of {len(lines)} bytes were written")
            os.fsync(self._file)
        except OSError as error:
            self._failure = error
        else:
            self._flushed = added

    def close(self) -> None:
        """Closes the file."""
        with suppress(OSError):
            os.close(self._file)


class FolderHolding:
    """A lease whose file is open and locked."""

    def __init__(self, path: Path, file: int) -> None:
        self._path = path
        self._file = file

    def renew(self, record: bytes) -> bool:
        """Writes the record into the file; false when another file lies in its place."""
        try:
            there, ours = self._path.stat(), os.fstat(self._file)
            if (there.st_dev, there.st_ino) != (ours.st_dev, ours.st_ino):
                return False
            # Written before it is cut, so that it is never seen empty, which would mean free.
            os.pwrite(self._file, record, 0)
            os.ftruncate(self._file, len(record))
            os.fsync(self._file)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise HedgerowError(f"the lease {self._path} cannot be renewed: {error.strerror}") from error
        return True

    def release(self) -> None:
        """Empties the file, which gives the lease back, and gives up the lock."""
        with suppress(OSError):
            os.ftruncate(self._file, 0)
        with suppress(OSError):
            os.close(self._file)


def _make_folder(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)


def _flush_folder(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _cannot_write(path: Path, error: OSError) -> HedgerowError:
    return HedgerowError(
        f"the journal {path} cannot be written: {error.strerror or error}",
        hint="nothing is written to the cloud without one; free the disk, or set `reconcile.journal` in stack.yaml",
    )
