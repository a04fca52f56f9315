"""Rules on switching hedging on: for this library, with this ordering, at this rate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import assert_never

from reconciler.hedging import (
    ClientLibrary,
    Evidence,
    Hedging,
    Mistake,
    Version,
    first_hedge_after,
    spoken_duration,
    value_problems,
)
from reconciler.model import Fleet, FlowControl, HedgingProfile, PublishedTopic, Publisher
from reconciler.rules.findings import Finding
from reconciler.rules.hedging_rules import (
    DUPLICATES_NOT_STATED,
    FIRST_HEDGE_LATE,
    FLOW_CONTROL_MISSING,
    HEDGING_ORDERING,
    HEDGING_SHORT_LIVED,
    HEDGING_UNSUPPORTED,
    HEDGING_VERSION_CLOCK,
)
from reconciler.rules.published import Problem, listing, written_at

LATEST_FIRST_HEDGE = timedelta(minutes=10)
HIGH_RATE = 100
"""Publish requests a second of one publisher object from which on flow control is asked for."""

_BY_WHAT = {Evidence.RUN: "", Evidence.READ: "", Evidence.DOCUMENTED: " (by its documentation)"}


def check_hedging(publisher: Publisher, fleet: Fleet, libraries: Mapping[str, ClientLibrary]) -> list[Finding]:
    """What speaks against hedging in this service at all; empty where it does not hedge."""
    hedged = [published for published in publisher.topics if published.hedging is not None]
    if not hedged:
        return []
    return [
        *_library_findings(publisher, hedged, libraries),
        *_duplicates_findings(publisher, hedged, fleet),
        *_rate_findings(publisher, hedged, libraries.get(publisher.language)),
    ]


def ordering_problems(published: PublishedTopic, library: ClientLibrary | None) -> Iterator[Problem]:
    """Whether the topic is to be hedged and ordered, and who said so."""
    if published.hedging is None or not published.message_ordering:
        return
    ordering_origin = published.ordering_origin or published.origin
    reaction = library.reactions.get(Mistake.ORDERING) if library else None
    yield Problem(
        rule=HEDGING_ORDERING,
        text=f"hedging `{published.hedging.name}` and message ordering exclude each other",
        origin=ordering_origin,
        details=(
            f"hedging: {written_at(published.hedging_origin)}",
            f"ordering: {written_at(ordering_origin)}",
            *((f"client: the {library.title} library {reaction}",) if library and reaction else ()),
        ),
        hint="declare `hedging: off` for this topic, or publish to it without ordering",
    )


def _library_findings(
    publisher: Publisher, hedged: list[PublishedTopic], libraries: Mapping[str, ClientLibrary]
) -> Iterator[Finding]:
    library = libraries.get(publisher.language)
    version = publisher.client_version or (library.newest if library else None)
    if library is None:
        return  # `language-unknown` says so
    first = library.hedging_since
    if first is None:
        yield _unsupported(
            publisher,
            hedged,
            f"the {library.title} library `{library.coordinates}` has no publish hedging",
            libraries.values(),
            "declare `hedging: off` for this service",
        )
        return
    if version is None or Version.parse(version) is None:
        return  # `client-version` says so
    advised = (library.recommended or first).since
    match library.hedging_in(version):
        case Hedging.ABSENT:
            yield _unsupported(
                publisher,
                hedged,
                f"version {version} of `{library.coordinates}` has no publish hedging",
                libraries.values(),
                f"build the service with {advised} or later, or declare `hedging: off` for it",
            )
        case Hedging.WALL_CLOCK:
            yield HEDGING_VERSION_CLOCK.finding(
                subject=publisher.service,
                origin=publisher.origin,
                message=(
                    f"`{publisher.service}`: version {version} of `{library.coordinates}` times hedges "
                    "by the wall clock"
                ),
                hint=f"build the service with {advised} or later",
            )
        case Hedging.PRESENT:
            pass
        case never:
            assert_never(never)


def _unsupported(
    publisher: Publisher, hedged: list[PublishedTopic], text: str, libraries: Iterable[ClientLibrary], hint: str
) -> Finding:
    since = [
        f"{library.language} since {first.since}" + _BY_WHAT[first.evidence]
        for library in libraries
        if (first := library.hedging_since)
    ]
    return HEDGING_UNSUPPORTED.finding(
        subject=publisher.service,
        origin=hedged[0].hedging_origin,
        message=f"`{publisher.service}`: {text}",
        details=(_topics(hedged), f"supported: {', '.join(since)}"),
        hint=hint,
    )


def _duplicates_findings(publisher: Publisher, hedged: list[PublishedTopic], fleet: Fleet) -> Iterator[Finding]:
    if publisher.duplicates_tolerated:
        return
    specs = [fleet.by_name.get(published.topic) for published in hedged]
    subscribers = {subscriber.name for spec in specs if spec is not None for subscriber in spec.subscribers}
    yield DUPLICATES_NOT_STATED.finding(
        subject=publisher.service,
        origin=publisher.origin,
        message=f"`{publisher.service}`: hedging can deliver a message twice, and nothing says that this is tolerated",
        details=(_topics(hedged), *((listing("subscriber", subscribers),) if subscribers else ())),
        hint="declare `duplicatesTolerated: true` once every subscriber copes with it, or `hedging: off`",
    )


def _rate_findings(
    publisher: Publisher, hedged: list[PublishedTopic], library: ClientLibrary | None
) -> Iterator[Finding]:
    rate = publisher.expected_requests_per_second
    if rate is None or not math.isfinite(rate) or rate <= 0:
        return  # unknown, or `publisher-value-range` says so
    by_profile: dict[HedgingProfile, list[PublishedTopic]] = {}
    for published in hedged:
        if published.hedging is not None and not value_problems(published.hedging):
            by_profile.setdefault(published.hedging, []).append(published)
    for profile, topics in by_profile.items():
        successes = first_hedge_after(profile.refill_ratio)
        wait = successes / rate
        if wait > LATEST_FIRST_HEDGE.total_seconds():
            yield FIRST_HEDGE_LATE.finding(
                subject=publisher.service,
                origin=topics[0].hedging_origin,
                message=(
                    f"`{publisher.service}`: the first hedge comes after {successes:,} successful requests of a "
                    f"publisher object, about {wait / 60:,.0f} minutes at {rate:g} a second"
                ),
                details=(f"profile: `{profile.name}`, refill ratio {profile.refill_ratio}", _topics(topics)),
                hint="raise `refillRatio` (at most 0.2), or declare `hedging: off`",
            )
        if publisher.lifetime is not None and timedelta() < publisher.lifetime < timedelta(seconds=wait):
            yield HEDGING_SHORT_LIVED.finding(
                subject=publisher.service,
                origin=topics[0].hedging_origin,
                message=(
                    f"`{publisher.service}`: a process lives for {spoken_duration(publisher.lifetime)}, about "
                    f"{publisher.lifetime.total_seconds() * rate:,.0f} requests at {rate:g} a second, and the first "
                    f"hedge comes after {successes:,}"
                ),
                details=(f"profile: `{profile.name}`, refill ratio {profile.refill_ratio}", _topics(topics)),
                hint="raise `refillRatio` (at most 0.2), or declare `hedging: off`",
            )
    is_possible = library is None or library.flow_control
    uncontrolled = [published for published in hedged if not (is_possible and _limits_anything(published.flow_control))]
    if rate >= HIGH_RATE and uncontrolled:
        yield FLOW_CONTROL_MISSING.finding(
            subject=publisher.service,
            origin=uncontrolled[0].origin,
            message=f"`{publisher.service}`: {rate:g} requests a second are hedged without publisher flow control",
            details=(_topics(uncontrolled),),
            hint=(
                f"limit the messages under way in the service itself: the {library.title} library cannot"
                if library and not is_possible
                else "declare `flowControl` with `maxOutstandingMessages` and `maxOutstandingBytes`"
            ),
        )


def _limits_anything(flow_control: FlowControl | None) -> bool:
    if flow_control is None or flow_control.limit_exceeded == "ignore":
        return False
    return flow_control.max_outstanding_messages is not None or flow_control.max_outstanding_bytes is not None


def _topics(published: Iterable[PublishedTopic]) -> str:
    return listing("topic", (topic.topic.topic for topic in published))
