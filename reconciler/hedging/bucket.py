"""The token bucket that pays for hedges: when it first holds a whole token.

All clients count in thousandths of a token, start empty and add the rounded ratio after each successful publish request
of one publisher object; a hedge costs 1,000 thousandths. (Run: Java 1.160.0, Go v2.9.0 and Rust 1.7.0, nine ratios.)
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

TOKEN = 1000
"""Thousandths in a token, the price of a hedge."""


def refill_units(ratio: float) -> int:
    """Thousandths of a token that one successful publish request adds: the ratio, rounded half up.

    The decimal number that was written is rounded, not the binary one next to it; at a few ratios with more than three
    digits the clients themselves differ (0.1255: 126 in Go, 125 in Java and Rust).
    """
    return int((Decimal(str(ratio)) * TOKEN).quantize(Decimal(1), ROUND_HALF_UP))


def first_hedge_after(ratio: float) -> int:
    """Successful publish requests of one publisher object before it can hedge for the first time.

    Raises:
        ValueError: for a ratio that rounds to nothing: the bucket never fills.
    """
    units = refill_units(ratio)
    if units <= 0:
        raise ValueError(f"a refill ratio of {ratio} never fills the bucket")
    return -(-TOKEN // units)
