"""The rules on hedging profiles: their codes, how bad it is to break them, and why they exist."""

from __future__ import annotations

from reconciler.rules.findings import Example, Rule, Severity

HEDGE_DELAY_RANGE = Rule(
    code="hedge-delay-range",
    severity=Severity.ERROR,
    title="A hedge delay is a whole number of milliseconds from 100 ms to 10 s",
    because=(
        "A hedge delay lies between 100 ms and 10 s (Google's page on publish hedging). Outside, Java throws, Go fails "
        "every publish, Rust silently takes the nearest bound; a delay of 0 is the default of 1 s in Go. Java cuts "
        "fractions of a millisecond off, the others keep them (run: Java 1.160.0, Go v2.9.0, Rust 1.7.0). So a "
        "profile holds whole milliseconds in range, whatever the language."
    ),
    example=Example(
        breaks="""\
hedgingProfiles:
  eager: {hedgeDelay: 50ms, maxTokens: 100, refillRatio: 0.05}
""",
        mends="""\
hedgingProfiles:
  eager: {hedgeDelay: 200ms, maxTokens: 100, refillRatio: 0.05}
""",
    ),
)
MAX_TOKENS_RANGE = Rule(
    code="max-tokens-range",
    severity=Severity.ERROR,
    title="The token bucket holds 1 to 250 tokens",
    because=(
        "The token bucket holds 1 to 250 tokens (Google's page on publish hedging). Outside, Java throws, Go fails "
        "every publish, Rust silently takes the nearest bound; 0 is the default of 50 in Go and 1 in Rust, never "
        "`off` (run: Java 1.160.0, Go v2.9.0, Rust 1.7.0)."
    ),
    example=Example(
        breaks="""\
hedgingProfiles:
  eager: {hedgeDelay: 200ms, maxTokens: 0, refillRatio: 0.05}
""",
        mends="""\
hedgingProfiles:
  eager: {hedgeDelay: 200ms, maxTokens: 100, refillRatio: 0.05}
""",
    ),
)
REFILL_RATIO_RANGE = Rule(
    code="refill-ratio-range",
    severity=Severity.ERROR,
    title="A refill ratio is a multiple of 0.001 from 0.001 to 0.2",
    because=(
        "A refill ratio lies between 0.001 and 0.2 (Google's page on publish hedging). Outside, Java throws, Go fails "
        "every publish, Rust silently takes the nearest bound; with NaN Java never hedges, Go and Rust use 0.1. All "
        "count in thousandths of a token: 0.0015 hedges like 0.002, and 0.1255 differs between 32 and 64 bits (run: "
        "Java 1.160.0, Go v2.9.0, Rust 1.7.0). So a profile holds a multiple of 0.001."
    ),
    example=Example(
        breaks="""\
hedgingProfiles:
  eager: {hedgeDelay: 200ms, maxTokens: 100, refillRatio: 0.5}
""",
        mends="""\
hedgingProfiles:
  eager: {hedgeDelay: 200ms, maxTokens: 100, refillRatio: 0.05}
""",
    ),
)
PROFILE_RULES = (HEDGE_DELAY_RANGE, MAX_TOKENS_RANGE, REFILL_RATIO_RANGE)
