import math
from datetime import timedelta

import pytest

from reconciler.hedging import Mistake, Setting, ValueProblem, value_problems
from tests.hedging.builders import ms, profile, seconds

DELAY_HINT = "set `hedgeDelay` to a whole number of milliseconds from `100ms` to `10s`"
TOKENS_HINT = "set `maxTokens` to a whole number from 1 to 250"
RATIO_HINT = "set `refillRatio` to a multiple of 0.001 from 0.001 to 0.2"
OFF = "; to switch hedging off, declare `hedging: off`"


def problem(setting: Setting, mistake: Mistake, text: str, hint: str) -> tuple[ValueProblem, ...]:
    return (ValueProblem(setting=setting, mistake=mistake, text=text, hint=hint),)


@pytest.mark.parametrize("delay", [ms(100), ms(101), ms(4999), seconds(10)])
def test_a_delay_from_100_ms_to_10_s_is_accepted(delay: timedelta) -> None:
    assert value_problems(profile(delay=delay)) == ()


@pytest.mark.parametrize(
    ("delay", "mistake", "text", "hint"),
    [
        (ms(99), Mistake.RANGE, "hedge delay 99ms is not between 100ms and 10s", DELAY_HINT),
        (ms(99.999), Mistake.RANGE, "hedge delay 99.999ms is not between 100ms and 10s", DELAY_HINT),
        (ms(10_001), Mistake.RANGE, "hedge delay 10.001s is not between 100ms and 10s", DELAY_HINT),
        (ms(10_000.9), Mistake.RANGE, "hedge delay 10.0009s is not between 100ms and 10s", DELAY_HINT),
        (ms(-1), Mistake.NEGATIVE, "hedge delay -1ms is not between 100ms and 10s", DELAY_HINT),
        (ms(0), Mistake.ZERO, "hedge delay 0ms is not between 100ms and 10s", DELAY_HINT + OFF),
        (ms(100.5), Mistake.FRACTION, "hedge delay 100.5ms is not a whole number of milliseconds", DELAY_HINT),
    ],
)
def test_any_other_delay_is_a_problem(delay: timedelta, mistake: Mistake, text: str, hint: str) -> None:
    assert value_problems(profile(delay=delay)) == problem(Setting.HEDGE_DELAY, mistake, text, hint)


@pytest.mark.parametrize("tokens", [1, 50, 250, 50.0])
def test_1_to_250_tokens_are_accepted(tokens: float) -> None:
    assert value_problems(profile(tokens=tokens)) == ()


@pytest.mark.parametrize(
    ("tokens", "mistake", "text", "hint"),
    [
        (0, Mistake.ZERO, "max tokens 0 is not between 1 and 250", TOKENS_HINT + OFF),
        (-1, Mistake.NEGATIVE, "max tokens -1 is not between 1 and 250", TOKENS_HINT),
        (251, Mistake.RANGE, "max tokens 251 is not between 1 and 250", TOKENS_HINT),
        (math.inf, Mistake.NOT_WHOLE, "max tokens inf is not between 1 and 250", TOKENS_HINT),
        (math.nan, Mistake.NOT_WHOLE, "max tokens nan is not between 1 and 250", TOKENS_HINT),
        (50.5, Mistake.NOT_WHOLE, "max tokens 50.5 is not a whole number", TOKENS_HINT),
    ],
)
def test_any_other_number_of_tokens_is_a_problem(tokens: float, mistake: Mistake, text: str, hint: str) -> None:
    assert value_problems(profile(tokens=tokens)) == problem(Setting.MAX_TOKENS, mistake, text, hint)


def test_every_whole_thousandth_from_1_to_200_is_an_accepted_ratio() -> None:
    assert [n for n in range(1, 201) if value_problems(profile(ratio=n / 1000))] == []


@pytest.mark.parametrize(
    ("ratio", "mistake", "text", "hint"),
    [
        (0.0009, Mistake.RANGE, "refill ratio 0.0009 is not between 0.001 and 0.2", RATIO_HINT),
        (0.2001, Mistake.RANGE, "refill ratio 0.2001 is not between 0.001 and 0.2", RATIO_HINT),
        (0.20000001, Mistake.RANGE, "refill ratio 0.20000001 is not between 0.001 and 0.2", RATIO_HINT),
        (-0.1, Mistake.NEGATIVE, "refill ratio -0.1 is not between 0.001 and 0.2", RATIO_HINT),
        (math.inf, Mistake.RANGE, "refill ratio inf is not between 0.001 and 0.2", RATIO_HINT),
        (-math.inf, Mistake.NEGATIVE, "refill ratio -inf is not between 0.001 and 0.2", RATIO_HINT),
        (1, Mistake.RANGE, "refill ratio 1 is not between 0.001 and 0.2", RATIO_HINT),
        (math.nan, Mistake.NOT_A_NUMBER, "refill ratio nan is not between 0.001 and 0.2", RATIO_HINT),
        (0.0, Mistake.ZERO, "refill ratio 0.0 is not between 0.001 and 0.2", RATIO_HINT + OFF),
        (
            0.0555,
            Mistake.FRACTION,
            "refill ratio 0.0555 is not a multiple of 0.001",
            "set `refillRatio` to 0.055 or 0.056: clients count in thousandths",
        ),
        (
            0.0991,
            Mistake.FRACTION,
            "refill ratio 0.0991 is not a multiple of 0.001",
            "set `refillRatio` to 0.099 or 0.1: clients count in thousandths",
        ),
    ],
)
def test_any_other_ratio_is_a_problem(ratio: float, mistake: Mistake, text: str, hint: str) -> None:
    assert value_problems(profile(ratio=ratio)) == problem(Setting.REFILL_RATIO, mistake, text, hint)


def test_every_problem_of_a_profile_is_found_at_once() -> None:
    problems = value_problems(profile(delay=ms(99), tokens=0, ratio=math.nan))
    assert [problem.setting for problem in problems] == [Setting.HEDGE_DELAY, Setting.MAX_TOKENS, Setting.REFILL_RATIO]
