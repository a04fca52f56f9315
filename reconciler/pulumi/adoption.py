"""Which topics are there already, for a program that is to take them over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reconciler.errors import HedgerowError
from reconciler.model import Stack, TopicName
from reconciler.reconcile import all_available


def existing_topics(stack: Stack, projects: Iterable[str], environment: Mapping[str, str]) -> frozenset[TopicName]:
    """The live topics of some projects, listed in pages.

    Raises:
        HedgerowError: when Google's clients are not installed.
        NotEvaluated: when a project's topics could not be listed: creating one that is there fails.
    """
    try:
        from reconciler.gcp import PubsubTopics, connection_of, read_topics  # noqa: PLC0415 - comes with `hedgerow[gcp]`
    except ModuleNotFoundError as error:
        raise HedgerowError(
            f"adopting topics needs the Google Cloud clients: {error.name} is missing",
            hint="pip install 'hedgerow[gcp]', or `pulumi config rm hedgerow:adopt`",
        ) from None
    found = read_topics(projects, PubsubTopics(connection_of(stack, environment)))
    return frozenset(topic.name for topics in all_available(found).values() for topic in topics)
