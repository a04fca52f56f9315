"""Why a service's file is not as it was, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reconciler.hedging import Difference, endpoint_region
from reconciler.model import ALL_REGIONS, GLOBAL, NO_REGIONS, PublishedTopic, Publisher, RegionSet, TopicName

_WORDS: Mapping[tuple[str, ...], str] = {
    ("clientLibrary", "version"): "client library",
    ("clientLibrary", "name"): "client library",
    ("source", "generator"): "generator",
}
_SWITCHES: Mapping[tuple[str, ...], tuple[str, str]] = {
    ("hedging",): ("hedged now", "no longer hedged"),
    ("messageOrdering",): ("published in order now", "no longer published in order"),
}
_PROFILE = "hedging"


def changes_of_a_file(
    found: tuple[Difference, ...],
    publisher: Publisher,
    *,
    regions: Mapping[TopicName, RegionSet],
    live: Mapping[TopicName, RegionSet],
) -> tuple[str, ...]:
    """What is different in a service's file, one line for each thing, and why as far as that is known.

    Args:
        found: between the last file and the new one.
        publisher: the service as its new file has it.
        regions: the regions of its topics that the new file counts on.
        live: those that its topics have, which they may be about to lose.
    """
    topics = {str(published.topic): published for published in publisher.topics}
    lines = [
        _of_the_service(difference)
        if difference.topic is None
        else f"{_short(difference.topic)}: {_of_a_topic(difference, topics.get(difference.topic), regions, live)}"
        for difference in found
    ]
    return tuple(lines) or ("its spec was edited, and no setting differs",)


def _of_the_service(difference: Difference) -> str:
    what = _WORDS.get(difference.path, ".".join(difference.path))
    return f"{what} {_value(difference.before)} -> {_value(difference.after)}"


def _of_a_topic(
    difference: Difference,
    published: PublishedTopic | None,
    regions: Mapping[TopicName, RegionSet],
    live: Mapping[TopicName, RegionSet],
) -> str:
    before, after = difference.before, difference.after
    if published is None or not difference.path:
        return "no longer published to" if published is None else "published to now"
    profile = f" (profile `{published.hedging.name}`)" if published.hedging and _PROFILE in difference.path else ""
    if difference.path in _SWITCHES:
        on, off = _SWITCHES[difference.path]
        return f"{on if after else off}{profile}"
    if difference.path == ("endpoint",):
        return _endpoint(
            before, after, regions.get(published.topic, ALL_REGIONS), live.get(published.topic, NO_REGIONS)
        )
    what = ".".join(difference.path)
    return f"{what} {_value(before)} -> {_value(after)}{profile}"


def _endpoint(before: str, after: str, regions: RegionSet, live: RegionSet) -> str:
    left, taken = endpoint_region(before), endpoint_region(after)
    why = ""
    if left and left not in regions:
        why = f", as the topic {'is about to lose' if left in live else 'no longer has'} {left}"
    return f"endpoint {left or GLOBAL} -> {taken or GLOBAL}{why}"


def _value(value: Any) -> str:
    return "default" if value is None else str(value)


def _short(topic: str) -> str:
    return topic.rpartition("/")[2]
