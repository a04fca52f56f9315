"""Rules on settings that a client library would not use as they are declared."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from reconciler.hedging import ClientLibrary, spoken_duration
from reconciler.model import PublishedTopic
from reconciler.rules.effect_rules import FLOW_CONTROL_INCOMPLETE, PUBLISHER_LIMIT, SETTING_INEFFECTIVE
from reconciler.rules.published import Problem, enumeration
from reconciler.rules.services import declared_limits

_EXACT = 2**53
_MOST = {"batching.maxMessages": 1000, "batching.maxBytes": 10_000_000}
_LONGEST_LATENCY = timedelta(days=1)


def limit_problems(published: PublishedTopic) -> Iterator[Problem]:
    """Whether the declared limits are complete, and within what a request, or a file, can hold."""
    for key, value in declared_limits(published):
        if isinstance(value, timedelta):
            is_above, shown, most = value > _LONGEST_LATENCY, spoken_duration(value), spoken_duration(_LONGEST_LATENCY)
        else:
            limit = _MOST.get(key, _EXACT)
            is_above, shown, most = value > limit, str(value), str(limit)
        if is_above:
            yield Problem(
                rule=PUBLISHER_LIMIT,
                text=f"{shown} for `{key}` is above {most}",
                origin=published.origin_of(key),
                hint=f"set it to `{most}` or less, or leave it out for the library's default",
            )
    if (control := published.flow_control) is not None and control.limit_exceeded != "ignore":
        limits = {
            "maxOutstandingMessages": control.max_outstanding_messages,
            "maxOutstandingBytes": control.max_outstanding_bytes,
        }
        missing = [f"`{key}`" for key, value in limits.items() if value is None]
        if missing:
            yield Problem(
                rule=FLOW_CONTROL_INCOMPLETE,
                text=f"flow control that is to `{control.limit_exceeded}` lacks {' and '.join(missing)}",
                origin=published.origin_of("flowControl"),
                hint="declare both limits, or `limitExceededBehavior: ignore`",
            )


def effect_problems(published: PublishedTopic, library: ClientLibrary) -> Iterator[Problem]:
    """Which declared settings the library does not have."""
    if not library.attempt_timeouts:
        retry = published.retry
        declared = {
            "retry.initialRpcTimeout": retry.initial_rpc_timeout,
            "retry.maxRpcTimeout": retry.max_rpc_timeout,
            "retry.rpcTimeoutMultiplier": retry.rpc_timeout_multiplier,
        }
        keys = [key for key, value in declared.items() if value is not None]
        if keys:
            yield Problem(
                rule=SETTING_INEFFECTIVE,
                text=f"the {library.title} library has no timeout per attempt, so nothing uses "
                + enumeration(f"`{key}`" for key in keys),
                origin=published.origin_of(keys[0]),
                hint="leave it out: `retry.totalTimeout` alone counts for this service",
            )
    if published.flow_control is not None and not library.flow_control:
        yield Problem(
            rule=SETTING_INEFFECTIVE,
            text=f"the {library.title} library has no publisher flow control, so nothing uses `flowControl`",
            origin=published.origin_of("flowControl"),
            hint="leave it out, and limit the messages under way in the service itself",
        )
