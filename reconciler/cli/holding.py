"""What holds changes back, asked with everything that a stack knows: its services, and what they load now."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from reconciler.cli.output import say
from reconciler.cli.surroundings import files_at
from reconciler.errors import HedgerowError
from reconciler.hedging import regions_in
from reconciler.model import Fleet, TopicName
from reconciler.reconcile import Change, History, Hold, holds
from reconciler.spec import load_catalogue


def holds_on(changes: Iterable[Change], fleet: Fleet, history: History, moment: datetime) -> dict[TopicName, Hold]:
    """What holds each of the changes, for those that something holds; widening is asked elsewhere."""
    return holds(
        changes,
        fleet.publishers,
        history,
        now=moment,
        settle=fleet.stack.reconcile.settle,
        coordinates=load_catalogue().coordinates,
        loaded=_loaded_regions(fleet),
    )


def _loaded_regions(fleet: Fleet) -> dict[tuple[str, TopicName], str]:
    """The region through which a service publishes in order to a topic by its file, where no spec declares one.

    Where files cannot be read, that is told, and nothing is known of any.
    """
    asked = {
        publisher.service: [topic.topic for topic in publisher.topics if topic.message_ordering and not topic.endpoint]
        for publisher in fleet.publishers
    }
    names = {f"{service}.json": service for service, topics in asked.items() if topics}
    if not (names and fleet.stack.renders_nightly):
        return {}
    try:
        found = files_at(fleet.stack.publisher_output).read(names)
    except HedgerowError as error:
        say(f"what services load is not known: {error.message}")
        return {}
    regions = {names[name]: regions_in(seen.content or b"") for name, seen in found.items()}
    return {
        (service, topic): regions[service][str(topic)]
        for service in regions
        for topic in asked[service]
        if str(topic) in regions[service]
    }
