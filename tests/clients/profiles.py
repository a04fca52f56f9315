"""The table of publish settings that goes through the rules and through the real libraries.

A row holds settings for one topic, what the rules say about them for each language, and what each library does when
it gets them as they are, past rules and loaders. `Uses()` stands for: takes every value as it is meant. Everything else
is a known difference, asserted in full, so that a release that behaves otherwise fails a test.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from reconciler.model import Batching, HedgingProfile, PublishedTopic, RetrySettings
from tests.hedging.builders import ms, profile, published, seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Uses:
    """The library takes the settings; `instead` holds what it makes of some of them."""

    instead: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuses:
    """The library refuses the settings, in these words, at this stage (see `Answer`)."""

    stage: str
    error: str


Reaction = Uses | Refuses


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of the table; the fields are what a spec can declare.

    Attributes:
        accepted: the languages for which the rules accept it.
        reactions: what the libraries do; those not named use the settings as they are.
    """

    name: str
    delay: timedelta = timedelta(seconds=1)
    tokens: int = 50
    ratio: float = 0.1
    ordering: bool = False
    initial: timedelta | None = None
    maximum: timedelta | None = None
    total: timedelta = timedelta(seconds=600)
    messages: int = 100
    size: int = 1_000_000
    accepted: frozenset[str] = frozenset({"go", "java", "rust"})
    reactions: Mapping[str, Reaction] = field(default_factory=dict)

    @property
    def hedging(self) -> HedgingProfile:
        return profile(self.name, self.delay, self.tokens, self.ratio)

    @property
    def published(self) -> PublishedTopic:
        """The row as a spec declares it."""
        return published(
            "orders",
            self.hedging,
            message_ordering=self.ordering,
            retry=RetrySettings(
                initial_rpc_timeout=self.initial, max_rpc_timeout=self.maximum, total_timeout=self.total
            ),
            batching=Batching(max_messages=self.messages, max_bytes=self.size),
        )

    def raw(self) -> dict[str, object]:
        """The row as a driver gets it for a library; Java's defaults where a timeout is not declared."""
        return {
            "delayNanos": _nanos(self.delay),
            "maxTokens": self.tokens,
            "refillRatio": json.dumps(self.ratio),  # `NaN`, `Infinity`: as all three languages read them
            "ordering": self.ordering,
            "initialNanos": _nanos(self.initial or seconds(5)),
            "maximumNanos": _nanos(self.maximum or seconds(60)),
            "totalNanos": _nanos(self.total),
            "maxMessages": self.messages,
            "maxBytes": self.size,
        }


NOBODY: frozenset[str] = frozenset()
ONE_TIMEOUT = frozenset({"go", "rust"})

_JAVA_DELAY = (
    "IllegalArgumentException: hedgeDelay must be greater than or equal to 100ms and less than or equal to 10s"
)
_JAVA_TOKENS = "IllegalArgumentException: maxTokens must be greater than 0 and less than or equal to 250"
_JAVA_RATIO = (
    "IllegalArgumentException: refillRatio must be greater than or equal to 0.001 and less than or equal to 0.2"
)


def _java(error: str, stage: str = "load") -> Reaction:
    return Refuses(stage=stage, error=error)


def _go(error: str) -> Reaction:
    return Refuses(stage="publish", error=f"pubsub: {error}")


def _makes(**values: float) -> Reaction:
    return Uses(instead=values)


def _rust(error: str) -> Reaction:
    return Refuses(stage="load", error=error)


def _delay(shown: str, delay: timedelta, instead: int) -> Row:
    """A delay out of range: in Go's words, and in microseconds what Rust takes for it."""
    return Row(
        name=f"a delay of {shown}",
        delay=delay,
        initial=seconds(30),
        maximum=seconds(60),
        accepted=NOBODY,
        reactions={
            "java": _java(_JAVA_DELAY),
            "go": _go(f"HedgingSettings.Delay ({shown}) must be between 100ms and 10s"),
            "rust": _makes(delayMicros=instead),
        },
    )


def _tokens(tokens: int, rust: Reaction) -> Row:
    return Row(
        name=f"{tokens} tokens",
        tokens=tokens,
        accepted=NOBODY,
        reactions={
            "java": _java(_JAVA_TOKENS),
            "go": _go(f"HedgingSettings.MaxTokens ({tokens}) must be > 0 and <= 250"),
            "rust": rust,
        },
    )


