"""The rules on publishing services: their codes, how bad it is to break them, and why they exist."""

from __future__ import annotations

from reconciler.rules.findings import Example, Rule, Severity

SERVICE_NAME = Rule(
    code="service-name",
    severity=Severity.ERROR,
    title="A service's name is a file's name, and no other service's",
    because=(
        "A service's generated file is called after it, so its name must be a plain file name, and no two services may "
        "share one: a file system that does not distinguish case would keep only one of two files."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    topics: [{topic: orders}]
  - service: Checkout
    language: go
    topics: [{topic: orders}]
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    topics: [{topic: orders}]
  - service: checkout-batch
    language: go
    topics: [{topic: orders}]
""",
    ),
)
LANGUAGE_UNKNOWN = Rule(
    code="language-unknown",
    severity=Severity.ERROR,
    title="A service's language is one that hedgerow knows the client library of",
    because="A file is generated for one client library; of a language that is not in the table nothing is known.",
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: perl
    topics:
      - topic: orders
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
""",
    ),
)
CLIENT_VERSION = Rule(
    code="client-version",
    severity=Severity.ERROR,
    title="A client version can be compared, and is declared where none is known",
    because=(
        "Whether a library hedges, and how, depends on its version. A version that cannot be compared answers nothing; "
        "where none is declared, the newest that hedgerow knows counts, if it knows one."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: php
    topics:
      - topic: orders
        retry: {initialRpcTimeout: 10s, rpcTimeoutMultiplier: 1, maxRpcTimeout: 60s, totalTimeout: 600s}
""",
        mends="""\
publishers:
  - service: checkout
    language: php
    clientVersion: 2.0.0
    topics:
      - topic: orders
        retry: {initialRpcTimeout: 10s, rpcTimeoutMultiplier: 1, maxRpcTimeout: 60s, totalTimeout: 600s}
""",
    ),
)
TOPIC_NOT_DECLARED = Rule(
    code="topic-not-declared",
    severity=Severity.ERROR,
    title="A service publishes to topics that the stack declares",
    because=(
        "Endpoints and regions of a publisher are judged by its topic's storage policy. A topic that the stack does "
        "not declare is most often a misspelled one, and nothing can be said about it."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: projects/acme-orders-prod/topics/ordres
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: projects/acme-orders-prod/topics/orders
""",
    ),
    adjustable=True,
    exemptable=True,
)
PUBLISHED_TWICE = Rule(
    code="published-twice",
    severity=Severity.ERROR,
    title="A service lists a topic once",
    because="A generated file holds one entry for each topic; of two entries only one could count.",
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        endpoint: global
      - topic: orders
        endpoint: europe-west1
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
PUBLISHER_VALUE_RANGE = Rule(
    code="publisher-value-range",
    severity=Severity.ERROR,
    title="Numbers that limit a publisher are above 0",
    because=(
        "No field of a generated file is ever 0: clients disagree whether 0 means none, no limit or the default. "
        "A setting that is not wanted is left out."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        batching: {maxMessages: 0}
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        batching: {maxMessages: 100}
""",
    ),
)
ADAPTER_UNSUITABLE = Rule(
    code="adapter-unsuitable",
    severity=Severity.ERROR,
    title="A service asks for a second file that it can use",
    because=(
        "Spring and `java.util.Properties` are Java's. A ConfigMap is named after the service, and names in "
        "Kubernetes are lower-case letters, digits, `-` and `.` "
        "(https://kubernetes.io/docs/concepts/overview/working-with-objects/names/)."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: go
    adapter: spring
    topics:
      - topic: orders
""",
        mends="""\
publishers:
  - service: checkout
    language: go
    adapter: configmap
    topics:
      - topic: orders
""",
    ),
)
SERVICE_RULES = (
    ADAPTER_UNSUITABLE,
    SERVICE_NAME,
    LANGUAGE_UNKNOWN,
    CLIENT_VERSION,
    TOPIC_NOT_DECLARED,
    PUBLISHED_TWICE,
    PUBLISHER_VALUE_RANGE,
)
