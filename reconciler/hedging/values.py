"""Which hedging settings every client accepts, and takes as they were meant.

The bounds are those of Google's page on publish hedging and of all clients. Stricter than the clients in two points, in
which they differ from each other: whole milliseconds, and ratios in whole thousandths.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from enum import StrEnum

from reconciler.hedging.clients import Mistake
from reconciler.hedging.durations import spoken_duration
from reconciler.model import HedgingProfile

SHORTEST_DELAY = timedelta(milliseconds=100)
LONGEST_DELAY = timedelta(seconds=10)
FEWEST_TOKENS = 1
MOST_TOKENS = 250
SMALLEST_RATIO = Decimal("0.001")
LARGEST_RATIO = Decimal("0.2")
RATIO_STEP = Decimal("0.001")


class Setting(StrEnum):
    """A hedging setting, under its name in specs and generated files."""

    HEDGE_DELAY = "hedgeDelay"
    MAX_TOKENS = "maxTokens"
    REFILL_RATIO = "refillRatio"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueProblem:
    """A setting that some client would refuse, change or ignore.

    Attributes:
        text: what is wrong, a sentence without subject and full stop.
        hint: what to write instead.
    """

    setting: Setting
    mistake: Mistake
    text: str
    hint: str


def value_problems(profile: HedgingProfile) -> tuple[ValueProblem, ...]:
    """What is wrong with a profile's values on their own; empty where every client takes them as they are."""
    found = (
        _delay_problem(profile.hedge_delay),
        _tokens_problem(profile.max_tokens),
        _ratio_problem(profile.refill_ratio),
    )
    return tuple(problem for problem in found if problem is not None)


def _delay_problem(delay: timedelta) -> ValueProblem | None:
    shown = spoken_duration(delay)
    hint = "set `hedgeDelay` to a whole number of milliseconds from `100ms` to `10s`"
    if not SHORTEST_DELAY <= delay <= LONGEST_DELAY:
        mistake = _mistake(delay / timedelta(seconds=1))
        text = f"hedge delay {shown} is not between 100ms and 10s"
    elif delay % timedelta(milliseconds=1):
        mistake = Mistake.FRACTION
        text = f"hedge delay {shown} is not a whole number of milliseconds"
    else:
        return None
    return ValueProblem(setting=Setting.HEDGE_DELAY, mistake=mistake, text=text, hint=_or_off(hint, mistake))


def _tokens_problem(tokens: float) -> ValueProblem | None:
    mistake = _mistake(tokens) if math.isfinite(tokens) and tokens == int(tokens) else Mistake.NOT_WHOLE
    if not FEWEST_TOKENS <= tokens <= MOST_TOKENS:
        text = f"max tokens {tokens} is not between 1 and 250"
    elif mistake is Mistake.NOT_WHOLE:
        text = f"max tokens {tokens} is not a whole number"
    else:
        return None
    hint = _or_off("set `maxTokens` to a whole number from 1 to 250", mistake)
    return ValueProblem(setting=Setting.MAX_TOKENS, mistake=mistake, text=text, hint=hint)


def _ratio_problem(ratio: float) -> ValueProblem | None:
    if not math.isfinite(ratio) or not SMALLEST_RATIO <= (written := Decimal(str(ratio))) <= LARGEST_RATIO:
        mistake = _mistake(ratio)
        text = f"refill ratio {ratio} is not between 0.001 and 0.2"
        hint = _or_off("set `refillRatio` to a multiple of 0.001 from 0.001 to 0.2", mistake)
    elif written % RATIO_STEP:
        mistake = Mistake.FRACTION
        text = f"refill ratio {ratio} is not a multiple of 0.001"
        below, above = (written.quantize(RATIO_STEP, rounding) for rounding in (ROUND_FLOOR, ROUND_CEILING))
        hint = f"set `refillRatio` to {below.normalize()} or {above.normalize()}: clients count in thousandths"
    else:
        return None
    return ValueProblem(setting=Setting.REFILL_RATIO, mistake=mistake, text=text, hint=hint)


def _mistake(value: float) -> Mistake:
    if math.isnan(value):
        return Mistake.NOT_A_NUMBER
    if value < 0:
        return Mistake.NEGATIVE
    return Mistake.RANGE if value else Mistake.ZERO


def _or_off(hint: str, mistake: Mistake) -> str:
    """The hint, and the way to say what a zero is often meant to say."""
    return f"{hint}; to switch hedging off, declare `hedging: off`" if mistake is Mistake.ZERO else hint
