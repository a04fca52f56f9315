"""Rules on a publisher's timeouts, alone and against its hedge delay."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import pairwise

from reconciler.hedging import (
    ClientLibrary,
    Given,
    Mistake,
    Timeout,
    Timeouts,
    resolve_timeouts,
    spoken_duration,
    timeouts_reached,
)
from reconciler.model import PublishedTopic
from reconciler.rules.published import Problem, layers_of
from reconciler.rules.timeout_rules import (
    HEDGE_DELAY_TIMEOUT,
    LATE_DUPLICATES,
    TIMEOUT_ORDER,
    TIMEOUT_RANGE,
    TIMEOUT_TIGHT,
    TIMEOUT_UNKNOWN,
)

TIGHT = 3
"""An initial RPC timeout shorter than this many hedge delays is called tight."""

LONGEST = timedelta(seconds=9_223_372_036)
"""What 64 bits of nanoseconds hold, in whole seconds: the range of Go's `time.Duration`."""


def timeout_problems(
    published: PublishedTopic,
    library: ClientLibrary,
    libraries: Mapping[str, ClientLibrary],
    *,
    give_up_after: timedelta | None = None,
) -> Iterator[Problem]:
    """What is wrong with the timeouts of one published topic, defaults of its language's library filled in.

    Args:
        published: the topic as the service publishes to it.
        library: of the service's language.
        libraries: all; their strictest limits hold for everybody.
        give_up_after: how long the service's callers wait, if that is declared.
    """
    timeouts = resolve_timeouts(published.retry, library, layers_of(published, "retry"))
    if timeouts is None:
        yield Problem(
            rule=TIMEOUT_UNKNOWN,
            text=f"the default timeouts of the {library.title} library are not known",
            origin=published.origin,
            hint="declare `initialRpcTimeout`, `rpcTimeoutMultiplier`, `maxRpcTimeout` and `totalTimeout` in `retry`",
        )
        return
    yield from _range(published, timeouts, libraries)
    yield from _order(published, timeouts)
    if give_up_after is not None and timedelta() < give_up_after < timeouts.total.value:
        yield _late(published, give_up_after, timeouts.total)
    if published.hedging is not None:
        yield from _against_delay(published, published.hedging.hedge_delay, timeouts, library)


def _late(published: PublishedTopic, give_up_after: timedelta, total: Timeout) -> Problem:
    patience = spoken_duration(give_up_after)
    return Problem(
        rule=LATE_DUPLICATES,
        text=f"callers give up after {patience}, and the library goes on publishing until {total}",
        origin=published.origin_of("retry.totalTimeout"),
        hint=f"set `retry.totalTimeout` to `{patience}`, or let callers wait as long as the library does",
    )


def _range(published: PublishedTopic, timeouts: Timeouts, libraries: Mapping[str, ClientLibrary]) -> Iterator[Problem]:
    limits = (
        ("initial RPC timeout", "initialRpcTimeout", timeouts.initial, [k.minimum_initial for k in libraries.values()]),
        ("total timeout", "totalTimeout", timeouts.total, [k.minimum_total for k in libraries.values()]),
    )
    for name, key, timeout, minima in limits:
        minimum = max((limit for limit in minima if limit is not None), default=timedelta(milliseconds=1))
        # An attempt that lasts as long as the total timeout is judged there.
        if timeout.given is not Given.TOTAL and timeout.value < minimum:
            yield Problem(
                rule=TIMEOUT_RANGE,
                text=f"{name} {timeout} is below {spoken_duration(minimum)}",
                origin=published.origin_of(f"retry.{key}"),
                hint=f"set `retry.{key}` to `{spoken_duration(minimum)}` or more",
            )
    if timeouts.total.value > LONGEST:
        yield Problem(
            rule=TIMEOUT_RANGE,
            text=f"total timeout {timeouts.total} is above {spoken_duration(LONGEST)}",
            origin=published.origin_of("retry.totalTimeout"),
            hint="set `retry.totalTimeout` to what a caller can wait for",
        )
    if not math.isfinite(timeouts.multiplier) or timeouts.multiplier < 1:
        yield Problem(
            rule=TIMEOUT_RANGE,
            text=f"RPC timeout multiplier {timeouts.multiplier} is not a number from 1 up",
            origin=published.origin_of("retry.rpcTimeoutMultiplier"),
            hint="set `retry.rpcTimeoutMultiplier` to 1 for the same timeout at each attempt, or to more",
        )


def _order(published: PublishedTopic, timeouts: Timeouts) -> Iterator[Problem]:
    steps = (
        ("initial RPC timeout", "initialRpcTimeout", timeouts.initial),
        ("maximum RPC timeout", "maxRpcTimeout", timeouts.maximum),
        ("total timeout", "totalTimeout", timeouts.total),
    )
    for (name, key, shorter), (next_name, next_key, longer) in pairwise(steps):
        if shorter.value > longer.value:
            yield Problem(
                rule=TIMEOUT_ORDER,
                text=f"{name} {shorter} is longer than the {next_name} {longer}",
                origin=published.origin_of(f"retry.{key if shorter.given is Given.DECLARED else next_key}"),
                hint=_order_hint(key, shorter, next_key, longer),
            )


def _order_hint(key: str, shorter: Timeout, next_key: str, longer: Timeout) -> str:
    return (
        f"set `retry.{key}` to at most `{spoken_duration(longer.value)}`, "
        f"or `retry.{next_key}` to at least `{spoken_duration(shorter.value)}`"
    )


def _against_delay(
    published: PublishedTopic, delay: timedelta, timeouts: Timeouts, library: ClientLibrary
) -> Iterator[Problem]:
    reached = timeouts_reached(delay, timeouts)
    if reached:
        limits = " nor the ".join(f"{name} {timeout}" for name, timeout in reached)
        lowest = min(timeout.value for _, timeout in reached)
        keys = " and ".join(f"`retry.{_KEYS[name]}`" for name, _ in reached)
        reaction = library.reactions.get(Mistake.DELAY_TIMEOUT)
        yield Problem(
            rule=HEDGE_DELAY_TIMEOUT,
            text=f"hedge delay {spoken_duration(delay)} is not below the {limits}",
            origin=published.hedging_origin,
            details=(f"client: the {library.title} library {reaction}",) if reaction else (),
            hint=(
                f"set `hedgeDelay` below {spoken_duration(lowest)}, or {keys} above {spoken_duration(delay)}; "
                "Google advises long timeouts with short hedge delays"
            ),
        )
    elif timeouts.initial.value < TIGHT * delay:
        key = "totalTimeout" if timeouts.initial.given is Given.TOTAL else "initialRpcTimeout"
        yield Problem(
            rule=TIMEOUT_TIGHT,
            text=(
                f"initial RPC timeout {timeouts.initial} is less than {TIGHT} times the "
                f"hedge delay {spoken_duration(delay)}"
            ),
            origin=published.hedging_origin,
            hint=f"set `retry.{key}` to `{spoken_duration(TIGHT * delay)}` or more, or shorten `hedgeDelay`",
        )


_KEYS = {"initial RPC timeout": "initialRpcTimeout", "total timeout": "totalTimeout"}
