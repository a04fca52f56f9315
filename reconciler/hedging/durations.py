"""Durations as text: for generated files, and for people."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal


def protobuf_duration(duration: timedelta) -> str:
    """The JSON form of `google.protobuf.Duration`: seconds with 0, 3 or 6 fractional digits, `0.200s`.

    Raises:
        ValueError: for a negative duration, which no setting here has.
    """
    if duration < timedelta():
        raise ValueError(f"negative duration {duration}")
    seconds, microseconds = duration.days * 86_400 + duration.seconds, duration.microseconds
    if microseconds == 0:
        return f"{seconds}s"
    if microseconds % 1000 == 0:
        return f"{seconds}.{microseconds // 1000:03}s"
    return f"{seconds}.{microseconds:06}s"


def spoken_duration(duration: timedelta) -> str:
    """As a spec would write it, exact: `200ms` below a second, `4.999s` from there on."""
    microseconds = Decimal(duration // timedelta(microseconds=1))
    if abs(microseconds) < 1_000_000:
        return f"{_plain(microseconds / 1000)}ms"
    return f"{_plain(microseconds / 1_000_000)}s"


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
