"""What the services of a stack load now: what guardrails have to know of their files."""

from __future__ import annotations

from reconciler.cli.output import say
from reconciler.cli.surroundings import files_at
from reconciler.errors import HedgerowError
from reconciler.hedging import regions_in
from reconciler.model import Fleet, TopicName


def loaded_regions(fleet: Fleet) -> dict[tuple[str, TopicName], str]:
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