def _ratio(ratio: float, shown: str, instead: int) -> Row:
    return Row(
        name=f"a ratio of {shown}",
        ratio=ratio,
        accepted=NOBODY,
        reactions={
            "java": _java(_JAVA_RATIO),
            "go": _go(f"HedgingSettings.RefillRatio ({shown}) must be between 0.001 and 0.2"),
            "rust": _makes(refillThousandths=instead),
        },
    )


def _in_range() -> Iterator[Row]:
    """Every combination of the bounds and of what lies just inside them."""
    for milliseconds, tokens, thousandths in itertools.product(
        (100, 101, 999, 1000, 9999, 10_000), (1, 2, 249, 250), (1, 2, 3, 55, 126, 199, 200)
    ):
        yield Row(
            name=f"{milliseconds} ms, {tokens} tokens, {thousandths} thousandths",
            delay=ms(milliseconds),
            tokens=tokens,
            ratio=thousandths / 1000,
            initial=seconds(30),
            maximum=seconds(60),
        )


def _against_timeouts() -> Iterator[Row]:
    """Delays just below, at and above the initial and the total timeout.

    Go and Rust have only the total timeout. There a delay that is not below it passes unnoticed, and nothing is hedged.
    """
    for initial, step in itertools.product((ms(500), seconds(5), seconds(9)), (-1, 0, 1)):
        delay = initial + ms(step)
        shown = f"{delay // ms(1)}ms", f"{initial // ms(1)}ms"
        refused = _java(
            f"IllegalArgumentException: hedgeDelay ({shown[0]}) must be strictly less than the initial RPC timeout "
            f"duration ({shown[1]})",
            "build",
        )
        yield Row(
            name=f"a delay of {shown[0]} with an initial timeout of {shown[1]}",
            delay=delay,
            initial=initial,
            maximum=seconds(60),
            accepted=Row(name="").accepted if step < 0 else NOBODY,
            reactions={} if step < 0 else {"java": refused},
        )
    yield Row(
        name="a delay of 10 s with a total timeout of 10 s",
        delay=seconds(10),
        initial=seconds(10.001),
        maximum=seconds(20),
        total=seconds(10),
        accepted=NOBODY,
        reactions={
            "java": _java(
                "IllegalArgumentException: hedgeDelay (10000ms) must be strictly less than the total timeout duration "
                "(10000ms)",
                "build",
            )
        },
    )
    yield Row(
        name="a delay of 9,999 ms with a total timeout of 10 s",
        delay=ms(9999),
        initial=seconds(10),
        maximum=seconds(10),
        total=seconds(10),
    )
    yield Row(
        name="a delay of 5 s with the library's own initial timeout",
        delay=seconds(5),
        accepted=ONE_TIMEOUT,
        reactions={
            "java": _java(
                "IllegalArgumentException: hedgeDelay (5000ms) must be strictly less than the initial RPC timeout "
                "duration (5000ms)",
                "build",
            )
        },
    )


def _ordered() -> Iterator[Row]:
    """Hedging with message ordering, whatever the delay and the timeouts; Rust does not hedge what has a key."""
    for delay, initial in itertools.product((ms(100), ms(499)), (ms(500), seconds(60))):
        yield Row(
            name=f"ordering, a delay of {delay // ms(1)} ms and an initial timeout of {initial // ms(1)} ms",
            delay=delay,
            initial=initial,
            maximum=seconds(60),
            ordering=True,
            accepted=NOBODY,
            reactions={
                "java": _java(
                    "IllegalStateException: Publish hedging and message ordering cannot be enabled at the same time.",
                    "build",
                ),
                "go": _go("Hedging and MessageOrdering cannot both be enabled on the Publisher"),
            },
        )


