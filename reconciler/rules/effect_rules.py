"""The rules on settings that a library would not use as declared: codes, how bad it is to break them, and why."""

from __future__ import annotations

from reconciler.rules.findings import Example, Rule, Severity

PUBLISHER_LIMIT = Rule(
    code="publisher-limit",
    severity=Severity.ERROR,
    title="Limits of a batch are within what a publish request holds",
    because=(
        "A publish request holds at most 1,000 messages and 10 MB "
        "(https://cloud.google.com/pubsub/docs/batch-messaging): above, Go and Rust silently take 1,000 messages, and "
        "Rust 10 MB; Rust waits a day at most for a batch to fill (run: Go v2.9.0, Rust 1.7.0). JSON numbers above "
        "2^53 are not exact in every language."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        batching: {maxMessages: 5000}
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        batching: {maxMessages: 1000}
""",
    ),
)
FLOW_CONTROL_INCOMPLETE = Rule(
    code="flow-control-incomplete",
    severity=Severity.ERROR,
    title="Flow control that blocks or fails states both of its limits",
    because=(
        "Flow control that blocks or fails needs both of its limits: with one left out Java refuses the settings with "
        "a NullPointerException, and Go takes 1,000 messages, or no limit of bytes (run: Java 1.160.0, Go v2.9.0)."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        flowControl: {maxOutstandingMessages: 1000}
""",
        mends="""\
publishers:
  - service: checkout
    language: java
    topics:
      - topic: orders
        flowControl: {maxOutstandingMessages: 1000, maxOutstandingBytes: 10MiB}
""",
    ),
)
SETTING_INEFFECTIVE = Rule(
    code="setting-ineffective",
    severity=Severity.WARNING,
    title="A service declares settings that its client library has",
    because=(
        "Go and Rust have one timeout over all attempts of a publish request, and none per attempt; Rust has no "
        "publisher flow control (run and read: Go v2.9.0, Rust 1.7.0). Such a setting, which often comes from "
        "`defaults`, is left out of the service's file: a file holds what will be in force, nothing else."
    ),
    example=Example(
        breaks="""\
publishers:
  - service: checkout
    language: go
    topics:
      - topic: orders
        retry: {initialRpcTimeout: 10s}
""",
        mends="""\
publishers:
  - service: checkout
    language: go
    topics:
      - topic: orders
        retry: {totalTimeout: 60s}
""",
    ),
    adjustable=True,
)
EFFECT_RULES = (PUBLISHER_LIMIT, FLOW_CONTROL_INCOMPLETE, SETTING_INEFFECTIVE)
