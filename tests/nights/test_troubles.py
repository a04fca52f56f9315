"""What else can happen to a run: the disk, the lease, clocks, quotas, permissions, pages, and other people."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from reconciler.apply import lease
from reconciler.cli import applying, planning
from reconciler.model import Resolution, StoragePolicy, TopicName
from reconciler.sandbox import Call
from reconciler.sandbox.methods import Method
from tests.nights.cases import Moment
from tests.nights.conftest import NightOf
from tests.nights.ledger import journal
from tests.nights.night import ALLOWED, INVOICES, ORDERS, RETURNS, TOPICS, Night
from tests.nights.nursery import Nursery
from tests.nights.places import allowing, policy

WRITING_THE_FIRST, WRITING_THE_SECOND, WRITING_THE_LAST = (
    Moment(name="writing", method="UpdateTopic", number=number) for number in (1, 2, 3)
)
READING_THE_LAST_BACK = Moment(name="reading-back", method="GetTopic", number=3, after=1)
MADE = dict.fromkeys(TOPICS, "made")


@dataclass
class WallClock:
    """The clock of all commands, which somebody may set."""

    ahead: timedelta = timedelta(0)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@pytest.fixture
def wall_clock(monkeypatch: pytest.MonkeyPatch) -> WallClock:
    clock = WallClock()
    for module in (applying, planning):
        monkeypatch.setattr(module, "now", clock)
    return clock


def first(act: Callable[[], object]) -> Callable[[Callable[[], Any]], Any]:
    """Does something before a request is carried out."""

    def both(carry_out: Callable[[], Any]) -> Any:
        act()
        return carry_out()

    return both


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


# Quota and permissions


def test_a_quota_that_is_used_up_for_minutes_is_waited_out(night: NightOf, monkeypatch: pytest.MonkeyPatch) -> None:
    tonight = night(Resolution.RESTRICT)
    monkeypatch.delenv("HEDGEROW_RETRY_BUDGET")
    began = tonight.world.clock.now()
    tonight.world.quota.per_minute = 3
    ended = tonight.hedgerow("reconcile")
    assert ended.code == 0, ended.err
    assert tonight.statuses() == MADE
    assert tonight.untruths() == []
    assert tonight.world.clock.now() - began > timedelta(minutes=2)
    throttled = [one for one in tonight.box.log.requests if one.status == "RESOURCE_EXHAUSTED"]
    assert len(throttled) > 3
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


# Answers


def listing(night: Night, change: Callable[[Any], None]) -> None:
    """Has each page of a list changed before it is answered."""

    def stand_by(method: Method, request: Any, call: Call, carry_out: Callable[[], Any]) -> Any:
        del call
        answer = carry_out()
        if method.name == "ListTopics" and request.project.endswith("acme-orders-prod"):
            changed = method.response()
            changed.CopyFrom(answer)
            change(changed)
            return changed
        return answer

    night.box.stand_by(stand_by)


def test_a_list_that_repeats_topics_has_each_written_once(night: NightOf) -> None:
    tonight = night(Resolution.RESTRICT)
    listing(tonight, lambda page: page.topics.extend(list(page.topics)))
    ended = tonight.hedgerow("reconcile")
    assert (ended.code, tonight.statuses(), tonight.untruths()) == (0, MADE, [])
    assert [sent.topic for sent in tonight.warden.sent] == list(TOPICS)
    tonight.assert_converges()


def test_a_list_that_skips_a_topic_leaves_it_to_the_next_run(night: NightOf) -> None:
    tonight = night(Resolution.RESTRICT)
    skipping = True

    def skip(page: Any) -> None:
        kept = [topic for topic in page.topics if topic.name != ORDERS or not skipping]
        del page.topics[:]
        page.topics.extend(kept)

    listing(tonight, skip)
    ended = tonight.hedgerow("reconcile")
    assert (ended.code, tonight.statuses(), tonight.untruths()) == (0, {INVOICES: "made", RETURNS: "made"}, [])
    skipping = False
    tonight.assert_converges()


def test_a_list_that_turns_in_circles_is_not_believed(night: NightOf) -> None:
    tonight = night(Resolution.RESTRICT)
    circling = True

    def circle(page: Any) -> None:
        if circling:
            page.next_page_token = "YWZ0ZXI6YQ=="  # noqa: S105 - after the name `a`

    listing(tonight, circle)
    ended = tonight.hedgerow("reconcile")
    assert (ended.code, tonight.statuses(), tonight.untruths()) == (4, {INVOICES: "made"}, [])
    assert "ListTopics handed out the same page token twice" in ended.out
    circling = False
    tonight.assert_converges()


def test_fields_that_nobody_knows_are_neither_minded_nor_sent_back(night: NightOf) -> None:
    """A length-delimited field 2047 in every message, inside of messages too."""
    unknown = b"\xfa\x7f\x04what"
    tonight = night(Resolution.RESTRICT)

    def stand_by(method: Method, request: Any, call: Call, carry_out: Callable[[], Any]) -> Any:
        del request, call
        answer = method.response()
        answer.CopyFrom(carry_out())
        if method.name in ("GetTopic", "UpdateTopic"):
            answer.message_storage_policy.MergeFromString(unknown)
        answer.MergeFromString(unknown)
        return answer

    tonight.box.stand_by(stand_by)
    ended = tonight.hedgerow("reconcile")
    assert (ended.code, tonight.statuses(), tonight.untruths()) == (0, MADE, [])
    assert [unknown in sent.message.SerializeToString() for sent in tonight.box.log.writes()] == [False] * 3
    tonight.assert_converges()


def test_a_region_that_nobody_knows_stays_where_it_is_allowed_and_goes_where_it_is_not(night: NightOf) -> None:
    tonight = night(Resolution.RESTRICT)
    tonight.world.set_policy(allowing(*ALLOWED, "mars-east1"))
    for name, unknown in zip(TOPICS, ["us-east1", "venus-west2", "mars-west2"], strict=True):
        tonight.world.put_topic(name, policy(*ALLOWED, "mars-east1", unknown, flag=True))
    ended = tonight.hedgerow("reconcile")
    assert (ended.code, tonight.statuses(), tonight.untruths()) == (0, MADE, [])
    assert tonight.policies() == [policy(*ALLOWED, "mars-east1", flag=True)] * 3


# Other people


def test_topics_that_come_and_go_during_the_run_are_left_to_the_next(night: NightOf) -> None:
    tonight = night(Resolution.RESTRICT)
    newcomer = "projects/acme-orders-prod/topics/newcomer"

    def come_and_go() -> None:
        tonight.world.delete_topic(RETURNS)
        tonight.world.put_topic(newcomer, policy("us-east1"))

    tonight.box.stand_by(WRITING_THE_FIRST.met(first(come_and_go)))
    ended = tonight.hedgerow("reconcile")
    assert ended.code == 7
    assert tonight.statuses() == {INVOICES: "made", ORDERS: "made", RETURNS: "stale"}
    assert tonight.untruths() == []
    tonight.world.put_topic(RETURNS, tonight.drifted.before)
    tonight.assert_converges()
    live = tonight.world.topic(newcomer)
    assert live is not None
    assert live.policy == policy("us-east1")


@pytest.mark.parametrize("moment", [WRITING_THE_LAST, READING_THE_LAST_BACK], ids=lambda moment: moment.name)
def test_a_topic_that_goes_in_the_middle_of_its_change_is_stale(moment: Moment, night: NightOf) -> None:
    tonight = night(Resolution.RESTRICT)
    tonight.box.stand_by(moment.met(first(lambda: tonight.world.delete_topic(RETURNS))))
    ended = tonight.hedgerow("reconcile")
    assert (ended.code, tonight.statuses()) == (7, {**MADE, RETURNS: "stale"})
    assert tonight.untruths() == []
    tonight.world.put_topic(RETURNS, tonight.drifted.before)
    tonight.assert_converges()


def test_an_edit_between_write_and_read_back_is_told_and_not_written_over(night: NightOf) -> None:
    tonight = night(Resolution.RESTRICT)
    edited = policy("europe-west4", "us-east1", flag=True)
    tonight.box.stand_by(READING_THE_LAST_BACK.met(first(lambda: tonight.world.put_topic(RETURNS, edited))))
    ended = tonight.hedgerow("reconcile")
    assert (ended.code, tonight.statuses()) == (6, {**MADE, RETURNS: "failed"})
    assert "read back otherwise than written: the topic now has europe-west4, us-east1" in ended.err
    assert tonight.untruths() == []
    assert tonight.policies()[2] == edited


def test_labels_edited_between_read_and_write_survive_the_write(night: NightOf) -> None:
    tonight = night(Resolution.RESTRICT)

    def label() -> None:
        def edit(topic: Any) -> None:
            topic.labels["team"] = "blue"

        tonight.world.topic_store.change(TopicName.parse(RETURNS), edit)

    tonight.box.stand_by(WRITING_THE_LAST.met(first(label)))
    assert tonight.hedgerow("reconcile").code == 0
    assert dict(tonight.world.topic_store.get(TopicName.parse(RETURNS)).labels) == {"team": "blue"}
    tonight.assert_converges()


def test_a_policy_that_shrinks_during_the_run_closes_its_projects_until_it_has_settled(
    night: NightOf, wall_clock: WallClock
) -> None:
    tonight = night(Resolution.RESTRICT)
    tonight.warden.is_calm = False
    shrunk: StoragePolicy = policy("europe-west1", flag=True)
    tonight.box.stand_by(WRITING_THE_SECOND.met(first(lambda: tonight.world.set_policy(allowing("europe-west1")))))
    ended = tonight.hedgerow("reconcile")
    assert (ended.code, tonight.statuses()) == (6, {INVOICES: "made", ORDERS: "failed"})
    assert "the policy is not the one that the plan was computed from" in ended.err
    assert tonight.untruths() == []
    held = tonight.hedgerow("reconcile")
    assert (held.code, "[settle]" in held.err) == (0, True)
    wall_clock.ahead = timedelta(hours=2)
    assert (tonight.hedgerow("reconcile").code, tonight.policies()) == (0, [shrunk] * 3)
    assert tonight.untruths() == []


def test_two_runs_at_once_are_one_run(night: NightOf, nursery: Nursery) -> None:
    tonight = night(Resolution.RESTRICT)
    both_began = threading.Event()
    tonight.box.stand_by(WRITING_THE_FIRST.met(first(lambda: both_began.wait(30))))
    one = tonight.start(nursery, "reconcile")
    while not tonight.runs:
        time.sleep(0.01)
    other = tonight.start(nursery, "reconcile", output=tonight.folder / "other")
    assert other.wait() == 8
    both_began.set()
    assert one.wait() == 0
    assert [sent.topic for sent in tonight.warden.sent] == list(TOPICS)
    assert tonight.untruths() == []
