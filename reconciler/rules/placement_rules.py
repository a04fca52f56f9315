"""The rules on where publishers and subscribers are: their codes, how bad it is to break them, and why they exist."""

from __future__ import annotations

from reconciler.rules.findings import Example, Rule, Severity

ENDPOINT_SHAPE = Rule(
    code="endpoint-shape",
    severity=Severity.ERROR,
    title="An endpoint is `global` or a region",
    because=(
        "Pub/Sub has one global endpoint and a locational one for each region, `REGION-pubsub.googleapis.com`; there "
        "are none for zones, multi-regions or value groups."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        endpoint: europe-west1-b
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        endpoint: europe-west1
""",
    ),
)
ENDPOINT_UNKNOWN = Rule(
    code="endpoint-unknown",
    severity=Severity.WARNING,
    title="An endpoint is a region that the catalogue knows",
    because=(
        "Google adds regions, so one that the catalogue does not have may be right; if it is misspelled, the service "
        "finds no server."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: trials
        endpoint: europe-west44
topics:
  - name: projects/acme-open/topics/trials
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: trials
        endpoint: europe-west4
topics:
  - name: projects/acme-open/topics/trials
""",
    ),
    adjustable=True,
    exemptable=True,
)
ORDERING_ENDPOINT = Rule(
    code="ordering-endpoint",
    severity=Severity.WARNING,
    title="What is published in order to restricted regions goes to one of them",
    because=(
        "Messages with an ordering key are not forwarded to another region: published through a region outside the "
        "topic's storage policy, they fail (`Cannot publish messages that contain ordering keys to topic ... due a "
        "message storage policy on the topic`). The global endpoint leads to a region near the service, so it is safe "
        "only where the service runs inside the topic's regions."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        messageOrdering: true
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        messageOrdering: true
        endpoint: europe-west1
""",
    ),
    adjustable=True,
    exemptable=True,
)
ENDPOINT_OUTSIDE = Rule(
    code="endpoint-outside",
    severity=Severity.ERROR,
    title="An endpoint is one of the topic's regions",
    because=(
        "A locational endpoint outside the topic's storage policy cannot store a message where it arrives: each is "
        "forwarded, and one with an ordering key fails. So an endpoint is `global` or one of the topic's regions."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        endpoint: us-east1
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        endpoint: europe-west1
""",
    ),
    adjustable=True,
    exemptable=True,
)
IN_TRANSIT_OUTSIDE = Rule(
    code="in-transit-outside",
    severity=Severity.ERROR,
    title="Clients of a topic that is enforced in transit reach it inside its regions",
    because=(
        "Where a topic enforces its regions in transit, publish and pull requests that reach another region are "
        "refused with FAILED_PRECONDITION. Clients inside the regions may use the global endpoint, all others need a "
        "locational endpoint inside them (Google's page on message storage policies). Where `endpoint` is left out, "
        "the nearest one is taken for a service whose `regions` are declared."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    regions: [us-east1]
    topics:
      - topic: payments
        endpoint: global
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    regions: [europe-west1]
    topics:
      - topic: payments
        endpoint: global
""",
    ),
    adjustable=True,
    exemptable=True,
)
PUSH_MAY_PAUSE = Rule(
    code="push-may-pause",
    severity=Severity.WARNING,
    title="No push subscription hangs on a topic that is enforced in transit",
    because=(
        "Where a topic enforces its regions in transit, push delivery happens only in these regions, and stops where "
        "that cannot be reconciled with the push endpoint (Google's page on message storage policies)."
    ),
    example=Example(
        breaks="""\
topics:
  - name: projects/acme-billing-prod/topics/invoices
    subscribers: [{name: ledger, delivery: push}]
""",
        mends="""\
topics:
  - name: projects/acme-billing-prod/topics/invoices
    subscribers: [{name: ledger, delivery: pull}]
""",
    ),
    adjustable=True,
    exemptable=True,
)
PUBLISHER_OUTSIDE_REGIONS = Rule(
    code="publisher-outside-regions",
    severity=Severity.WARNING,
    title="A service runs inside its topics' regions",
    because=(
        "A message published outside the topic's regions is sent on to one of them: more latency, and costs for "
        "traffic between regions."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    regions: [us-east1]
    topics:
      - topic: orders
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    regions: [europe-west1]
    topics:
      - topic: orders
""",
    ),
    adjustable=True,
    exemptable=True,
)
SINGLE_REGION = Rule(
    code="single-region",
    severity=Severity.WARNING,
    title="A topic that services in other regions publish to keeps messages in more than one region",
    because=(
        "While the one region that may keep a topic's messages is unavailable, there is nowhere to publish them to. "
        "Services that run in several regions are usually meant to survive just that."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    regions: [europe-west1, europe-west4]
    topics:
      - topic: shipments
topics:
  - name: projects/acme-orders-prod/topics/shipments
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west1]}
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    regions: [europe-west1, europe-west4]
    topics:
      - topic: shipments
topics:
  - name: projects/acme-orders-prod/topics/shipments
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west1, europe-west4]}
""",
    ),
    adjustable=True,
    exemptable=True,
)
PLACEMENT_RULES = (
    ENDPOINT_SHAPE,
    ENDPOINT_UNKNOWN,
    ORDERING_ENDPOINT,
    ENDPOINT_OUTSIDE,
    IN_TRANSIT_OUTSIDE,
    PUSH_MAY_PAUSE,
    PUBLISHER_OUTSIDE_REGIONS,
    SINGLE_REGION,
)
