"""One run per stack at a time: a lease with a lifetime, renewed in the background.

Whoever holds it knows by a clock that no one can set how long it still lasts, and sends no write after that. Whoever
wants it goes by the wall clock and waits `SKEW` longer, for clocks that differ.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Event, Thread

from reconciler.apply.journal import Clock, utc_now
from reconciler.apply.store import Holding, Store
from reconciler.apply.taken import Taken
from reconciler.errors import Busy, HedgerowError

LIFETIME = timedelta(minutes=10)

SKEW = timedelta(seconds=30)
"""By how much the clocks of two machines may differ."""

RENEWALS = 5
"""How often a lease is renewed in its lifetime."""


def _steady() -> float:
    """Seconds on a clock that nobody sets; on Linux it goes on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What stands in a lease: who holds it, and until when."""

    run: str
    host: str
    process: int
    until: datetime

    def to_bytes(self) -> bytes:
        """As a line of JSON."""
        until = self.until.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        body = {"run": self.run, "host": self.host, "process": self.process, "until": until}
        return json.dumps(body).encode() + b"\n"

    @classmethod
    def from_bytes(cls, record: bytes) -> Grant | None:
        """From `to_bytes`; `None` for anything else."""
        try:
            body = json.loads(record)
            until = datetime.fromisoformat(body["until"]).astimezone(UTC)
            return cls(run=str(body["run"]), host=str(body["host"]), process=int(body["process"]), until=until)
        except (KeyError, TypeError, ValueError):
            return None

    def __str__(self) -> str:
        return f"run {self.run}, process {self.process} on {self.host}, until {self.until:%H:%M:%S} UTC"


class Lease:
    """A lease that is held. Safe to ask from several threads."""

    def __init__(self, address: str, lifetime: timedelta, steady: Callable[[], float]) -> None:
        self.address = address
        self._lifetime = lifetime.total_seconds()
        self._steady = steady
        self._good_until = 0.0
        self._lost: str | None = None

    def obstacle(self) -> str | None:
        """Why no further write may be sent, if so."""
        if self._lost is None and self._steady() >= self._good_until:
            return f"the lease {self.address} could not be renewed in time"
        return self._lost

    def renewed(self, asked_at: float) -> None:
        """The store said at some time after `asked_at` that the lease is held."""
        self._good_until = asked_at + self._lifetime

    def keep(self, holding: Holding, grant: Callable[[], bytes], ended: Event) -> None:
        """Renews until the run ends or the lease is lost. Trouble in between is tried again; the lifetime bounds it."""
        while not ended.wait(self._lifetime / RENEWALS):
            asked_at = self._steady()
            try:
                kept = holding.renew(grant())
            except HedgerowError:
                continue
            if not kept:
                self._lost = f"the lease {self.address} was taken over by another run"
                return
            self.renewed(asked_at)


@contextmanager
def lease(
    store: Store,
    stack: str,
    run: str,
    *,
    lifetime: timedelta = LIFETIME,
    clock: Clock = utc_now,
    steady: Callable[[], float] = _steady,
) -> Iterator[Lease]:
    """Holds the lease of a stack, renewing it in the background.

    Raises:
        Busy: at once, when another run holds it.
        HedgerowError: when the store cannot be used.
    """
    host = socket.gethostname()

    def grant() -> bytes:
        return Grant(run=run, host=host, process=os.getpid(), until=clock() + lifetime).to_bytes()

    def may_take(record: bytes) -> bool:
        found = Grant.from_bytes(record)
        return found is not None and clock() >= found.until + SKEW

    def may_take_here(record: bytes) -> bool:
        """In a folder the lock is free, so a holder on this machine is dead; half a record is that of a dead one."""
        found = Grant.from_bytes(record)
        return found is None or found.host == host or may_take(record)

    held = Lease(store.lease_address, lifetime, steady)
    asked_at = steady()
    try:
        holding = store.take_lease(grant(), may_take_here if store.locks_end_with_process else may_take)
    except Taken as taken:
        holder = Grant.from_bytes(taken.record)
        raise Busy(
            f"another run works on the stack `{stack}`: {holder or 'it has just begun'}",
            hint=f"wait until it has ended; it holds {store.lease_address}",
        ) from None
    held.renewed(asked_at)
    ended = Event()
    keeper = Thread(target=held.keep, args=(holding, grant, ended), name="lease", daemon=True)
    keeper.start()
    try:
        yield held
    finally:
        ended.set()
        keeper.join(timeout=5)
        if not keeper.is_alive():
            holding.release()
