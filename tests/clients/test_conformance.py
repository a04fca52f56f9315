"""The rules against the real libraries: what `hedgerow` accepts they use, what they refuse it refuses."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from reconciler.model import FlowControl, Publisher
from reconciler.rules import Severity
from reconciler.sandbox import Sandbox
from tests.clients.conftest import Drivers
from tests.clients.driver import Answer
from tests.clients.profiles import TABLE, Refuses, Row, Uses
from tests.clients.services import LANGUAGES, ORDERS, document
from tests.hedging.builders import fleet, published, publisher
from tests.rules.texts import codes, found

pytestmark = [pytest.mark.clients, pytest.mark.network]

ACCEPTED = [row for row in TABLE if row.accepted]
FLOW_CONTROL = FlowControl(max_outstanding_messages=1000, max_outstanding_bytes=2**53)
JAVA_BEHAVIORS = {"block": "Block", "error": "ThrowException", "ignore": "Ignore"}
ONE_OF_EACH = [pytest.param(row, id=row.name) for row in TABLE]


def rules_accept(row: Row, language: str) -> bool:
    findings = found(fleet(publisher(row.published, language=language)))
    return all(finding.severity is not Severity.ERROR for finding in findings)


def past_the_loader(row: Row, language: str, drivers: Drivers, sandbox: Sandbox) -> Answer:
    request = {"raw": row.raw(), "topic": ORDERS, "endpoint": sandbox.grpc_address, "rounds": [1]}
    return drivers(language).ask(request)


def through_the_loader(service: Publisher, drivers: Drivers, sandbox: Sandbox) -> Answer:
    rendered = json.loads(document(service))
    request = {"document": rendered, "topic": ORDERS, "endpoint": sandbox.grpc_address, "rounds": [1]}
    return drivers(service.language).ask(request)


def meant(row: Row) -> dict[str, Any]:
    """What a library that takes a row as it is shows of it."""
    return {
        "delayMicros": _micros(row.delay),
        "maxTokens": row.tokens,
        "refillThousandths": pytest.approx(row.ratio * 1000, abs=1e-3) if math.isfinite(row.ratio) else None,
        "maxMessages": row.messages,
        "maxBytes": row.size,
        "totalMicros": _micros(row.total),
    }


def shown(answer: Answer) -> dict[str, Any]:
    return {key: answer.effective[key] for key in meant(TABLE[0])}


@pytest.mark.parametrize("row", ONE_OF_EACH)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_says_what_the_rules_accept(language: str, row: Row) -> None:
    assert rules_accept(row, language) == (language in row.accepted)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_rules_accept_the_library_uses(language: str, drivers: Drivers, calm: Sandbox) -> None:
    differences = {}
    rows = [row for row in TABLE if language in row.accepted]
    for row in rows:
        answer = through_the_loader(publisher(row.published, language=language), drivers, calm)
        if answer.stage is not None or shown(answer) != meant(row):
            differences[row.name] = answer
    assert differences == {}
    assert len(rows) > 150


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in TABLE if row.reactions or not row.accepted])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_library_does_with_settings_what_is_known_of_it(
    language: str, row: Row, drivers: Drivers, calm: Sandbox
) -> None:
    answer = past_the_loader(row, language, drivers, calm)
    match row.reactions.get(language, Uses()):
        case Refuses(stage=stage, error=error):
            assert (answer.stage, answer.error) == (stage, error)
            assert language not in row.accepted
        case Uses(instead=instead):
            assert (answer.stage, answer.error) == (None, None)
            assert shown(answer) == {**meant(row), **instead}


def test_java_keeps_the_timeouts_of_each_attempt(drivers: Drivers, calm: Sandbox) -> None:
    row = next(row for row in ACCEPTED if row.initial == timedelta(seconds=30))
    effective = through_the_loader(publisher(row.published), drivers, calm).effective
    assert (effective["initialMicros"], effective["maximumMicros"]) == (30_000_000, 60_000_000)
    assert effective["multiplier"] == 4
    assert effective["retryDelays"] == effective["defaultRetryDelays"]


def _micros(duration: timedelta) -> int:
    return duration // timedelta(microseconds=1)


@pytest.mark.parametrize("behavior", ["block", "error", "ignore"])
@pytest.mark.parametrize("language", ["go", "java"])
def test_complete_flow_control_is_used(language: str, behavior: str, drivers: Drivers, calm: Sandbox) -> None:
    control = replace(FLOW_CONTROL, limit_exceeded=behavior)
    service = publisher(published("orders", flow_control=control), language=language)
    assert found(fleet(service)) == []
    effective = through_the_loader(service, drivers, calm).effective
    assert effective["outstanding"] == [1000, 2**53]
    assert effective["limitExceeded"] == {"java": JAVA_BEHAVIORS, "go": {}}[language].get(behavior, behavior)


@pytest.mark.parametrize(
    ("control", "outstanding"),
    [(FlowControl(max_outstanding_bytes=5), [1000, 5]), (FlowControl(max_outstanding_messages=5), [5, -1])],
    ids=["bytes only", "messages only"],
)
def test_flow_control_with_one_limit_is_refused_as_java_does_and_go_fills_it_up(
    control: FlowControl, outstanding: list[int], drivers: Drivers, calm: Sandbox
) -> None:
    java, go = (publisher(published("orders", flow_control=control), language=language) for language in ("java", "go"))
    assert codes(found(fleet(java))) == codes(found(fleet(go))) == ["flow-control-incomplete"]
    refused = through_the_loader(java, drivers, calm)
    assert (refused.stage, (refused.error or "").partition(":")[0]) == ("load", "NullPointerException")
    assert through_the_loader(go, drivers, calm).effective["outstanding"] == outstanding
