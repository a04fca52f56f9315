"""The generated file: one JSON document per publishing service, for an application to load.

Its shape is `publisher-config.schema.json`, which names itself by a URN: the document must be checkable without asking
any web host, wherever the file is mounted. Bytes depend on the declared publisher, the stack's name and hedgerow's
version alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reconciler import __version__
from reconciler.hedging.adapters import ADAPTERS, adapted, adapted_name
from reconciler.hedging.clients import ClientLibrary, Hedging
from reconciler.hedging.durations import protobuf_duration
from reconciler.hedging.known import known_libraries
from reconciler.hedging.timeouts import Timeouts, resolve_timeouts, timeouts_reached
from reconciler.hedging.values import value_problems
from reconciler.model import (
    REGION_SHAPE,
    Batching,
    Fleet,
    FlowControl,
    HedgingProfile,
    PublishedTopic,
    Publisher,
    digest,
)

SCHEMA_ID = "urn:hedgerow:publisher-config:1"
FORMAT_VERSION = "1"
GENERATOR = "hedgerow"


def render(fleet: Fleet, libraries: Mapping[str, ClientLibrary] | None = None) -> dict[str, bytes]:
    """The files of every publisher of a fleet that has passed the rules, by file name.

    One document each (`checkout.json`), and beside it what its adapter makes of the same values.

    Raises:
        ValueError: for a publisher that the rules on publishers refuse, as far as that shows in the document: an
            unknown language, version or adapter, missing timeouts, hedging that a client would refuse or ignore. Run
            the rules first; they say what is wrong and where.
    """
    libraries = known_libraries(fleet.stack.client_libraries) if libraries is None else libraries
    files = {}
    for publisher in fleet.publishers:
        document = _to_bytes(_document(fleet.stack.name, publisher, libraries))
        files[f"{publisher.service}.json"] = document
        if publisher.adapter is not None:
            name, content = adapted(publisher.adapter, document)
            files[name] = content
    return files


def file_names(publisher: Publisher) -> tuple[str, ...]:
    """The names of a service's files: its document, then what its adapter makes of it, if there is such an adapter."""
    document = f"{publisher.service}.json"
    if publisher.adapter not in ADAPTERS:
        return (document,)
    return document, adapted_name(publisher.adapter, publisher.service)


def spec_digest(publisher: Publisher) -> str:
    """`sha256:...` over what is declared for one publisher: its entry and the profiles that it uses.

    Blind to the order of topics and regions and to where things were written; other services do not count, so that a
    change to one of them changes no other file.
    """
    topics = tuple(sorted(publisher.topics, key=lambda published: published.topic))
    return digest(replace(publisher, topics=topics, regions=tuple(sorted(publisher.regions))))


def endpoint_address(endpoint: str) -> str:
    """Host and port of the global endpoint (`global`) or of a region's locational one.

    Raises:
        ValueError: for anything that is not shaped like a region.
    """
    if endpoint == "global":
        return "pubsub.googleapis.com:443"
    if REGION_SHAPE.fullmatch(endpoint) is None:
        raise ValueError(f"{endpoint!r} is neither `global` nor a region")
    return f"{endpoint}-pubsub.googleapis.com:443"


def _document(stack: str, publisher: Publisher, libraries: Mapping[str, ClientLibrary]) -> dict[str, Any]:
    library = libraries.get(publisher.language)
    version = publisher.client_version or (library.newest if library else None)
    if library is None or version is None:
        raise ValueError(f"{publisher.service}: nothing is known about language {publisher.language}")
    hedges = any(published.hedging is not None for published in publisher.topics)
    if hedges and library.hedging_in(version) is Hedging.ABSENT:
        raise ValueError(f"{publisher.service}: version {version} of {library.coordinates} has no hedging")
    return {
        "$schema": SCHEMA_ID,
        "formatVersion": FORMAT_VERSION,
        "service": publisher.service,
        "language": publisher.language,
        "clientLibrary": {"name": library.coordinates, "version": version},
        "topics": {str(published.topic): _topic(published, library) for published in publisher.topics},
        "source": {"stack": stack, "specDigest": spec_digest(publisher), "generator": f"{GENERATOR} {__version__}"},
    }


def _topic(published: PublishedTopic, library: ClientLibrary) -> dict[str, Any]:
    timeouts = resolve_timeouts(published.retry, library)
    if timeouts is None:
        raise ValueError(f"{published.topic}: the {library.title} library's default timeouts are not known")
    body: dict[str, Any] = {
        "endpoint": endpoint_address(published.endpoint or "global"),
        "messageOrdering": published.message_ordering,
        "retry": _retry(timeouts, library),
        "batching": _batching(published.batching),
        "flowControl": _flow_control(published.flow_control if library.flow_control else None),
    }
    if published.hedging is not None:
        if published.message_ordering or timeouts_reached(published.hedging.hedge_delay, timeouts):
            raise ValueError(f"{published.topic}: no client hedges with this ordering and these timeouts")
        body["hedging"] = _hedging(published.hedging)
    return body


def _hedging(profile: HedgingProfile) -> dict[str, Any]:
    if problems := value_problems(profile):
        raise ValueError(f"hedging profile {profile.name}: {problems[0].text}")
    return {
        "hedgeDelay": protobuf_duration(profile.hedge_delay),
        "maxTokens": int(profile.max_tokens),
        "refillRatio": profile.refill_ratio,
    }


def _retry(timeouts: Timeouts, library: ClientLibrary) -> dict[str, Any]:
    """What will be in force: without timeouts per attempt, an attempt lasts as long as the total timeout lets it."""
    initial, multiplier, maximum = timeouts.initial.value, timeouts.multiplier, timeouts.maximum.value
    total = timeouts.total.value
    if not library.attempt_timeouts:
        initial, multiplier, maximum = total, 1, total
    return {
        "initialRpcTimeout": protobuf_duration(initial),
        "rpcTimeoutMultiplier": int(multiplier) if float(multiplier).is_integer() else multiplier,
        "maxRpcTimeout": protobuf_duration(maximum),
        "totalTimeout": protobuf_duration(total),
    }


def _batching(batching: Batching | None) -> dict[str, Any]:
    if batching is None:
        return {}
    latency = batching.max_latency
    return _stated(
        {
            "maxMessages": batching.max_messages,
            "maxBytes": batching.max_bytes,
            "maxLatency": None if latency is None else protobuf_duration(latency),
        }
    )


def _flow_control(flow_control: FlowControl | None) -> dict[str, Any]:
    if flow_control is None:
        return {}
    return _stated(
        {
            "maxOutstandingMessages": flow_control.max_outstanding_messages,
            "maxOutstandingBytes": flow_control.max_outstanding_bytes,
            "limitExceededBehavior": flow_control.limit_exceeded,
        }
    )


def _stated(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields that are stated: one that is absent leaves the library's default alone, a null would not."""
    return {name: value for name, value in fields.items() if value is not None}


def _to_bytes(document: dict[str, Any]) -> bytes:
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()
