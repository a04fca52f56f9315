"""Values that everything else speaks in: regions, storage policies, topics, publishers, fleets.

Frozen and comparable; pure. May import `reconciler.errors`. Everybody imports from here.
"""

from reconciler.model.digest import canonical_json, digest, json_digest
from reconciler.model.endpoints import GLOBAL, Coordinates, distance, endpoint_inside
from reconciler.model.exemptions import (
    DISALLOWED_REGIONS,
    IN_TRANSIT_REQUIRED,
    NO_EXEMPTIONS,
    Exemption,
    Exemptions,
    is_pattern,
    matches,
)
from reconciler.model.fleet import (
    LIVE,
    Endpoints,
    Fleet,
    Limits,
    Reader,
    ReconcileSettings,
    RuleLevel,
    Stack,
    UnmanagedTopics,
)
from reconciler.model.names import TopicName, is_project_id, is_project_number, is_topic_id
from reconciler.model.publishers import (
    Batching,
    ClientFacts,
    FlowControl,
    HedgingProfile,
    PublishedTopic,
    Publisher,
    RetrySettings,
)
from reconciler.model.pulumi import OneStack, ProviderSettings, PulumiSettings, Split, StackPerProject, StackPerShard
from reconciler.model.regions import ALL_REGIONS, NO_REGIONS, REGION_SHAPE, ZONE_SHAPE, RegionSet
from reconciler.model.shards import pulumi_stack_of, pulumi_stacks, shards
from reconciler.model.storage import (
    DeclaredPolicy,
    Explicit,
    Inherit,
    StoragePolicy,
    Unmanaged,
    Within,
    regions_of,
)
from reconciler.model.topics import LiveTopic, Origin, Resolution, Resolutions, Subscriber, TopicSpec

__all__ = [
    "ALL_REGIONS",
    "DISALLOWED_REGIONS",
    "GLOBAL",
    "IN_TRANSIT_REQUIRED",
    "LIVE",
    "NO_EXEMPTIONS",
    "NO_REGIONS",
    "REGION_SHAPE",
    "ZONE_SHAPE",
    "Batching",
    "ClientFacts",
    "Coordinates",
    "DeclaredPolicy",
    "Endpoints",
    "Exemption",
    "Exemptions",
    "Explicit",
    "Fleet",
    "FlowControl",
    "HedgingProfile",
    "Inherit",
    "Limits",
    "LiveTopic",
    "OneStack",
    "Origin",
    "ProviderSettings",
    "PublishedTopic",
    "Publisher",
    "PulumiSettings",
    "Reader",
    "ReconcileSettings",
    "RegionSet",
    "Resolution",
    "Resolutions",
    "RetrySettings",
    "RuleLevel",
    "Split",
    "Stack",
    "StackPerProject",
    "StackPerShard",
    "StoragePolicy",
    "Subscriber",
    "TopicName",
    "TopicSpec",
    "Unmanaged",
    "UnmanagedTopics",
    "Within",
    "canonical_json",
    "digest",
    "distance",
    "endpoint_inside",
    "is_pattern",
    "is_project_id",
    "is_project_number",
    "is_topic_id",
    "json_digest",
    "matches",
    "pulumi_stack_of",
    "pulumi_stacks",
    "regions_of",
    "shards",
]
