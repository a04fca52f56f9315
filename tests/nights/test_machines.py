"""What can happen to a run around it: its disk, its lease, its clocks, its quota and its permissions."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from reconciler.apply import lease
from reconciler.cli import applying
from reconciler.model import Resolution
from reconciler.sandbox.errors import Gone
from tests.apply.buckets import BUCKET, bucket_server
from tests.nights.conftest import NightOf
from tests.nights.ledger import journal
from tests.nights.moments import (
    MADE,
    WRITING_THE_FIRST,
    WRITING_THE_SECOND,
    WallClock,
    first,
)
from tests.nights.night import INVOICES, ORDERS
from tests.nights.nursery import Nursery, Process
from tests.nights.places import allowing, policy

# The disk


@pytest.mark.parametrize("output", [Path("/dev/null"), None], ids=["printed-elsewhere", "printed-there"])
@pytest.mark.parametrize("size", [50, 150, 300, 500, 800, 1_100, 1_400, 1_800, 2_200, 2_600, 3_000, 4_000])
def test_a_disk_that_fills_up_ends_the_run_and_the_journal_still_tells_no_lie(
    size: int, output: Path | None, night: NightOf, nursery: Nursery
) -> None:
    """What the run prints goes elsewhere, or to the same disk."""
    tonight = night(Resolution.RESTRICT)
    process = tonight.start(nursery, "reconcile", output=output, largest_file=size)
    ended, records = process.wait(), journal(tonight.folder / "runs")
    intents = [record["topic"] for record in records if record["event"] == "intent"]
    assert [sent.topic for sent in tonight.warden.sent] == intents
    assert ended == (0 if [record["event"] for record in records[-1:]] == ["end"] else 1)
    # An outcome that did not fit is as unknown as after a crash.
    assert tonight.untruths(*tonight.runs) == []
    tonight.assert_converges()


def test_a_run_that_cannot_print_its_plan_writes_nothing(night: NightOf, nursery: Nursery) -> None:
    tonight = night(Resolution.RESTRICT)
    assert tonight.start(nursery, "reconcile", output=Path("/dev/full")).wait() == 1
    assert (tonight.runs, tonight.untruths()) == ([], [])
    assert (tonight.folder / "runs/production.lease").read_bytes() == b""
    tonight.assert_converges()


# The lease


def test_a_lease_that_is_taken_over_stops_the_run_before_its_next_write(
    night: NightOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    tonight = night(Resolution.RESTRICT)
    monkeypatch.setattr(applying, "lease", partial(lease, lifetime=timedelta(seconds=1)))
    lying = tonight.folder / "runs/production.lease"

    def take_over() -> None:
        other = tonight.folder / "other"
        other.write_text('{"run": "other", "host": "elsewhere", "process": 1, "until": "2999-01-01T00:00:00Z"}')
        other.replace(lying)
        time.sleep(0.7)

    tonight.box.stand_by(WRITING_THE_SECOND.met(first(take_over)))
    ended = tonight.hedgerow("reconcile")
    assert ended.code == 6
    assert "stopped early: the lease runs/production.lease was taken over by another run\n" in ended.err
    assert tonight.statuses() == {INVOICES: "made", ORDERS: "made"}
    assert tonight.untruths() == []
    assert tonight.hedgerow("reconcile").code == 8
    lying.unlink()
    tonight.assert_converges()


def test_a_machine_that_slept_through_its_lease_writes_nothing_after_it_wakes(
    night: NightOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    tonight = night(Resolution.RESTRICT)
    slept = 0.0
    monkeypatch.setattr(applying, "lease", partial(lease, steady=lambda: time.monotonic() + slept))

    def sleep() -> None:
        nonlocal slept
        slept = 660.0

    tonight.box.stand_by(WRITING_THE_SECOND.met(first(sleep)))
    ended = tonight.hedgerow("reconcile")
    assert ended.code == 6
    assert "stopped early: the lease runs/production.lease could not be renewed in time\n" in ended.err
    assert tonight.statuses() == {INVOICES: "made", ORDERS: "made"}
    assert tonight.untruths() == []
    tonight.assert_converges()


def test_a_lease_in_a_bucket_is_free_again_within_minutes_of_a_kill(
    night: NightOf, nursery: Nursery, wall_clock: WallClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    tonight = night(Resolution.RESTRICT)
    stack = tonight.folder / "stacks/production/stack.yaml"
    stack.write_text(stack.read_text("utf-8").replace("../../runs", f"gs://{BUCKET}/night"), encoding="utf-8")
    with bucket_server() as (objects, endpoint):
        monkeypatch.setenv("HEDGEROW_STORAGE_ENDPOINT", endpoint)
        tonight.environment["HEDGEROW_STORAGE_ENDPOINT"] = endpoint
        processes: list[Process] = []

        def kill(carry_out: Callable[[], Any]) -> Any:
            carry_out()
            processes[0].kill()
            processes[0].wait()
            raise Gone

        tonight.box.stand_by(WRITING_THE_SECOND.met(kill))
        processes.append(tonight.start(nursery, "reconcile"))
        assert processes[0].wait() == -signal.SIGKILL
        told = [json.loads(body)["event"] for name, (body, _) in sorted(objects.stored.items()) if "/0000" in name]
        assert told == ["begin", "intent", "outcome", "intent"]
        assert tonight.hedgerow("reconcile").code == 8
        wall_clock.ahead = timedelta(minutes=11)
        tonight.assert_converges()


# Clocks


@pytest.mark.parametrize(
    "by", [timedelta(hours=2), timedelta(days=400), timedelta(hours=-2), timedelta(days=-400)], ids=str
)
def test_a_clock_that_jumps_in_the_middle_changes_nothing(by: timedelta, night: NightOf, wall_clock: WallClock) -> None:
    tonight = night(Resolution.RESTRICT)

    def jump() -> None:
        wall_clock.ahead = by

    tonight.box.stand_by(WRITING_THE_SECOND.met(first(jump)))
    ended = tonight.hedgerow("reconcile")
    assert ended.code == 0, ended.err
    assert tonight.statuses() == MADE
    assert tonight.untruths() == []
    wall_clock.ahead = timedelta(0)
    tonight.assert_converges()


def test_a_policy_first_seen_by_a_clock_that_was_ahead_has_not_to_settle_until_then(
    night: NightOf, wall_clock: WallClock
) -> None:
    tonight = night(Resolution.RESTRICT)
    assert tonight.hedgerow("reconcile").code == 0
    tonight.world.set_policy(allowing("europe-west1"))
    wall_clock.ahead = timedelta(days=400)
    assert "[settle]" in tonight.hedgerow("reconcile").err
    wall_clock.ahead = timedelta(days=1)
    assert "[settle]" in tonight.hedgerow("reconcile").err
    wall_clock.ahead = timedelta(days=1, hours=2)
    ended = tonight.hedgerow("reconcile")
    assert (ended.code, tonight.policies()) == (0, [policy("europe-west1", flag=True)] * 3)
    tonight.assert_is_settled()


# Quota and permissions


def test_a_quota_that_is_used_up_for_minutes_is_waited_out(night: NightOf, monkeypatch: pytest.MonkeyPatch) -> None:
    tonight = night(Resolution.RESTRICT)
    monkeypatch.delenv("HEDGEROW_RETRY_BUDGET")
    began = tonight.world.clock.now()
    tonight.world.quota.per_minute = 2
    ended = tonight.hedgerow("reconcile")
    assert ended.code == 0, ended.err
    assert tonight.statuses() == MADE
    assert tonight.untruths() == []
    # A list and six calls in one project, two of them at once: the others take half a minute each. There is one write
    # for each topic, and before each a look, for which the quota has to be enough as well.
    assert tonight.world.clock.now() - began > timedelta(minutes=2.5)
    assert "RESOURCE_EXHAUSTED" in {request.status for request in tonight.box.log.requests}
    tonight.world.quota.per_minute = None
    tonight.assert_converges()


def test_permission_taken_away_in_the_middle_stops_the_wave_and_is_told(night: NightOf) -> None:
    tonight = night(Resolution.RESTRICT)
    tonight.box.stand_by(WRITING_THE_FIRST.met(first(lambda: tonight.world.deny("acme-orders-prod"))))
    ended = tonight.hedgerow("reconcile")
    assert ended.code == 6
    assert tonight.statuses() == {INVOICES: "made", ORDERS: "failed"}
    assert "PERMISSION_DENIED" in ended.err
    assert tonight.untruths() == []
    assert tonight.hedgerow("reconcile").code == 4
    tonight.world.allow("acme-orders-prod")
    tonight.assert_converges()
