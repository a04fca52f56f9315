"""What an organization allows one project: value groups, hierarchy, effective policies, snapshots.

Pure: the catalogue, the policies and the API's answers are passed in. May import `reconciler.model` and below, and the
CEL parser, which is loaded only for a policy with a condition. Called
by `spec` (to build snapshots), `rules`, `reconcile`, `gcp` (live answers) and the sandbox (which enforces them).
"""

from reconciler.orgpolicy.bounds import EVERYTHING, NOTHING, UNKNOWN, RegionBounds
from reconciler.orgpolicy.catalogue import Catalogue
from reconciler.orgpolicy.conditions import UnsupportedCondition, parse_condition
from reconciler.orgpolicy.difference import PolicyChange, policy_changes
from reconciler.orgpolicy.effective import Effect, EffectivePolicy, Step
from reconciler.orgpolicy.evaluate import evaluate, from_answer
from reconciler.orgpolicy.explanation import Explanation, Part, RegionStory, Role, explain_policy
from reconciler.orgpolicy.policies import (
    ENFORCE_IN_TRANSIT,
    RESOURCE_LOCATIONS,
    Policy,
    PolicyError,
    Rule,
    parse_policy,
)
from reconciler.orgpolicy.snapshot import Resource, Snapshot
from reconciler.orgpolicy.tags import NO_TAGS, TagKey, Tags

__all__ = [
    "ENFORCE_IN_TRANSIT",
    "EVERYTHING",
    "NOTHING",
    "NO_TAGS",
    "RESOURCE_LOCATIONS",
    "UNKNOWN",
    "Catalogue",
    "Effect",
    "EffectivePolicy",
    "Explanation",
    "Part",
    "Policy",
    "PolicyChange",
    "PolicyError",
    "RegionBounds",
    "RegionStory",
    "Resource",
    "Role",
    "Rule",
    "Snapshot",
    "Step",
    "TagKey",
    "Tags",
    "UnsupportedCondition",
    "evaluate",
    "explain_policy",
    "from_answer",
    "parse_condition",
    "parse_policy",
    "policy_changes",
]
