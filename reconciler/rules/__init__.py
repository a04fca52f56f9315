"""Coded checks: model and effective policies to findings.

Pure: fleets, policies and the catalogue are passed in. May import `reconciler.hedging`, `reconciler.orgpolicy` and
below. Called by `cli`, and by `pulumi` for its program and its policy pack.
"""

from reconciler.rules.check import check
from reconciler.rules.endpoints import with_endpoints
from reconciler.rules.findings import Finding, Rule, Severity
from reconciler.rules.published import layer_of, layers_of
from reconciler.rules.publishers import PUBLISHER_RULES, check_publishers
from reconciler.rules.topic_rules import TOPIC_RULES
from reconciler.rules.topics import check_topics

__all__ = [
    "PUBLISHER_RULES",
    "TOPIC_RULES",
    "Finding",
    "Rule",
    "Severity",
    "check",
    "check_publishers",
    "check_topics",
    "layer_of",
    "layers_of",
    "with_endpoints",
]
