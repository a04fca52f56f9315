"""The Google Cloud clients: live topics, organizations, their policies and tags.

The only importer of `google.cloud` besides the sandbox and the Python publisher. May import `reconcile` and below.
Called by `cli`, by `pulumi` where a program has to ask the cloud and, through the protocols that they state, by
`apply`.
"""

from reconciler.gcp.assets import PAGES_PER_MINUTE, AssetTopics
from reconciler.gcp.capture import Captured, capture
from reconciler.gcp.connection import CALL_TIMEOUT, RETRY_BUDGET, Connection
from reconciler.gcp.environment import connection_of
from reconciler.gcp.organization import Organization
from reconciler.gcp.pubsub import PubsubTopics
from reconciler.gcp.reading import (
    read_inventory,
    read_policies,
    read_single_topics,
    read_topics,
    read_whole_topics,
    reading_topics,
)

__all__ = [
    "CALL_TIMEOUT",
    "PAGES_PER_MINUTE",
    "RETRY_BUDGET",
    "AssetTopics",
    "Captured",
    "Connection",
    "Organization",
    "PubsubTopics",
    "capture",
    "connection_of",
    "read_inventory",
    "read_policies",
    "read_single_topics",
    "read_topics",
    "read_whole_topics",
    "reading_topics",
]
