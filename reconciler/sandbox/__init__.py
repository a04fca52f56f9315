"""A local Google Cloud on loopback ports, for unmodified clients.

It speaks Pub/Sub, Organization Policy, Resource Manager and, for topics, Cloud Asset.

For the demo, the tests and trials. A `World` holds what exists; plain functions, one for each API method, keep the
service's rules over it (`publisher`, `subscriber`, `org_policy`, `resource_manager`, `assets`); the `Gateway` logs,
denies and injects faults; a gRPC and a REST server stand in front of it. May import everything below it but needs only
`model` and `orgpolicy`; `google` messages and grpc are used here. Called by `cli` and by tests; its imports are heavy.
"""

from reconciler.sandbox.calls import REGION_HEADER, Call, Transport
from reconciler.sandbox.clock import Clock
from reconciler.sandbox.environment import DEFAULT_GRPC_PORT, DEFAULT_REST_PORT, environment
from reconciler.sandbox.errors import ApiError, Code
from reconciler.sandbox.faults import Answer, Fault, Faults
from reconciler.sandbox.gateway import Bystander
from reconciler.sandbox.log import LoggedRequest, RequestLog
from reconciler.sandbox.quota import PUBSUB_DEFAULT
from reconciler.sandbox.seeds import SeedTopic, load_faults, load_topics
from reconciler.sandbox.servers import Sandbox
from reconciler.sandbox.world import World

__all__ = [
    "DEFAULT_GRPC_PORT",
    "DEFAULT_REST_PORT",
    "PUBSUB_DEFAULT",
    "REGION_HEADER",
    "Answer",
    "ApiError",
    "Bystander",
    "Call",
    "Clock",
    "Code",
    "Fault",
    "Faults",
    "LoggedRequest",
    "RequestLog",
    "Sandbox",
    "SeedTopic",
    "Transport",
    "World",
    "environment",
    "load_faults",
    "load_topics",
]
