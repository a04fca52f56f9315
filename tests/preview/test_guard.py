"""Which topics a preview would take away, and which of that is allowed."""

from __future__ import annotations

from typing import Any

import pytest

from reconciler.model import TopicName
from reconciler.preview import Allowance, Fate, Loss, losses, read_preview, refused
from tests.preview.samples import document, resource, step, stream, urn

ORDERS = TopicName("acme-orders", "orders")


def loss(*steps: Any) -> Loss | None:
    """What becomes of the one topic that some steps are about; both forms have to agree."""
    found = losses(read_preview(document(*steps)))
    assert found == losses(read_preview(stream(*steps)))
    assert len(found) <= 1
    return found[0] if found else None


@pytest.mark.parametrize("op", ["same", "create", "update", "read", "refresh", "import"])
def test_a_topic_that_stays_is_no_loss(op: str) -> None:
    assert loss(step(op, diff={"labels.team": "update"})) is None


def test_a_deleted_topic_is_lost() -> None:
    assert loss(step("delete")) == Loss(urn=urn("orders"), topic=ORDERS, fate=Fate.DELETED, operations=("delete",))


def test_a_replaced_topic_is_lost_to_the_properties_that_force_it() -> None:
    diff = {"tags": "update-replace", "labels.team": "update", "name": "add-replace"}

    assert loss(step("replace", replaces=("tags",), diff=diff)) == Loss(
        urn=urn("orders"), topic=ORDERS, fate=Fate.REPLACED, forced_by=("name", "tags"), operations=("replace",)
    )


def test_the_steps_of_one_replacement_are_one_loss() -> None:
    steps = [step("delete-replaced"), step("replace", replaces=("tags",)), step("create-replacement")]

    assert loss(*steps) == Loss(
        urn=urn("orders"),
        topic=ORDERS,
        fate=Fate.REPLACED,
        forced_by=("tags",),
        operations=("delete-replaced", "replace", "create-replacement"),
    )


@pytest.mark.parametrize("op", ["import-replacement", "remove-pending-replace", "create-replacement"])
def test_every_part_of_a_replacement_gives_it_away(op: str) -> None:
    found = loss(step(op))

    assert found is not None
    assert (found.fate, found.forced_by) == (Fate.REPLACED, ())


def test_a_kind_of_change_gives_a_replacement_away_whatever_the_operation_is_called() -> None:
    found = loss(step("update", diff={"tags": "delete-replace"}))

    assert found is not None
    assert (found.fate, found.forced_by) == (Fate.REPLACED, ("tags",))


def test_an_operation_that_nobody_knows_is_a_loss() -> None:
    assert loss(step("obliterate")) == Loss(
        urn=urn("orders"), topic=ORDERS, fate=Fate.UNKNOWN, operations=("obliterate",)
    )


def test_a_topic_that_a_refresh_did_not_find_and_that_is_created_again_is_no_loss() -> None:
    assert loss(step("delete"), step("create")) is None


def test_topics_of_any_program_count_and_nothing_but_topics() -> None:
    steps = [
        step("delete", "plain", types="gcp:pubsub/topic:Topic"),
        step("delete", "deep", types="my:app:Thing$my:other:Part$gcp:pubsub/topic:Topic"),
        step("delete", "reader", types="gcp:pubsub/subscription:Subscription"),
        step("delete", "fleet", types="hedgerow:pubsub:TopicFleet"),
    ]

    assert [str(one.topic) for one in losses(read_preview(document(*steps)))] == [
        "projects/acme-orders/topics/deep",
        "projects/acme-orders/topics/plain",
    ]


def test_a_topic_may_go_in_the_way_that_is_allowed_and_in_no_other() -> None:
    found = deleted, replaced, unknown = tuple(
        one for op in ("delete", "replace", "obliterate") for one in losses(read_preview(document(step(op))))
    )

    assert refused(found, Allowance()).refused == found
    assert refused(found, Allowance(may_delete=[ORDERS])).allowed == (deleted,)
    assert refused(found, Allowance(may_replace=[ORDERS])).allowed == (replaced,)
    assert refused(found, Allowance(may_delete=[ORDERS], may_replace=[ORDERS])).refused == (unknown,)


@pytest.mark.parametrize("op", ["delete", "replace"])
def test_what_the_remembered_deletion_policy_prevents_cannot_be_allowed(op: str) -> None:
    prevented = loss(step(op, old=resource("orders", deletionPolicy="PREVENT")))
    assert prevented is not None

    assert prevented.prevented
    assert refused([prevented], Allowance(may_delete=[ORDERS], may_replace=[ORDERS])).refused == (prevented,)


def test_a_topic_whose_name_the_preview_does_not_tell_cannot_be_allowed() -> None:
    nameless = loss(step("delete", old={"id": ""}))

    assert nameless == Loss(urn=urn("orders"), topic=None, fate=Fate.DELETED, operations=("delete",))
    assert refused([nameless], Allowance(may_delete=[ORDERS])).refused == (nameless,)
