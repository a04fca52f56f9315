"""One run per stack at a time, on one machine: an operating-system lock on a file in the journal's folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reconciler.errors import Busy, HedgerowError


@contextmanager
def lease(folder: Path, stack: str, run: str) -> Iterator[Path]:
    """Holds the lease of a stack. The system releases it when the process ends, however it ends.

    Raises:
        Busy: at once, when another run holds it.
    """
    path = folder / f"{stack}.lease"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise HedgerowError(f"the lease {path} cannot be taken: {error.strerror}") from error
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(file, 200, 0).decode(errors="replace").strip() or "another run"
            raise Busy(
                f"another run works on the stack `{stack}`: {holder}",
                hint=f"wait until it has ended; it holds {path}",
            ) from None
        os.ftruncate(file, 0)
        os.pwrite(file, f"run {run}, process {os.getpid()}\n".encode(), 0)
        yield path
        os.ftruncate(file, 0)
    finally:
        os.close(file)
