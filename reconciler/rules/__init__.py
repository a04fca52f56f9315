"""Coded checks: model and effective policies to findings.

Pure: fleets, policies and the catalogue are passed in. May import `reconciler.hedging`, `reconciler.orgpolicy` and
below. Called by `cli`, and by `pulumi` for its program and its policy pack.
"""

from reconciler.rules.check import check, check_services
from reconciler.rules.endpoints import with_endpoints
from reconciler.rules.findings import Example, Finding, Rule, Severity
from reconciler.rules.published import layer_of, layers_of
from reconciler.rules.publishers import PUBLISHER_RULES, check_publishers
from reconciler.rules.registry import ALL_RULES
from reconciler.rules.resource_rules import RESOURCE_RULES
from reconciler.rules.topic_rules import TOPIC_RULES
from reconciler.rules.topics import check_topics

__all__ = [
    "ALL_RULES",
    "PUBLISHER_RULES",
    "RESOURCE_RULES",
    "TOPIC_RULES",
    "Example",
    "Finding",
    "Rule",
    "Severity",
    "check",
    "check_publishers",
    "check_services",
    "check_topics",
    "layer_of",
    "layers_of",
    "with_endpoints",
]
