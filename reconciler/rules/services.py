"""Rules on a publishing service as declared: its name, its library, its topics, its numbers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import timedelta

from reconciler.hedging import ClientLibrary, Version, spoken_duration
from reconciler.model import Fleet, PublishedTopic, Publisher
from reconciler.rules.findings import Finding
from reconciler.rules.published import Problem, enumeration
from reconciler.rules.service_rules import (
    ADAPTER_UNSUITABLE,
    CLIENT_VERSION,
    LANGUAGE_UNKNOWN,
    PUBLISHED_TWICE,
    PUBLISHER_VALUE_RANGE,
    SERVICE_NAME,
    TOPIC_NOT_DECLARED,
)

_KUBERNETES_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


def check_names(fleet: Fleet) -> list[Finding]:
    """Services whose name cannot be a file's, or is another's too."""
    findings = []
    first: dict[str, Publisher] = {}
    for publisher in fleet.publishers:
        if _PLAIN_NAME.fullmatch(publisher.service) is None:
            message = f"`{publisher.service}`: a service's name is also a file's, and this cannot be one"
            hint = "use letters, digits and `.`, `_`, `-`, starting with a letter or digit"
        elif (other := first.setdefault(publisher.service.casefold(), publisher)) is not publisher:
            message = f"`{publisher.service}`: service `{other.service}` in {other.origin.file} has the same file"
            hint = "rename one of the two, or merge their entries"
        else:
            continue
        findings.append(
            SERVICE_NAME.finding(subject=publisher.service, origin=publisher.origin, message=message, hint=hint)
        )
    return findings


def check_library(publisher: Publisher, libraries: Mapping[str, ClientLibrary]) -> list[Finding]:
    """Whether it is known what the service's client library does."""
    library = libraries.get(publisher.language)
    if library is None:
        rule = LANGUAGE_UNKNOWN
        message = f"`{publisher.service}`: nothing is known about publishers in `{publisher.language}`"
        hint = f"write one of {', '.join(f'`{language}`' for language in libraries)}"
    elif publisher.client_version is None and library.newest is None:
        rule = CLIENT_VERSION
        message = f"`{publisher.service}`: no version of the {library.title} library is known or declared"
        hint = f"declare the version of `{library.coordinates}` as `clientVersion`"
    elif publisher.client_version is not None and Version.parse(publisher.client_version) is None:
        rule = CLIENT_VERSION
        message = f"`{publisher.service}`: client version `{publisher.client_version}` is not a version number"
        newest = f", for example `{library.newest}`" if library.newest else ""
        hint = f"write the version of `{library.coordinates}` that the service is built with{newest}"
    else:
        return []
    return [rule.finding(subject=publisher.service, origin=publisher.origin, message=message, hint=hint)]


def check_adapter(publisher: Publisher) -> list[Finding]:
    """Whether the service can use the second file that it asks for."""
    if publisher.adapter in ("spring", "properties") and publisher.language != "java":
        message = f"adapter `{publisher.adapter}` is for Java, and the service is written in `{publisher.language}`"
        hint = "declare `configmap` or `env`, or leave `adapter` out: the JSON document is for every language"
    elif publisher.adapter == "configmap" and _KUBERNETES_NAME.fullmatch(publisher.service) is None:
        message = "a ConfigMap cannot be called after this service"
        hint = "name the service in lower-case letters, digits, `-` and `.`, or leave `adapter` out"
    else:
        return []
    return [
        ADAPTER_UNSUITABLE.finding(
            subject=publisher.service,
            origin=publisher.origin.at("adapter"),
            message=f"`{publisher.service}`: {message}",
            hint=hint,
        )
    ]


def check_statements(publisher: Publisher) -> list[Finding]:
    """Whether what the service says of itself can be so: its request rate, its callers' patience, its lifetime."""
    rate = publisher.expected_requests_per_second
    wrong = []
    if rate is not None and not (math.isfinite(rate) and rate > 0):
        hint = "declare the publish requests a second of one publisher object, or leave it out"
        wrong.append((f"{rate} for `expectedRequestsPerSecond` is not a number above 0", hint))
    for key, span in (("giveUpAfter", publisher.give_up_after), ("lifetime", publisher.lifetime)):
        if span is not None and span <= timedelta():
            wrong.append((f"{spoken_duration(span)} for `{key}` is not above 0", "leave it out where it is not known"))
    return [
        PUBLISHER_VALUE_RANGE.finding(
            subject=publisher.service,
            origin=publisher.origin,
            message=f"`{publisher.service}`: {message}",
            hint=hint,
        )
        for message, hint in wrong
    ]


def check_repeats(publisher: Publisher) -> list[Finding]:
    """Topics that the service lists more than once."""
    counts = Counter(published.topic for published in publisher.topics)
    last = {published.topic: published for published in publisher.topics}
    return [
        PUBLISHED_TWICE.finding(
            subject=publisher.service,
            origin=last[topic].origin,
            message=f"`{publisher.service}`: topic `{topic.topic}` is listed {count} times",
            hint="keep one entry",
        )
        for topic, count in counts.items()
        if count > 1
    ]


def declaration_problems(
    published: PublishedTopic, fleet: Fleet, projects: Mapping[str, list[str]]
) -> Iterator[Problem]:
    """Whether the topic is one of the stack, and its limits are limits.

    Args:
        published: the topic as the service publishes to it.
        fleet: what the stack declares.
        projects: for each topic id that is published to, the projects that have a topic so called.
    """
    name = published.topic
    if name not in fleet.by_name:
        elsewhere = projects.get(name.topic, [])
        yield Problem(
            rule=TOPIC_NOT_DECLARED,
            text=f"topic `{name}` is not declared in stack `{fleet.stack.name}`",
            origin=published.origin,
            details=(f"declared: `{name.topic}` in {enumeration(elsewhere)}",) if elsewhere else (),
            hint=f"declare it under `topics`, or correct its {'project' if elsewhere else 'name'}",
        )
    for key, value in declared_limits(published):
        is_positive, shown = (
            (value > timedelta(), spoken_duration(value)) if isinstance(value, timedelta) else (value > 0, str(value))
        )
        if not is_positive:
            yield Problem(
                rule=PUBLISHER_VALUE_RANGE,
                text=f"{shown} for `{key}` is not above 0",
                origin=published.origin_of(key),
                hint="leave it out for the library's default",
            )


def declared_limits(published: PublishedTopic) -> Iterator[tuple[str, int | timedelta]]:
    """The declared limits on batches and on messages under way, each under its name in specs."""
    batching, flow_control = published.batching, published.flow_control
    declared: dict[str, int | timedelta | None] = {}
    if batching is not None:
        declared |= {
            "batching.maxMessages": batching.max_messages,
            "batching.maxBytes": batching.max_bytes,
            "batching.maxLatency": batching.max_latency,
        }
    if flow_control is not None:
        declared |= {
            "flowControl.maxOutstandingMessages": flow_control.max_outstanding_messages,
            "flowControl.maxOutstandingBytes": flow_control.max_outstanding_bytes,
        }
    return ((key, value) for key, value in declared.items() if value is not None)
