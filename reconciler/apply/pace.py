"""How fast and in which portions changes are made."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from threading import Lock
from typing import TypeVar

_Item = TypeVar("_Item")


def waves(items: Sequence[_Item], sizes: Sequence[str]) -> Iterator[Sequence[_Item]]:
    """Cuts items into waves.

    Each size is a number of items or a share of all of them (`"10%"`, rounded up); the last wave takes what is left,
    whatever its size says. Empty waves are left out.
    """
    start = 0
    for index, size in enumerate(sizes):
        count = math.ceil(len(items) * float(size[:-1]) / 100) if size.endswith("%") else int(size)
        end = len(items) if index == len(sizes) - 1 else min(start + count, len(items))
        if end > start:
            yield items[start:end]
        start = end


def interleaved(items: Sequence[_Item], kind: Callable[[_Item], Hashable]) -> list[int]:
    """The indexes of items, taking turns between kinds, so that one payer's queue never keeps another waiting."""
    turns: dict[Hashable, int] = {}
    places = []
    for index, item in enumerate(items):
        turn = turns.get(kind(item), 0)
        turns[kind(item)] = turn + 1
        places.append((turn, index))
    return [index for _, index in sorted(places)]


class Pace:
    """At most so many operations a minute for each payer, evenly spread.

    Each operation gets a slot, one interval after the slot before, and starts no earlier: any minute holds at most the
    rate, and as long as somebody waits no slot is lost. Thread-safe. `clock` gives seconds, monotonic; `sleep` waits
    for seconds.
    """

    def __init__(
        self, operations_per_minute: int, clock: Callable[[], float], sleep: Callable[[float], object]
    ) -> None:
        self._interval = 60 / operations_per_minute
        self._clock = clock
        self._sleep = sleep
        self._lock = Lock()
        self._next: dict[str, float] = {}

    def take(self, payer: str) -> None:
        """Waits for the payer's next slot."""
        with self._lock:
            now = self._clock()
            start = max(self._next.get(payer, now), now)
            self._next[payer] = start + self._interval
        if start > now:
            self._sleep(start - now)

    def pause(self, payer: str, seconds: float) -> None:
        """Gives the payer no slot for so long, because its quota is used up."""
        with self._lock:
            self._next[payer] = max(self._next.get(payer, 0.0), self._clock() + seconds)