TABLE: tuple[Row, ...] = (
    *_in_range(),
    *_against_timeouts(),
    *_ordered(),
    _delay("99ms", ms(99), 100_000),
    _delay("10.001s", ms(10_001), 10_000_000),
    Row(
        name="a delay of 99.999 ms, which Java cuts to 99",
        delay=ms(99.999),
        accepted=NOBODY,
        reactions={
            "java": _java(_JAVA_DELAY),
            "go": _go("HedgingSettings.Delay (99.999ms) must be between 100ms and 10s"),
            "rust": _makes(delayMicros=100_000),
        },
    ),
    Row(
        name="a delay of 10,000.9 ms, which Java cuts to 10,000",
        delay=ms(10_000.9),
        initial=seconds(30),
        maximum=seconds(60),
        accepted=NOBODY,
        reactions={
            "go": _go("HedgingSettings.Delay (10.0009s) must be between 100ms and 10s"),
            "rust": _makes(delayMicros=10_000_000),
        },
    ),
    Row(name="a delay of 100.5 ms, which Java runs as 100", delay=ms(100.5), accepted=NOBODY),
    Row(
        name="no delay",
        delay=timedelta(),
        accepted=NOBODY,
        reactions={
            "java": _java(_JAVA_DELAY),
            "go": _makes(delayMicros=1_000_000),
            "rust": _makes(delayMicros=100_000),
        },
    ),
    Row(
        name="a negative delay",
        delay=ms(-1),
        accepted=NOBODY,
        reactions={
            "java": _java(_JAVA_DELAY),
            "go": _go("HedgingSettings.Delay (-1ms) must be between 100ms and 10s"),
            "rust": _rust("delayNanos is not representable"),
        },
    ),
    _tokens(251, _makes(maxTokens=250)),
    _tokens(-1, _rust("out of range integral type conversion attempted")),
    Row(
        name="no tokens",
        tokens=0,
        accepted=NOBODY,
        reactions={"java": _java(_JAVA_TOKENS), "go": _makes(maxTokens=50), "rust": _makes(maxTokens=1)},
    ),
    _ratio(0.0009, "0.0009", 1),
    _ratio(0.2001, "0.2001", 200),
    _ratio(-0.1, "-0.1", 1),
    _ratio(float("inf"), "+Inf", 200),
    Row(
        name="no ratio",
        ratio=0.0,
        accepted=NOBODY,
        reactions={
            "java": _java(_JAVA_RATIO),
            "go": _makes(refillThousandths=100),
            "rust": _makes(refillThousandths=1),
        },
    ),
    Row(
        name="a ratio that is not a number, with which Java never hedges",
        ratio=float("nan"),
        accepted=NOBODY,
        reactions={
            "java": _makes(refillThousandths=0),
            "go": _makes(refillThousandths=100),
            "rust": _makes(refillThousandths=100),
        },
    ),
    Row(
        name="a ratio of 0.1265, which 32 bits round down",
        ratio=0.1265,
        accepted=NOBODY,
        # The driver in Java rounds as the library does; Rust shows the ratio as it is, and rounds when it counts.
        reactions={"java": _makes(refillThousandths=126), "go": _makes(refillThousandths=127)},
    ),
    Row(
        name="a total timeout of 9,999 ms",
        total=seconds(9.999),
        maximum=seconds(9),
        accepted=NOBODY,
        reactions={"java": _java("IllegalArgumentException: null")},
    ),
    Row(name="a total timeout of 10 s", total=seconds(10), maximum=seconds(10)),
    Row(
        name="an initial timeout of 9 ms",
        initial=ms(9),
        maximum=seconds(60),
        accepted=NOBODY,
        reactions={"java": _java("IllegalArgumentException: null")},
    ),
    Row(
        name="an initial timeout above the maximum",
        initial=seconds(61),
        maximum=seconds(60),
        accepted=NOBODY,
        reactions={"java": _java("IllegalStateException: max rpc timeout must not be shorter than initial timeout")},
    ),
    Row(name="the most messages and bytes of a batch", messages=1000, size=10_000_000),
    Row(
        name="more messages than a request holds",
        messages=1001,
        accepted=NOBODY,
        reactions={"go": _makes(maxMessages=1000), "rust": _makes(maxMessages=1000)},
    ),
    Row(
        name="more bytes than a request holds",
        size=10_000_001,
        accepted=NOBODY,
        reactions={"rust": _makes(maxBytes=10_000_000)},
    ),
)


def _nanos(duration: timedelta) -> int:
    return duration // timedelta(microseconds=1) * 1000
