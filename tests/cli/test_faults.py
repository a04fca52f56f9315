"""What goes wrong outside: the cloud dies in the middle, answers get lost, a signal comes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from reconciler.apply.folder import FolderLog, FolderStore
from reconciler.cli import planning
from reconciler.gcp import Connection
from reconciler.reconcile import Plan, make_plan
from reconciler.sandbox import Answer, Fault, Sandbox
from tests.cli.conftest import ALLOWED, ORDERS, RETURNS, TOPICS, Company, policy

MANY = [f"projects/acme-orders-prod/topics/events-{number:03}" for number in range(40)]


def events(company: Company) -> list[dict[str, str]]:
    journals = sorted((company.folder / "runs" / "production").glob("*.jsonl"))
    return [json.loads(line) for journal in journals for line in journal.read_text("utf-8").splitlines()]


@pytest.fixture
def fleet(company: Company) -> Company:
    names = "".join(f"  - name: {name}\n" for name in MANY)
    company.write("stacks/production/topics.yaml", TOPICS.replace("topics:\n", f"topics:\n{names}", 1))
    for name in MANY:
        company.world.put_topic(name, policy(*ALLOWED, "us-east1"))
    return company


def test_a_cloud_that_dies_in_the_middle_is_reported_and_the_next_run_finishes(
    fleet: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet.box.faults.add(Fault(method="UpdateTopic", latency=0.05))

    def die() -> None:
        while len(fleet.box.log.writes()) < 5:
            time.sleep(0.01)
        fleet.box.stop()

    killer = threading.Thread(target=die)
    killer.start()
    ended = fleet.hedgerow("reconcile", "--max-percent", "100")
    killer.join()
    assert ended.code == 6
    assert "UNAVAILABLE" in ended.err
    assert "verified by reading back" in ended.err
    with Sandbox(fleet.world) as again:
        for name, value in again.environment().items():
            if name.startswith("HEDGEROW_"):
                monkeypatch.setenv(name, value)
        assert fleet.hedgerow("reconcile", "--max-percent", "100").code == 0
        assert fleet.hedgerow("plan", "--exit-code").code == 0
    for name in MANY:
        topic = fleet.world.topic(name)
        assert topic is not None
        assert topic.policy == policy(*ALLOWED)


def test_a_lost_answer_is_resolved_by_reading_back_and_not_written_twice(company: Company) -> None:
    company.box.faults.add(Fault(method="UpdateTopic", resource=ORDERS, answer=Answer.LOST, times=1))
    ended = company.hedgerow("reconcile")
    assert ended.code == 0
    assert [write.resource for write in company.box.log.writes()] == [ORDERS, RETURNS]


def test_passing_errors_are_waited_out(company: Company) -> None:
    company.box.faults.add(
        Fault(method="UpdateTopic", error="UNAVAILABLE", times=2),
        Fault(method="ListTopics", error="RESOURCE_EXHAUSTED", times=1),
        Fault(method="GetEffectivePolicy", error="UNAVAILABLE", times=1),
    )
    assert company.hedgerow("reconcile").code == 0


def test_a_call_that_nobody_answers_is_given_up_and_tried_again(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEDGEROW_CALL_TIMEOUT", "0.5")
    monkeypatch.setenv("HEDGEROW_RETRY_BUDGET", "20")
    company.box.faults.add(
        *(Fault(method=method, answer=Answer.STALLED, times=1) for method in ("ListTopics", "GetTopic", "UpdateTopic"))
    )
    assert company.hedgerow("reconcile").code == 0


def test_a_call_that_stalls_once_leaves_time_for_another_attempt() -> None:
    assert Connection().retry_budget >= 2 * Connection().call_timeout


@pytest.mark.parametrize("variable", ["HEDGEROW_CALL_TIMEOUT", "HEDGEROW_RETRY_BUDGET"])
def test_a_setting_that_is_no_number_of_seconds_is_a_wrong_command_line(
    variable: str, company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "soon")
    ended = company.hedgerow("plan")
    assert (ended.code, ended.err.splitlines()[-1]) == (64, f"error: {variable} is `soon`, not a number of seconds")


def test_the_journal_tells_what_the_cloud_saw(company: Company) -> None:
    assert company.hedgerow("reconcile").code == 0
    told = [(event["event"], event.get("topic"), event.get("status")) for event in events(company)]
    assert told == [
        ("begin", None, None),
        ("intent", ORDERS, None),
        ("outcome", ORDERS, "made"),
        ("intent", RETURNS, None),
        ("outcome", RETURNS, "made"),
        ("end", None, None),
    ]
    assert [write.body["updateMask"] for write in company.box.log.writes()] == ["messageStoragePolicy"] * 2


def test_a_signal_finishes_the_write_in_hand_and_reports(fleet: Company) -> None:
    fleet.box.faults.add(Fault(method="UpdateTopic", latency=0.2))
    with subprocess.Popen(
        [sys.executable, "-m", "reconciler.cli", "reconcile", "--max-percent", "100"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=dict(os.environ),
        text=True,
    ) as process:
        while not fleet.box.log.writes():
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 6
    assert "SIGTERM: finishing the writes in hand" in err
    assert "stopped early: stopped by a signal" in err
    told = events(fleet)
    intents = {event["topic"] for event in told if event["event"] == "intent"}
    made = {event["topic"] for event in told if event.get("status") == "made"}
    assert intents == made == {write.resource for write in fleet.box.log.writes()}
    assert told[-1]["event"] == "end"


def test_a_signal_while_planning_does_not_wait_for_a_call_before_it_gives_the_lease_back(company: Company) -> None:
    company.box.faults.add(Fault(method="ListTopics", latency=5))
    lease = company.folder / "runs/production.lease"
    with subprocess.Popen(
        [sys.executable, "-m", "reconciler.cli", "reconcile"],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=dict(os.environ),
    ) as process:
        while "ListTopics" not in {request.method for request in company.box.log.requests}:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        while lease.read_bytes() != b"":
            time.sleep(0.01)
        assert {request.status for request in company.box.log.requests if request.method == "ListTopics"} == {None}
        assert process.wait(timeout=30) == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_that_meets_a_destructor_is_not_lost(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    class Dying:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    def plan(*arguments: Any, **settings: Any) -> Plan:
        Dying()
        return make_plan(*arguments, **settings)

    monkeypatch.setattr(planning, "make_plan", plan)
    ended = company.hedgerow("reconcile")
    assert ended.code == 6
    assert "stopped early: stopped by a signal\n" in ended.err
    assert company.box.log.writes() == ()
    assert events(company)[-1]["event"] == "end"


def test_a_signal_that_comes_as_the_journal_is_opened_leaves_no_journal_without_an_end(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = FolderStore.begin_log

    def open_and_be_signalled(store: FolderStore, name: str) -> FolderLog:
        log = opened(store, name)
        signal.raise_signal(signal.SIGTERM)
        return log

    monkeypatch.setattr(FolderStore, "begin_log", open_and_be_signalled)
    assert company.hedgerow("reconcile").code == 6
    assert company.box.log.writes() == ()
    assert [event["event"] for event in events(company)] == ["begin", "end"]


def test_googles_emulator_is_refused_with_what_it_lacks(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEDGEROW_PUBSUB_ENDPOINT")
    monkeypatch.setenv("PUBSUB_EMULATOR_HOST", "127.0.0.1:8085")
    ended = company.hedgerow("plan")
    assert (ended.code, ended.err) == (
        1,
        (
            "stack stacks/production\n"
            "error: PUBSUB_EMULATOR_HOST is set, but Google's emulator neither updates storage policies nor knows "
            "organization policies\n"
            "  hint: unset it, or use hedgerow's own: hedgerow sandbox start\n"
        ),
    )
