"""The rules on topics: their codes, how bad it is to break them, and why they exist."""

from __future__ import annotations

from reconciler.rules.findings import Rule, Severity

REGION_NOT_ALLOWED = Rule(
    code="region-not-allowed",
    severity=Severity.ERROR,
    because="Pub/Sub refuses to create a topic whose storage policy lists a region that the effective "
    "`gcp.resourceLocations` policy of its project does not allow (recorded answer, FAILED_PRECONDITION). Nothing is "
    "trimmed silently: which regions a topic has is the spec's decision.",
)

REGION_UNDECIDED = Rule(
    code="region-undecided",
    severity=Severity.UNDECIDED,
    because="Google's table of value groups is not machine-readable, and conditions cannot always be evaluated. A "
    "region whose standing hangs on such a value is neither allowed nor disallowed until somebody settles it.",
)

REGION_UNKNOWN = Rule(
    code="region-unknown",
    severity=Severity.WARNING,
    because="Google adds regions without telling, so a region that the catalogue does not know is legal; more often "
    "it is a misspelling. `--strict-regions` makes it an error.",
)

WITHIN_EMPTY = Rule(
    code="within-empty",
    severity=Severity.ERROR,
    because="A topic with `within` gets what the organization allows inside the named groups. If that is nothing, "
    "there is no storage policy to write: an empty one makes every publish fail.",
)

WITHIN_UNDECIDED = Rule(
    code="within-undecided",
    severity=Severity.UNDECIDED,
    because="The storage policy of a topic with `within` is a list that can be written. It cannot be told while "
    "a region may or may not be both allowed and inside the named groups; if none certainly is, the topic may end up "
    "with no region at all.",
)

IN_TRANSIT_REQUIRED = Rule(
    code="in-transit-required",
    severity=Severity.ERROR,
    because="`pubsub.enforceInTransitRegions` demands that messages travel only through the regions of the topic's "
    "storage policy. A topic that switches this off contradicts it.",
)

IN_TRANSIT_UNDECIDED = Rule(
    code="in-transit-undecided",
    severity=Severity.UNDECIDED,
    because="Regions that a spec decides are declared with a definite in-transit flag. Where it is not known whether "
    "the organization requires enforcement, leaving the flag out decides nothing, and switching it off is neither "
    "right nor wrong.",
)

POLICY_ADMITS_NOTHING = Rule(
    code="policy-admits-nothing",
    severity=Severity.ERROR,
    because="A policy that allows only zones, multi-regions or `global`, or denies everything, leaves Pub/Sub no "
    "region: no topic can be created in the project.",
)

POLICY_UNDECIDED = Rule(
    code="policy-undecided",
    severity=Severity.UNDECIDED,
    because="A topic that inherits needs at least one region that is certainly allowed; an undecided policy is never "
    "taken for an open one.",
)

POLICY_DISAGREEMENT = Rule(
    code="policy-disagreement",
    severity=Severity.WARNING,
    because="A snapshot may hold both the policies and what the API made of them. Where hedgerow's own evaluation "
    "comes to another result, one of the two is wrong: the policies are not all there, or the evaluation has a fault.",
)

PROJECT_NOT_IN_POLICY = Rule(
    code="project-not-in-policy",
    severity=Severity.UNDECIDED,
    because="A project without a policy on record is not a project without restrictions. Its topics are reported as "
    "not evaluated.",
)

TOPIC_RULES = (
    REGION_NOT_ALLOWED,
    REGION_UNDECIDED,
    REGION_UNKNOWN,
    WITHIN_EMPTY,
    WITHIN_UNDECIDED,
    IN_TRANSIT_REQUIRED,
    IN_TRANSIT_UNDECIDED,
    POLICY_ADMITS_NOTHING,
    POLICY_UNDECIDED,
    POLICY_DISAGREEMENT,
    PROJECT_NOT_IN_POLICY,
)
"""Every rule on topics, for documentation and for reports that list rules."""
