from datetime import timedelta

import pytest

from reconciler.hedging import protobuf_duration, spoken_duration

MICROSECOND = timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("microseconds", "protobuf", "spoken"),
    [
        (0, "0s", "0ms"),
        (1, "0.000001s", "0.001ms"),
        (99_999, "0.099999s", "99.999ms"),
        (200_000, "0.200s", "200ms"),
        (1_000_000, "1s", "1s"),
        (4_999_000, "4.999s", "4.999s"),
        (10_000_900, "10.000900s", "10.0009s"),
        (60_000_000, "60s", "60s"),
        (200_000_000_000, "200000s", "200000s"),
    ],
)
def test_a_duration_is_written_exactly(microseconds: int, protobuf: str, spoken: str) -> None:
    duration = microseconds * MICROSECOND
    assert (protobuf_duration(duration), spoken_duration(duration)) == (protobuf, spoken)


def test_a_negative_duration_is_spoken_but_never_written() -> None:
    assert spoken_duration(timedelta(milliseconds=-1)) == "-1ms"
    with pytest.raises(ValueError, match=r"^negative duration -1 day, 23:59:59.999000$"):
        protobuf_duration(timedelta(milliseconds=-1))
