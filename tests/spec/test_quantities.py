from __future__ import annotations

from datetime import timedelta

import pytest

from reconciler.spec.quantities import parse_duration, parse_size


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("200ms", timedelta(milliseconds=200)),
        ("1.5s", timedelta(seconds=1.5)),
        ("0.1ms", timedelta(microseconds=100)),
        ("7us", timedelta(microseconds=7)),
        ("10m", timedelta(minutes=10)),
        ("1h", timedelta(hours=1)),
        ("7d", timedelta(days=7)),
        ("-5s", timedelta(seconds=-5)),
    ],
)
def test_durations(text: str, duration: timedelta) -> None:
    assert parse_duration(text) == duration


@pytest.mark.parametrize("text", ["5", "5 s", "s", "1s1ms", "1S", ".5s", "5s\n", ""])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration with its unit"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("value", "size"),
    [(1000, 1000), ("1000B", 1000), ("1kB", 1000), ("10MiB", 10 * 2**20), ("0.5KiB", 512), ("2GB", 2 * 10**9)],
)
def test_sizes(value: str | int, size: int) -> None:
    assert parse_size(value) == size


@pytest.mark.parametrize("value", ["10", "10 MB", "10mb", "MB"])
def test_what_is_no_size(value: str) -> None:
    with pytest.raises(ValueError, match="is not a size with its unit"):
        parse_size(value)
