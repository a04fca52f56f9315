"""The rules on topics: their codes, how bad it is to break them, and why they exist."""

from __future__ import annotations

from reconciler import model
from reconciler.rules.findings import Example, Rule, Severity
from reconciler.rules.policy_rules import POLICY_RULES

REGION_NOT_ALLOWED = Rule(
    code=model.DISALLOWED_REGIONS,
    severity=Severity.ERROR,
    title="A topic lists only regions that the organization allows its project",
    because="Pub/Sub refuses to create a topic whose storage policy lists a region that the effective "
    "`gcp.resourceLocations` policy of its project does not allow (recorded answer, FAILED_PRECONDITION). Nothing is "
    "trimmed silently: which regions a topic has is the spec's decision.",
    example=Example(
        breaks="""\
topics:
  - name: projects/acme-orders-prod/topics/shipments
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west1, us-east1]}
""",
        mends="""\
topics:
  - name: projects/acme-orders-prod/topics/shipments
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west1]}
""",
    ),
    exemptable=True,
)

REGION_UNDECIDED = Rule(
    code="region-undecided",
    severity=Severity.UNDECIDED,
    title="Whether a listed region is allowed can be decided",
    because="Google's table of value groups is not machine-readable, and conditions cannot always be evaluated. A "
    "region whose standing hangs on such a value is neither allowed nor disallowed until somebody settles it.",
    example=Example(
        breaks="""\
topics:
  - name: projects/acme-lab/topics/trials
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west1]}
""",
        mends="""\
valueGroups:
  in:acme-lab-locations: [europe-west1]
topics:
  - name: projects/acme-lab/topics/trials
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west1]}
""",
    ),
)

REGION_UNKNOWN = Rule(
    code="region-unknown",
    severity=Severity.WARNING,
    title="A topic lists only regions that the catalogue knows",
    because="Google adds regions without telling, so a region that the catalogue does not know is legal; more often "
    "it is a misspelling. `--strict-regions` makes it an error.",
    example=Example(
        breaks="""\
topics:
  - name: projects/acme-open/topics/trials
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west44]}
""",
        mends="""\
topics:
  - name: projects/acme-open/topics/trials
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west4]}
""",
    ),
    adjustable=True,
    exemptable=True,
)

WITHIN_EMPTY = Rule(
    code="within-empty",
    severity=Severity.ERROR,
    title="`within` leaves a region that the organization allows",
    because="A topic with `within` gets what the organization allows inside the named groups. If that is nothing, "
    "there is no storage policy to write: an empty one makes every publish fail.",
    example=Example(
        breaks="""\
topics:
  - name: projects/acme-orders-prod/topics/shipments
    messageStoragePolicy: {within: ["in:us-locations"]}
""",
        mends="""\
topics:
  - name: projects/acme-orders-prod/topics/shipments
    messageStoragePolicy: {within: ["in:eu-locations"]}
""",
    ),
)

WITHIN_UNDECIDED = Rule(
    code="within-undecided",
    severity=Severity.UNDECIDED,
    title="Which regions of `within` are allowed can be decided",
    because="The storage policy of a topic with `within` is a list that can be written. It cannot be told while "
    "a region may or may not be both allowed and inside the named groups; if none certainly is, the topic may end up "
    "with no region at all.",
    example=Example(
        breaks="""\
topics:
  - name: projects/acme-orders-prod/topics/shipments
    messageStoragePolicy: {within: ["in:acme-lab-locations"]}
""",
        mends="""\
valueGroups:
  in:acme-lab-locations: [europe-west1]
topics:
  - name: projects/acme-orders-prod/topics/shipments
    messageStoragePolicy: {within: ["in:acme-lab-locations"]}
""",
    ),
)

IN_TRANSIT_REQUIRED = Rule(
    code=model.IN_TRANSIT_REQUIRED,
    severity=Severity.ERROR,
    title="No topic switches enforcement in transit off where the organization requires it",
    because="`pubsub.enforceInTransitRegions` demands that messages travel only through the regions of the topic's "
    "storage policy. A topic that switches this off contradicts it.",
    example=Example(
        breaks="""\
topics:
  - name: projects/acme-billing-prod/topics/invoices
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west1], enforceInTransit: false}
""",
        mends="""\
topics:
  - name: projects/acme-billing-prod/topics/invoices
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west1], enforceInTransit: inherit}
""",
    ),
    exemptable=True,
)

IN_TRANSIT_UNDECIDED = Rule(
    code="in-transit-undecided",
    severity=Severity.UNDECIDED,
    title="Where it is not known whether enforcement in transit is required, regions are listed with `true`",
    because="Regions that a spec decides are declared with a definite in-transit flag. Where it is not known whether "
    "the organization requires enforcement, leaving the flag out decides nothing, and switching it off is neither "
    "right nor wrong.",
    example=Example(
        breaks="""\
policies:
  - name: projects/acme-orders-prod/policies/pubsub.enforceInTransitRegions
    spec:
      rules:
        - enforce: true
          condition: {expression: "request.time > timestamp('2027-01-01T00:00:00Z')"}
        - enforce: false
topics:
  - name: projects/acme-orders-prod/topics/shipments
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west1], enforceInTransit: false}
""",
        mends="""\
policies:
  - name: projects/acme-orders-prod/policies/pubsub.enforceInTransitRegions
    spec:
      rules:
        - enforce: true
          condition: {expression: "request.time > timestamp('2027-01-01T00:00:00Z')"}
        - enforce: false
topics:
  - name: projects/acme-orders-prod/topics/shipments
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west1], enforceInTransit: true}
""",
    ),
)

KMS_LOCATION = Rule(
    code="kms-location",
    severity=Severity.WARNING,
    title="A topic's key is not kept in a region outside the topic's",
    because="Pub/Sub asks the key for each topic's data keys, about every six hours, and before it delivers. Google "
    "recommends a key in `global`, because a regional one makes the topic depend on the network between regions "
    "(https://cloud.google.com/pubsub/docs/cmek). A key in a region where the topic may keep no message adds a region "
    "to what the topic depends on, and often breaks the rule that keys stay where the data is.",
    example=Example(
        breaks="""\
topics:
  - name: projects/acme-orders-prod/topics/shipments
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west1]}
    kmsKeyName: projects/acme-keys/locations/us-east1/keyRings/pubsub/cryptoKeys/topics
""",
        mends="""\
topics:
  - name: projects/acme-orders-prod/topics/shipments
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west1]}
    kmsKeyName: projects/acme-keys/locations/europe-west1/keyRings/pubsub/cryptoKeys/topics
""",
    ),
    adjustable=True,
    exemptable=True,
)

TOPIC_RULES = (
    REGION_NOT_ALLOWED,
    REGION_UNDECIDED,
    REGION_UNKNOWN,
    WITHIN_EMPTY,
    WITHIN_UNDECIDED,
    IN_TRANSIT_REQUIRED,
    IN_TRANSIT_UNDECIDED,
    KMS_LOCATION,
    *POLICY_RULES,
)
"""Every rule on topics and their projects."""
