"""What the real libraries send with a generated file: hedges at the delay, as many as there are tokens."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from dataclasses import dataclass, replace
from typing import Any

import google.pubsub_v1.types as pubsub
import pytest

from reconciler.hedging import first_hedge_after
from reconciler.model import Batching, HedgingProfile
from reconciler.sandbox import Fault, Sandbox
from reconciler.sandbox.log import LoggedRequest
from tests.clients.conftest import Drivers, built
from tests.clients.profiles import Row
from tests.clients.services import CLIENTS, LANGUAGES, ORDERS, PAYMENTS, document
from tests.clients.toolchains import TOOLCHAINS
from tests.hedging.builders import ms, profile, published, publisher, seconds

pytestmark = [pytest.mark.clients, pytest.mark.network]

LATE_BY = 0.6
"""Seconds by which a hedge may arrive late on a loaded machine."""

EARLY_BY = 0.05
"""Seconds by which a hedge may seem early, where its original was the one to arrive late."""

STRAGGLES = 2.0
"""Seconds that a straggler takes; every hedge of it too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hedge:
    """A hedge that the sandbox received: which one of its batch, and how long after the original."""

    number: int
    after: float


def hedges(sandbox: Sandbox) -> list[Hedge]:
    publishes = [request for request in sandbox.log.requests if request.method == "Publish"]
    original = publishes[0]
    sent = []
    for request in publishes:
        if number := _attempt(request):
            sent.append(Hedge(number=number, after=(request.time - original.time).total_seconds()))
        else:
            original = request
    return sent


def _attempt(request: LoggedRequest) -> int:
    telemetry: Any = pubsub.PubsubClientTelemetry.pb()()
    telemetry.ParseFromString(base64.b64decode(request.metadata["x-goog-pubsub-client-telemetry"]))
    return int(telemetry.publish_operation.hedged_attempt_count)


def publish_one_straggler(
    language: str, hedging: HedgingProfile, successes: int, drivers: Drivers, sandbox: Sandbox
) -> list[Hedge]:
    """Publishes so many messages one by one, then one that straggles."""
    sandbox.faults.add(Fault(method="Publish", after=successes, latency=STRAGGLES))
    topic = published("orders", hedging, batching=Batching(max_messages=1))
    answer = drivers(language).ask(
        {
            "document": json.loads(document(publisher(topic, language=language))),
            "topic": ORDERS,
            "endpoint": sandbox.grpc_address,
            "rounds": [1] * (successes + 1),
        }
    )
    assert (answer.stage, answer.error) == (None, None)
    return hedges(sandbox)


@pytest.mark.parametrize(
    "hedging",
    [
        profile(delay=ms(100), tokens=1, ratio=0.2),
        profile(delay=ms(200), tokens=2, ratio=0.1),
        profile(delay=ms(300), tokens=3, ratio=0.2),
    ],
    ids=lambda hedging: f"{hedging.hedge_delay // ms(1)}ms",
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_hedges_come_at_multiples_of_the_delay_until_the_tokens_are_spent(
    language: str, hedging: HedgingProfile, drivers: Drivers, calm: Sandbox
) -> None:
    enough = first_hedge_after(hedging.refill_ratio) * int(hedging.max_tokens) + 5
    sent = publish_one_straggler(language, hedging, enough, drivers, calm)
    assert [hedge.number for hedge in sent] == list(range(1, int(hedging.max_tokens) + 1))
    for hedge in sent:
        due = hedge.number * hedging.hedge_delay.total_seconds()
        assert due - EARLY_BY <= hedge.after <= due + LATE_BY


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_success_too_few_and_nothing_is_hedged(language: str, drivers: Drivers, calm: Sandbox) -> None:
    hedging = profile(delay=ms(100), tokens=1, ratio=0.126)
    assert publish_one_straggler(language, hedging, first_hedge_after(0.126) - 1, drivers, calm) == []
    calm.faults.clear()
    calm.log.clear()
    assert len(publish_one_straggler(language, hedging, first_hedge_after(0.126), drivers, calm)) == 1


def unhedged_past_the_loader(language: str, row: Row, drivers: Drivers, sandbox: Sandbox) -> list[Hedge]:
    sandbox.faults.add(Fault(method="Publish", after=10, times=1, latency=0.8))
    row = replace(row, messages=1, ratio=0.2, tokens=250)
    request = {"raw": row.raw(), "topic": ORDERS, "endpoint": sandbox.grpc_address, "rounds": [1] * 11}
    drivers(language).ask(request)
    assert len([entry for entry in sandbox.log.requests if entry.method == "Publish"]) >= 11
    return hedges(sandbox)


@pytest.mark.parametrize("total", [ms(500), seconds(0)], ids=["500ms", "none"])
def test_go_silently_does_not_hedge_from_the_timeout_on(total: Any, drivers: Drivers, calm: Sandbox) -> None:
    row = Row(name="a delay at the timeout", delay=ms(500), total=total)
    assert unhedged_past_the_loader("go", row, drivers, calm) == []


def test_rust_comes_to_no_hedge_from_the_timeout_on(drivers: Drivers, calm: Sandbox) -> None:
    row = Row(name="a delay at the timeout", delay=ms(500), total=ms(500))
    assert unhedged_past_the_loader("rust", row, drivers, calm) == []


def test_java_with_a_ratio_that_is_not_a_number_never_hedges(drivers: Drivers, calm: Sandbox) -> None:
    calm.faults.add(Fault(method="Publish", after=10, times=1, latency=0.8))
    raw = Row(name="not a number", delay=ms(100), messages=1).raw() | {"refillRatio": "NaN"}
    drivers("java").ask({"raw": raw, "topic": ORDERS, "endpoint": calm.grpc_address, "rounds": [1] * 11})
    assert hedges(calm) == []


def test_the_example_in_plain_java_publishes_hedged_messages_with_a_generated_file(calm: Sandbox) -> None:
    toolchain = built(TOOLCHAINS["java"])
    # The profile refills a twentieth of a token, so the 21st message can be hedged.
    calm.faults.add(Fault(method="Publish", after=20, times=1, latency=STRAGGLES))
    ended = subprocess.run(
        [*toolchain.program("publish"), str(CLIENTS / "testdata" / "java.json"), ORDERS, "21"],
        env={**os.environ, "PUBSUB_EMULATOR_HOST": calm.grpc_address},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, len(ended.stdout.splitlines())) == (0, 21), ended.stderr
    (hedge,) = hedges(calm)
    assert hedge.number == 1
    assert 0.2 - EARLY_BY <= hedge.after <= 0.2 + LATE_BY


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_ordered_topic_of_the_same_file_is_published_to_without_hedges(
    language: str, drivers: Drivers, calm: Sandbox
) -> None:
    rendered = json.loads((CLIENTS / "testdata" / f"{language}.json").read_bytes())
    answer = drivers(language).ask(
        {"document": rendered, "topic": PAYMENTS, "endpoint": calm.grpc_address, "rounds": [1]}
    )
    assert (answer.stage, answer.effective["delayMicros"]) == (None, 0)
