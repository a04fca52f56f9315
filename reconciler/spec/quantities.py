"""Durations and sizes as specs write them: a number with its unit."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from functools import lru_cache

_DURATION = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)(us|ms|s|m|h|d)")
_MICROSECONDS = {"us": 1, "ms": 1000, "s": 10**6, "m": 60 * 10**6, "h": 3600 * 10**6, "d": 86400 * 10**6}

_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)(B|kB|MB|GB|KiB|MiB|GiB)")
_BYTES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}

RETENTION_SECONDS = (600, 2_678_400)
"""Shortest and longest `messageRetentionDuration`: ten minutes and 31 days (Pub/Sub API reference, Topic)."""


def parse_duration(text: str) -> timedelta:
    """Reads `200ms`, `1.5s` or `10m`.

    Raises:
        ValueError: for anything else, for fractions of a microsecond, and for more than a `timedelta` holds.
    """
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` is not a duration with its unit")
    return timedelta(microseconds=_whole(Decimal(match[1]) * _MICROSECONDS[match[2]], text, "microsecond", 10**17))


def parse_size(value: str | int) -> int:
    """Reads `10MiB`, or a number of bytes.

    Raises:
        ValueError: for anything else, and for fractions of a byte.
    """
    if isinstance(value, int):
        return value
    match = _SIZE.fullmatch(value)
    if match is None:
        raise ValueError(f"`{value}` is not a size with its unit")
    return _whole(Decimal(match[1]) * _BYTES[match[2]], value, "byte", 2**63)


def _whole(number: Decimal, text: str, unit: str, limit: int) -> int:
    if abs(number) >= limit:
        raise ValueError(f"`{text}` is too large")
    if number != int(number):
        raise ValueError(f"`{text}` is not a whole number of {unit}s")
    return int(number)


@lru_cache(maxsize=256)
def retention(text: str) -> str:
    """A topic's `messageRetentionDuration` in its shortest form: `86400.0s` is `86400s`.

    Raises:
        ValueError: outside what the API accepts.
    """
    seconds = Decimal(text.removesuffix("s"))
    shortest, longest = RETENTION_SECONDS
    if not shortest <= seconds <= longest:
        raise ValueError(f"`{text}` is not within {shortest}s to {longest}s")
    return f"{format(seconds, 'f').rstrip('0').rstrip('.') if '.' in text else seconds}s"
