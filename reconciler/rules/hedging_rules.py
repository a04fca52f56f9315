"""The rules on switching hedging on: their codes, how bad it is to break them, and why they exist."""

from __future__ import annotations

from reconciler.rules.findings import Example, Rule, Severity

HEDGING_UNSUPPORTED = Rule(
    code="hedging-unsupported",
    severity=Severity.ERROR,
    title="Only services whose client library can hedge are hedged",
    because=(
        "Not all client libraries can hedge (Google's page on publish hedging); in one that cannot, the setting does "
        "nothing and nobody notices."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: python
    duplicatesTolerated: true
    topics:
      - topic: orders
        hedging: standard
""",
        mends="""\
publishers:
  - service: checkout
    language: python
    duplicatesTolerated: true
    topics:
      - topic: orders
        hedging: "off"
""",
    ),
)
HEDGING_VERSION_CLOCK = Rule(
    code="hedging-version-clock",
    severity=Severity.WARNING,
    title="No service hedges with a library that times hedges by the wall clock",
    because=(
        "Java 1.156.0 to 1.158.0 time hedges by the wall clock, so that a step of the clock delays hedges or sends "
        "them in a burst, and an exception in their queue ends hedging for good; 1.159.0 uses a monotonic clock and "
        "goes on (read: the released sources)."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    clientVersion: 1.158.0
    duplicatesTolerated: true
    topics:
      - topic: orders
        hedging: standard
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    clientVersion: 1.160.0
    duplicatesTolerated: true
    topics:
      - topic: orders
        hedging: standard
""",
    ),
    adjustable=True,
)
HEDGING_ORDERING = Rule(
    code="hedging-ordering",
    severity=Severity.ERROR,
    title="What is published in order is not hedged",
    because=(
        "Requests sent at the same time arrive in any order, so hedging cannot go together with message ordering "
        "(Google's page on publish hedging): Java refuses to build the publisher, Go fails every publish, Rust "
        "silently does not hedge (run: Java 1.160.0, Go v2.9.0, Rust 1.7.0). One of the two often comes from "
        "`defaults`."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    regions: [europe-west1]
    duplicatesTolerated: true
    topics:
      - topic: orders
        messageOrdering: true
        hedging: standard
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    regions: [europe-west1]
    duplicatesTolerated: true
    topics:
      - topic: orders
        messageOrdering: true
        hedging: "off"
""",
    ),
)
DUPLICATES_NOT_STATED = Rule(
    code="duplicates-not-stated",
    severity=Severity.ERROR,
    title="A hedged service says that duplicates are tolerated",
    because=(
        "Cancelling the slower request is best effort: both may be stored, and subscribers then get the message twice "
        "under two message ids, which no acknowledgement or exactly-once setting recognizes (Google's page on publish "
        "hedging). Somebody must have asked them."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        hedging: standard
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    duplicatesTolerated: true
    topics:
      - topic: orders
        hedging: standard
""",
    ),
)
FIRST_HEDGE_LATE = Rule(
    code="first-hedge-late",
    severity=Severity.WARNING,
    title="The first hedge comes within 10 minutes",
    because=(
        "The token bucket starts empty with each publisher object, and `maxTokens` does not fill it: the first hedge "
        "comes after ceil(1 / refillRatio) successful publish requests (run: Java 1.160.0, Go v2.9.0, Rust 1.7.0). At "
        "a low rate a service may be restarted before that; from 10 minutes on hedging hardly helps it."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    duplicatesTolerated: true
    expectedRequestsPerSecond: 0.01
    topics:
      - topic: orders
        hedging: standard
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    duplicatesTolerated: true
    expectedRequestsPerSecond: 20
    topics:
      - topic: orders
        hedging: standard
""",
    ),
    adjustable=True,
)
HEDGING_SHORT_LIVED = Rule(
    code="hedging-short-lived",
    severity=Severity.WARNING,
    title="A service that hedges lives longer than it takes to hedge",
    because=(
        "The token bucket belongs to a publisher object and starts empty: each new process of a service (a function, a "
        "job, an instance that was scaled to zero) begins without a token, and the first hedge comes after "
        "ceil(1 / refillRatio) successful publish requests (run: Java 1.160.0, Go v2.9.0, Rust 1.7.0). One that ends "
        "before that is never hedged."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    duplicatesTolerated: true
    expectedRequestsPerSecond: 0.5
    lifetime: 15s
    topics:
      - topic: orders
        hedging: standard
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    duplicatesTolerated: true
    expectedRequestsPerSecond: 0.5
    lifetime: 15m
    topics:
      - topic: orders
        hedging: standard
""",
    ),
    adjustable=True,
)
FLOW_CONTROL_MISSING = Rule(
    code="flow-control-missing",
    severity=Severity.WARNING,
    title="A service that hedges at a high rate has flow control",
    because=(
        "Where the queue is in the client, hedging adds to it; Google advises publisher flow control there. At 100 "
        "requests a second a stall of 10 s, as users report them, queues 1,000 batches of up to 1 MB each (the "
        "default of Go, Rust and Python), and 50 tokens are spent in half a second."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    duplicatesTolerated: true
    expectedRequestsPerSecond: 500
    topics:
      - topic: orders
        hedging: standard
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    duplicatesTolerated: true
    expectedRequestsPerSecond: 500
    topics:
      - topic: orders
        hedging: standard
        flowControl: {maxOutstandingMessages: 10000, maxOutstandingBytes: 100MiB}
""",
    ),
    adjustable=True,
)
HEDGING_RULES = (
    HEDGING_UNSUPPORTED,
    HEDGING_VERSION_CLOCK,
    HEDGING_ORDERING,
    DUPLICATES_NOT_STATED,
    FIRST_HEDGE_LATE,
    HEDGING_SHORT_LIVED,
    FLOW_CONTROL_MISSING,
)
