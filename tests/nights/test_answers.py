"""What can happen to a run in the cloud: odd lists and answers, and other people who change the same topics."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from reconciler.model import Resolution, StoragePolicy, TopicName
from reconciler.sandbox import Call
from reconciler.sandbox.methods import Method
from tests.nights.cases import Moment
from tests.nights.conftest import NightOf
from tests.nights.moments import (
    MADE,
    READING_THE_LAST_BACK,
    WRITING_THE_FIRST,
    WRITING_THE_LAST,
    WRITING_THE_SECOND,
    WallClock,
    first,
)
from tests.nights.night import ALLOWED, INVOICES, ORDERS, RETURNS, TOPICS, Night
from tests.nights.nursery import Nursery
from tests.nights.places import allowing, policy

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
    tonight.assert_is_settled()


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
    edited = policy(*ALLOWED, "us-east4", flag=True)
    tonight.box.stand_by(READING_THE_LAST_BACK.met(first(lambda: tonight.world.put_topic(RETURNS, edited))))
    ended = tonight.hedgerow("reconcile")
    assert (ended.code, tonight.statuses()) == (6, {**MADE, RETURNS: "failed"})
    assert "read back otherwise than written: the topic now has europe-west1, europe-west4, us-east4" in ended.err
    assert tonight.untruths() == []
    assert tonight.policies()[2] == edited
    tonight.assert_converges()


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
    tonight.assert_is_settled()
    assert tonight.untruths() == []


def test_a_write_that_happens_after_it_was_given_up_is_told_as_failed_and_can_be_taken_back(
    night: NightOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service may carry a request out long after its client has stopped waiting for it."""
    tonight = night(Resolution.EXTEND)
    monkeypatch.setenv("HEDGEROW_CALL_TIMEOUT", "0.3")
    monkeypatch.setenv("HEDGEROW_RETRY_BUDGET", "0.2")
    run_is_over, is_written = threading.Event(), threading.Event()

    def stand_by(method: Method, request: Any, call: Call, carry_out: Callable[[], Any]) -> Any:
        if method.name != "UpdateTopic" or request.topic.name != ORDERS or run_is_over.is_set():
            return carry_out()
        assert run_is_over.wait(30)
        assert call.gone.is_set()
        is_written.set()
        return carry_out()

    tonight.box.stand_by(stand_by)
    ended = tonight.hedgerow("reconcile")
    assert (ended.code, tonight.statuses()) == (6, {INVOICES: "made", ORDERS: "failed"})
    run_is_over.set()
    assert is_written.wait(30)
    while tonight.policies()[1] != tonight.drifted.after:
        time.sleep(0.01)
    monkeypatch.setenv("HEDGEROW_CALL_TIMEOUT", "30")
    way = tonight.hedgerow("revert", tonight.runs[0])
    assert f"  ~ {ORDERS}  back to europe-west1" in way.out
    assert tonight.untruths() == []
    tonight.assert_converges()


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
    tonight.assert_converges()
