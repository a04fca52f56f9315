"""A service's publisher configuration in words: what is generated for each topic, and why."""

from __future__ import annotations

from collections.abc import Iterator

from reconciler.hedging import (
    ClientLibrary,
    endpoint_address,
    first_hedge_after,
    resolve_timeouts,
    spoken_duration,
)
from reconciler.model import GLOBAL, Coordinates, Fleet, HedgingProfile, PublishedTopic, Publisher, distance
from reconciler.rules import layer_of, layers_of


def explained(
    declared: Publisher,
    settled: Publisher,
    fleet: Fleet,
    library: ClientLibrary,
    *,
    file: str,
    coordinates: Coordinates,
) -> str:
    """What a service's file holds and what follows from it, a few lines for each topic.

    Args:
        declared: the service as its spec has it.
        settled: the same with an endpoint for every topic; it has passed the rules.
        fleet: for the topics' subscribers.
        library: of the service's language.
        file: the name of its file, and how that stands.
        coordinates: of the catalogue, to tell how far away an endpoint is.
    """
    version = settled.client_version or library.newest
    lines = [f"{settled.service}  {settled.language}, {library.coordinates} {version}   {file}"]
    ids = [published.topic.topic for published in settled.topics]
    named = ids if len(set(ids)) == len(ids) else [str(published.topic) for published in settled.topics]
    width = max(map(len, named), default=0)
    for name, spec, published in zip(named, declared.topics, settled.topics, strict=True):
        facts = [
            *_hedging(settled, published, fleet),
            *_timeouts(published, library),
            *_endpoint(settled, spec, published, coordinates),
        ]
        lines += [f"  {name if index == 0 else '':{width}}  {fact}" for index, fact in enumerate(facts)]
    return "".join(f"{line}\n" for line in lines)


def _hedging(publisher: Publisher, published: PublishedTopic, fleet: Fleet) -> Iterator[str]:
    profile = published.hedging
    if profile is None:
        yield "ordered, so never hedged" if published.message_ordering else "not hedged"
        return
    share = f"{profile.refill_ratio * 100:g} %"
    yield (
        f"hedging {profile.name} ({layer_of(published.hedging_origin)}): after {spoken_duration(profile.hedge_delay)}, "
        f"at most {profile.max_tokens} tokens, {share} of requests"
    )
    yield from _at_the_rate(publisher, profile)
    yield f"worst case: {share} more requests in the long run, {profile.max_tokens} at once per publisher object"
    spec = fleet.by_name.get(published.topic)
    subscribers = ", ".join(sorted(subscriber.name for subscriber in spec.subscribers)) if spec else ""
    yield f"duplicates possible, subscribers: {subscribers or 'none declared'}"


def _at_the_rate(publisher: Publisher, profile: HedgingProfile) -> Iterator[str]:
    successes = first_hedge_after(profile.refill_ratio)
    rate = publisher.expected_requests_per_second
    first, spent = "", ""
    if rate:
        first = f" (about {_about(successes / rate)} at {rate:g} a second)"
        spent = f", spent in about {_about(profile.max_tokens / rate)}"
    yield f"first hedge after {successes:,} successful requests per publisher object{first}"
    yield f"in an outage: at most {profile.max_tokens} hedges{spent}, then none until requests succeed again"


def _timeouts(published: PublishedTopic, library: ClientLibrary) -> Iterator[str]:
    timeouts = resolve_timeouts(published.retry, library, layers_of(published, "retry"))
    if timeouts is None:
        return
    if library.attempt_timeouts:
        yield f"initial timeout {timeouts.initial}, at most {timeouts.maximum} an attempt"
        yield f"total timeout {timeouts.total}"
    else:
        yield f"timeout over all attempts {timeouts.total}"


def _endpoint(
    publisher: Publisher, declared: PublishedTopic, published: PublishedTopic, coordinates: Coordinates
) -> Iterator[str]:
    endpoint = published.endpoint or GLOBAL
    if declared.endpoint is not None:
        why = f"declared {layer_of(published.origin_of('endpoint'))}"
    elif endpoint == GLOBAL:
        why = "leads to a region near the service"
    elif endpoint in publisher.regions:
        why = "one of the topic's regions, where the service runs"
    else:
        lengths = [distance(region, endpoint, coordinates) for region in publisher.regions]
        known = [length for length in lengths if length is not None]
        why = f"the topic's region nearest to the service, {min(known):,.0f} km" if known else "the topic's only region"
    yield f"endpoint {endpoint_address(endpoint)} ({why})"


def _about(seconds: float) -> str:
    """A span of time, to no more than two digits that matter."""
    if seconds < 1:
        return "1 s or less"
    for unit, length in (("s", 1), ("minutes", 60)):
        if seconds < 120 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds / 3600:,.0f} hours"
