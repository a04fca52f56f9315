"""The rules on timeouts: their codes, how bad it is to break them, and why they exist."""

from __future__ import annotations

from reconciler.rules.findings import Example, Rule, Severity

HEDGE_DELAY_TIMEOUT = Rule(
    code="hedge-delay-timeout",
    severity=Severity.ERROR,
    title="A hedge delay is below the initial RPC timeout and the total timeout",
    because=(
        "A hedge delay must be strictly below the initial RPC timeout and the total timeout (Google's page on publish "
        "hedging). Otherwise Java and Node.js refuse to build the publisher, Go silently does not hedge, and in Rust "
        "the request is over before its hedge is due (run: Java 1.160.0, Go v2.9.0, Rust 1.7.0). What counts is the "
        "timeout in force, which may be the library's default: 5 s in Java, 60 s in Go, 600 s in Rust."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    duplicatesTolerated: true
    topics:
      - topic: orders
        hedging: standard
        retry: {initialRpcTimeout: 1s}
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    duplicatesTolerated: true
    topics:
      - topic: orders
        hedging: standard
        retry: {initialRpcTimeout: 10s}
""",
    ),
)
TIMEOUT_ORDER = Rule(
    code="timeout-order",
    severity=Severity.ERROR,
    title="Initial RPC timeout, maximum RPC timeout and total timeout rise in this order",
    because=(
        "No attempt can outlast the whole request: initial RPC timeout <= maximum RPC timeout <= total timeout. Java's "
        "retry settings refuse a maximum below the initial timeout (read: com.google.api.gax.retrying.RetrySettings)."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        retry: {initialRpcTimeout: 30s, maxRpcTimeout: 10s}
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        retry: {initialRpcTimeout: 30s, maxRpcTimeout: 60s}
""",
    ),
)
TIMEOUT_RANGE = Rule(
    code="timeout-range",
    severity=Severity.ERROR,
    title="Timeouts and their multiplier are inside every client's limits",
    because=(
        "Java refuses a total timeout below 10 s, an initial RPC timeout below 10 ms (run: 1.160.0, without any "
        "message) and a multiplier below 1 (read: com.google.api.gax.retrying.RetrySettings); in Go a timeout of 0 "
        "means none, and switches hedging off (run: v2.9.0), and none is longer than 9,223,372,036 s. Settings move "
        "between services through `defaults`, so the strictest limit holds for every language."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        retry: {initialRpcTimeout: 5s, maxRpcTimeout: 5s, totalTimeout: 5s}
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        retry: {initialRpcTimeout: 5s, maxRpcTimeout: 5s, totalTimeout: 10s}
""",
    ),
)
TIMEOUT_TIGHT = Rule(
    code="timeout-tight",
    severity=Severity.WARNING,
    title="An initial RPC timeout is at least three times the hedge delay",
    because=(
        "Google advises a long initial RPC timeout with a short hedge delay: a short timeout cancels requests that "
        "were about to succeed, and the terminal error of the original ends the batch although a hedge is under way."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    duplicatesTolerated: true
    topics:
      - topic: orders
        hedging: standard
        retry: {initialRpcTimeout: 2s}
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    duplicatesTolerated: true
    topics:
      - topic: orders
        hedging: standard
        retry: {initialRpcTimeout: 10s}
""",
    ),
    adjustable=True,
    exemptable=True,
)
TIMEOUT_UNKNOWN = Rule(
    code="timeout-unknown",
    severity=Severity.ERROR,
    title="All timeouts are declared where the library's defaults are not known",
    because=(
        "A generated file states all timeouts, never leaving them to a library's default. Where hedgerow does not know "
        "the library's defaults, the spec must state them."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: php
    clientVersion: 2.0.0
    topics:
      - topic: orders
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
LATE_DUPLICATES = Rule(
    code="late-duplicates",
    severity=Severity.WARNING,
    title="A library gives up no later than the service's callers do",
    because=(
        "A library tries a publish request again until its total timeout, 600 s by default in Java, Rust, Python and "
        "Node.js. A caller that gives up before that and publishes once more gets two messages, the first of them "
        "late (https://github.com/googleapis/python-pubsub/issues/14: given up after 10 s, and published all the same)."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: python
    giveUpAfter: 10s
    topics:
      - topic: orders
""",
        mends="""\
publishers:
  - service: checkout
    language: python
    giveUpAfter: 10s
    topics:
      - topic: orders
        retry: {initialRpcTimeout: 5s, maxRpcTimeout: 5s, totalTimeout: 10s}
""",
    ),
    adjustable=True,
    exemptable=True,
)
TIMEOUT_RULES = (HEDGE_DELAY_TIMEOUT, LATE_DUPLICATES, TIMEOUT_ORDER, TIMEOUT_RANGE, TIMEOUT_TIGHT, TIMEOUT_UNKNOWN)
