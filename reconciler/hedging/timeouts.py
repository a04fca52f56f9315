"""A publisher's timeouts, with the target library's defaults filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import assert_never

from reconciler.hedging.clients import ClientLibrary
from reconciler.hedging.durations import spoken_duration
from reconciler.model import RetrySettings


class Given(StrEnum):
    """Where a timeout comes from."""

    DECLARED = "declared"
    DEFAULT = "default"
    TOTAL = "total"
    """The library has no timeout per attempt: an attempt lasts as long as the total timeout lets it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeout:
    """A timeout and where it comes from.

    Attributes:
        title: the language's name, for messages.
        layer: of a declared one, for messages: `for the topic`, `in defaults`; empty where that is not known.
    """

    value: timedelta
    given: Given
    title: str
    layer: str = ""

    def __str__(self) -> str:
        match self.given:
            case Given.DECLARED:
                source = f"declared {self.layer}".rstrip()
            case Given.DEFAULT:
                source = f"the {self.title} library's default"
            case Given.TOTAL:
                source = f"the total timeout: the {self.title} library has none per attempt"
            case _:
                assert_never(self.given)
        return f"{spoken_duration(self.value)} ({source})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """All timeouts of a publish request, none left open."""

    initial: Timeout
    multiplier: float
    maximum: Timeout
    total: Timeout


def resolve_timeouts(
    retry: RetrySettings, library: ClientLibrary, layers: Mapping[str, str] = MappingProxyType({})
) -> Timeouts | None:
    """What is declared, and the library's defaults for the rest; `None` where a default is needed but not known.

    Args:
        retry: what is declared.
        library: whose defaults count.
        layers: where each key was declared, for messages.
    """
    defaults = library.defaults

    def timeout(declared: timedelta | None, default: timedelta | None, given: Given, key: str = "") -> Timeout | None:
        if declared is not None:
            layer = layers.get(key, "")
            return Timeout(value=declared, given=Given.DECLARED, title=library.title, layer=layer)
        return None if default is None else Timeout(value=default, given=given, title=library.title)

    total = timeout(retry.total_timeout, defaults.total if defaults else None, Given.DEFAULT, "totalTimeout")
    initial = timeout(
        retry.initial_rpc_timeout, defaults.initial if defaults else None, Given.DEFAULT, "initialRpcTimeout"
    )
    maximum = timeout(retry.max_rpc_timeout, defaults.maximum if defaults else None, Given.DEFAULT, "maxRpcTimeout")
    if defaults and total:
        initial = initial or timeout(None, total.value, Given.TOTAL)
        maximum = maximum or timeout(None, total.value, Given.TOTAL)
    multiplier = retry.rpc_timeout_multiplier
    if multiplier is None and defaults:
        multiplier = defaults.multiplier
    if initial is None or maximum is None or total is None or multiplier is None:
        return None
    return Timeouts(initial=initial, multiplier=multiplier, maximum=maximum, total=total)


def timeouts_reached(delay: timedelta, timeouts: Timeouts) -> tuple[tuple[str, Timeout], ...]:
    """The timeouts that a hedge delay is not strictly below, each with its name; empty where hedges can be sent.

    Java and Node refuse such a delay, Go does not hedge, in Rust hedges never come to be sent (run; Node read).
    """
    attempts = () if timeouts.initial.given is Given.TOTAL else (("initial RPC timeout", timeouts.initial),)
    return tuple(
        (name, limit) for name, limit in (*attempts, ("total timeout", timeouts.total)) if delay >= limit.value
    )
