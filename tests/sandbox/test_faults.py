from __future__ import annotations

from threading import Event, Timer
from typing import Any

import pytest

from reconciler.errors import InvalidInput
from reconciler.sandbox import Answer, Call, Code, Fault, Faults, World
from reconciler.sandbox.errors import Gone
from reconciler.sandbox.faults import CALM, Weather
from reconciler.sandbox.gateway import Gateway
from tests.sandbox.builders import TOPIC, method, raw, refusal, topic

UPDATE = "google.pubsub.v1.Publisher/UpdateTopic"


def outcomes(faults: Faults, count: int, resource: str = TOPIC) -> list[bool]:
    return [faults.meet(UPDATE, resource) != CALM for _ in range(count)]


def with_fault(**fields: Any) -> Faults:
    faults = Faults()
    faults.add(Fault(**fields))
    return faults


@pytest.mark.parametrize(
    ("method", "resource", "met"),
    [
        ("UpdateTopic", "*", True),
        ("*Topic", "projects/acme-*", True),
        ("google.pubsub.v1.Publisher/*", "*", True),
        ("CreateTopic", "*", False),
        ("UpdateTopic", "projects/acme-lab/*", False),
    ],
)
def test_fault_meets_the_methods_and_resources_of_its_globs(*, method: str, resource: str, met: bool) -> None:
    assert outcomes(with_fault(method=method, resource=resource, error="UNAVAILABLE"), 1) == [met]


def test_fault_lets_some_pass_and_then_meets_some() -> None:
    faults = with_fault(after=1, times=2, error="UNAVAILABLE")
    assert outcomes(faults, 5) == [False, True, True, False, False]


def test_rate_is_chance_that_a_seed_repeats() -> None:
    first = outcomes(with_fault(rate=0.3, seed=7, error="UNAVAILABLE"), 1000)
    assert first == outcomes(with_fault(rate=0.3, seed=7, error="UNAVAILABLE"), 1000)
    assert first != outcomes(with_fault(rate=0.3, seed=8, error="UNAVAILABLE"), 1000)
    assert 250 < sum(first) < 350


def test_latencies_add_up_and_the_first_error_counts() -> None:
    faults = Faults()
    faults.add(Fault(latency=0.25), Fault(error="ABORTED", message="later"), Fault(latency=0.5, error="INTERNAL"))
    assert faults.meet(UPDATE, TOPIC) == Weather(latency=0.75, error=Code.ABORTED, message="later")


def test_mix_draws_latencies_by_weight() -> None:
    faults = with_fault(latency=((0.9, 0.01), (0.1, 2.0)), seed=1)
    drawn = [faults.meet(UPDATE, TOPIC).latency for _ in range(1000)]
    assert set(drawn) == {0.01, 2.0}
    assert 60 < drawn.count(2.0) < 140


def test_cleared_faults_are_over() -> None:
    faults = with_fault(error="UNAVAILABLE")
    faults.clear()
    assert faults.meet(UPDATE, TOPIC) == CALM


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"methd": "x"}, "a fault has no field `methd`"),
        ({"error": "OOPS"}, "the fault cannot be used: `OOPS` is not a status code"),
        ({"rate": 2}, "the fault cannot be used: a rate lies between 0 and 1"),
        ({"latency": -1}, "the fault cannot be used: a latency is not negative"),
        ({"answer": "maybe"}, "the fault cannot be used: 'maybe' is not a valid Answer"),
    ],
)
def test_fault_that_makes_no_sense_is_refused(body: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Fault.from_json(body)
    assert caught.value.message == message


def test_fault_survives_its_json_form() -> None:
    fault = Fault(method="Publish", latency=((0.9, 0.01), (0.1, 2.0)), answer=Answer.LOST, times=3)
    body = fault.to_json()
    assert Fault.from_json({**body, "latency": [list(pair) for pair in body["latency"]]}) == fault


@pytest.fixture
def gateway(world: World) -> Gateway:
    return Gateway(world)


def test_error_comes_before_anything_happens(gateway: Gateway) -> None:
    gateway.faults.add(Fault(method="CreateTopic", error="UNAVAILABLE", times=1))
    create = method("CreateTopic")
    assert refusal(lambda: gateway.answer(create, topic(), Call())) == ("UNAVAILABLE", "injected UNAVAILABLE")
    assert gateway.world.topics() == []
    assert gateway.answer(create, topic(), Call()).name == TOPIC


def test_lost_answer_hides_that_the_write_happened(gateway: Gateway) -> None:
    gateway.faults.add(Fault(answer=Answer.LOST))
    assert refusal(lambda: gateway.answer(method("CreateTopic"), topic(), Call())) == (
        "UNAVAILABLE",
        "the answer was lost",
    )
    assert gateway.world.topic(TOPIC) is not None
    assert [(entry.status, entry.told) for entry in gateway.log.requests] == [("OK", "UNAVAILABLE")]


@pytest.mark.parametrize(("answer", "exists"), [(Answer.SILENT, True), (Answer.STALLED, False)])
def test_client_that_gives_up_waiting_may_or_may_not_have_written(
    gateway: Gateway, answer: Answer, *, exists: bool
) -> None:
    gateway.faults.add(Fault(answer=answer))
    gone = Event()
    Timer(0.05, gone.set).start()
    with pytest.raises(Gone):
        gateway.answer(method("CreateTopic"), topic(), Call(gone=gone))
    assert (gateway.world.topic(TOPIC) is not None) is exists
    (entry,) = gateway.log.requests
    assert (entry.status, entry.told) == ("OK" if exists else "CANCELLED", None)


def test_latency_ends_as_soon_as_nobody_waits(gateway: Gateway) -> None:
    gateway.faults.add(Fault(latency=60.0))
    gone = Event()
    gone.set()
    with pytest.raises(Gone):
        gateway.answer(method("GetTopic"), raw("GetTopicRequest", topic=TOPIC), Call(gone=gone))
