"""The warden, tried: it lets pass what a run may write, and notices each thing that it may not."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import google.pubsub_v1.types as pubsub
import pytest

from reconciler.model import StoragePolicy
from reconciler.sandbox import ApiError, Call
from reconciler.sandbox.gateway import Gateway
from reconciler.sandbox.storage import to_message
from tests.nights.ledger import discrepancies, made_while_in_doubt
from tests.nights.places import organization_file, policy, world_of, written
from tests.nights.warden import LATEST, Sent, Warden
from tests.sandbox.builders import method

PROJECT = "acme-orders-prod"
ORDERS, THEIRS = f"projects/{PROJECT}/topics/orders", f"projects/{PROJECT}/topics/theirs"
BEFORE = policy("europe-west1", "us-east1", flag=True)
AFTER = policy("europe-west1", flag=True)


@dataclass
class Post:
    """A warden at a gateway, and a journal."""

    folder: Path
    gateway: Gateway
    warden: Warden

    def journal(self, *records: dict[str, Any], run: str = "run-1", stack: str = "production") -> None:
        path = self.folder / f"runs/{stack}/{run}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)

    def read(self, name: str = ORDERS) -> None:
        self.gateway.answer(method("GetTopic"), pubsub.GetTopicRequest.pb()(topic=name), Call())

    def write(
        self,
        wanted: StoragePolicy | None,
        name: str = ORDERS,
        *mask: str,
        who: str = "anonymous",
        is_late: bool = False,
        **fields: Any,
    ) -> None:
        request = pubsub.UpdateTopicRequest.pb()(update_mask={"paths": mask or ("message_storage_policy",)})
        request.topic.MergeFrom(pubsub.Topic.pb()(name=name, **fields))
        if wanted is not None:
            request.topic.message_storage_policy.CopyFrom(to_message(wanted))
        call = Call(principal=who)
        if is_late:
            call.gone.set()
        with suppress(ApiError):
            self.gateway.answer(method("UpdateTopic"), request, call)


@pytest.fixture
def post(tmp_path: Path) -> Post:
    written(tmp_path, {"policies/organization.yaml": organization_file((PROJECT,), ("europe-west1", "europe-west4"))})
    world = world_of(tmp_path)
    for name in (ORDERS, THEIRS):
        world.put_topic(name, BEFORE)
    gateway = Gateway(world)
    warden = Warden(world=world, journals=tmp_path / "runs", may_write={ORDERS})
    gateway.stand_by(warden)
    return Post(tmp_path, gateway, warden)


def now(hours: int = 0) -> str:
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat()


def intent(wanted: StoragePolicy | None, name: str = ORDERS, resolution: str = "restrict") -> dict[str, Any]:
    after = wanted and wanted.to_json()
    return {"event": "intent", "at": now(), "topic": name, "resolution": resolution, "after": after}


def outcome(status: str, name: str = ORDERS, *, at: str | None = None) -> dict[str, Any]:
    return {"event": "outcome", "at": at or now(), "topic": name, "status": status}


BEGIN, END = {"event": "begin"}, {"event": "end"}


def test_a_write_that_was_read_and_announced_passes(post: Post) -> None:
    post.journal(BEGIN, intent(AFTER))
    post.read()
    post.write(AFTER)
    assert post.warden.forbidden == []
    assert post.warden.sent == [Sent(run="run-1", topic=ORDERS, policy=AFTER, carried_out=True)]
    post.journal(outcome("made"), END)
    assert discrepancies(post.warden) == []


def test_a_slow_write_is_still_announced_however_many_runs_another_stack_has_meanwhile(post: Post) -> None:
    post.journal(BEGIN, intent(AFTER))
    for number in range(3 * LATEST):
        post.journal(BEGIN, END, run=f"run-{number}", stack="busy")
    post.read()
    post.write(AFTER)
    assert post.warden.forbidden == []
    assert [sent.run for sent in post.warden.sent] == ["run-1"]


def test_writes_of_others_are_none_of_its_business(post: Post) -> None:
    post.write(policy("europe-west4"), THEIRS, "message_storage_policy", who="pulumi")
    assert (post.warden.forbidden, post.warden.sent) == ([], [])


@pytest.mark.parametrize(
    ("wanted", "objections"),
    [
        (policy("europe-west1", "us-east1", flag=True), ["us-east1 is outside of what the organization allows"]),
        (policy("europe-west1"), ["the in-transit flag was lost"]),
        (policy(flag=True), ["the list of regions is empty"]),
        (
            policy("europe-west4", flag=True),
            ["regions were added to europe-west1, us-east1: europe-west4"],
        ),
    ],
)
def test_what_a_run_may_not_write_is_noticed_even_where_the_service_would_take_it(
    wanted: StoragePolicy, objections: list[str], post: Post
) -> None:
    post.journal(BEGIN, intent(wanted))
    post.read()
    post.write(wanted)
    assert post.warden.forbidden == [f"{ORDERS}: {objection}" for objection in objections]


def test_a_write_that_nobody_announced_or_read_is_noticed(post: Post) -> None:
    post.journal(BEGIN, intent(policy("europe-west4", flag=True)))
    post.write(AFTER)
    assert post.warden.forbidden == [
        f"{ORDERS}: the topic was not read before",
        f"{ORDERS}: no open intent in a journal announces the write",
    ]


def test_a_write_after_its_outcome_is_noticed(post: Post) -> None:
    post.journal(BEGIN, intent(AFTER), outcome("failed"))
    post.read()
    post.write(AFTER)
    assert post.warden.forbidden == [
        f"{ORDERS}: no open intent in a journal announces the write; run-1 has told it to be failed"
    ]


@pytest.mark.parametrize(
    ("status", "forbidden"),
    [
        ("failed", []),
        (
            "skipped",
            [f"{ORDERS}: no open intent in a journal announces the write; run-1 has told it to be skipped"],
        ),
    ],
)
def test_a_write_that_nobody_waits_for_may_come_after_its_outcome_if_that_is_failed(
    status: str, forbidden: list[str], post: Post
) -> None:
    post.journal(BEGIN, intent(AFTER), outcome(status))
    post.read()
    post.write(AFTER, is_late=True)
    assert post.warden.forbidden == forbidden
    assert len(post.warden.late) == (not forbidden)


@pytest.mark.parametrize(
    ("edited", "hours", "told"),
    [
        (AFTER, 0, []),
        (BEFORE, 0, [f"run-1: {ORDERS} is told to be made, and no write was carried out"]),
        (AFTER, -1, [f"run-1: {ORDERS} is told to be made, and no write was carried out"]),
    ],
)
def test_what_somebody_else_made_meanwhile_is_no_lie(
    edited: StoragePolicy, hours: int, told: list[str], post: Post
) -> None:
    post.journal(BEGIN, {**intent(AFTER), "at": now(hours)}, outcome("made", at=now(hours)), END)
    post.warden.edited(ORDERS, edited)
    assert discrepancies(post.warden) == told
    assert made_while_in_doubt(post.warden) == [f"run-1: {ORDERS}"]


def test_another_mask_field_or_topic_is_noticed(post: Post) -> None:
    post.journal(BEGIN, intent(AFTER), intent(AFTER, THEIRS))
    for name in (ORDERS, THEIRS):
        post.read(name)
    post.write(AFTER, ORDERS, "message_storage_policy", "labels", labels={"team": "blue"})
    post.write(AFTER, THEIRS)
    assert post.warden.forbidden == [
        f"{ORDERS}: the mask is ['message_storage_policy', 'labels']",
        f"{ORDERS}: another field was sent along",
        f"{THEIRS}: the topic is not the stack's to write",
    ]


def test_any_other_method_that_changes_something_is_noticed(post: Post) -> None:
    post.gateway.answer(method("DeleteTopic"), pubsub.DeleteTopicRequest.pb()(topic=ORDERS), Call())
    assert post.warden.forbidden == ["DeleteTopic was called"]


def test_a_recomputation_is_announced_as_one(post: Post) -> None:
    post.journal(BEGIN, intent(AFTER, resolution="recompute"))
    post.read()
    post.write(None)
    assert post.warden.forbidden == []
    post.write(AFTER)
    assert post.warden.forbidden == [f"{ORDERS}: no open intent in a journal announces the write"]


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ([BEGIN, outcome("made"), END], [f"{ORDERS} was made without an intent"]),
        ([BEGIN, outcome("stale"), END], []),
        ([BEGIN, intent(AFTER), END], [f"{ORDERS} has an intent and no outcome"]),
        ([BEGIN, intent(AFTER), outcome("failed")], ["does not end"]),
    ],
)
def test_a_journal_that_does_not_add_up_is_noticed(records: list[dict[str, Any]], told: list[str], post: Post) -> None:
    post.journal(*records)
    expected = [f"{ORDERS} is told to be made, and no write was carried out"] if "made" in str(records) else []
    assert discrepancies(post.warden) == [f"run-1: {what}" for what in [*told, *expected]]


def test_an_outcome_that_hides_a_write_is_noticed(post: Post) -> None:
    post.journal(BEGIN, intent(AFTER))
    post.read()
    post.write(AFTER)
    post.journal(outcome("skipped"), END)
    assert discrepancies(post.warden) == [f"run-1: {ORDERS} is told not to be written, and was"]


def test_what_a_killed_run_left_open_is_no_lie(post: Post) -> None:
    post.journal(BEGIN, intent(AFTER))
    assert discrepancies(post.warden, killed={"run-1"}) == []
