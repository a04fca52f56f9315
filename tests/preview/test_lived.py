"""What a preview with `--refresh` tells about a topic: remembered, live and declared."""

from __future__ import annotations

from typing import Any

from reconciler.model import TopicName
from reconciler.preview import Observed, observed, read_preview
from tests.preview.samples import event, lines, resource, step, step_event, urn

ORDERS = TopicName("acme-orders", "orders")
SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": "hidden"}


def regions(*names: str, **rest: Any) -> dict[str, Any]:
    return {"messageStoragePolicy": {"allowedPersistenceRegions": list(names), **rest}}


def tidy(*names: str, flag: bool = False) -> dict[str, Any]:
    return regions(*names, enforceInTransit=flag)


def refreshed(*steps: dict[str, Any], remembered: Any = None, live: Any = None) -> tuple[Observed, ...]:
    """What a refresh from the remembered to the live topic shows, and then further steps."""
    began, found = step("refresh", old=remembered), step("update", old=remembered, new=live)
    return observed(
        read_preview(
            lines(
                step_event(began),
                step_event(found, "resOutputsEvent"),
                *(step_event(one, kind) for one in steps for kind in ("resourcePreEvent", "resOutputsEvent")),
                event("summaryEvent", resourceChanges={}),
            )
        )
    )


def test_a_computed_policy_that_moved_shows_though_nothing_would_be_done() -> None:
    remembered, live = resource("orders", **regions("us-east1")), resource("orders", **regions("europe-west1"))
    (found,) = refreshed(step("same", new=resource("orders"), old=live), remembered=remembered, live=live)

    assert found == Observed(
        topic=ORDERS, urn=urn("orders"), remembered=tidy("us-east1"), live=tidy("europe-west1"), declared={}, op="same"
    )
    assert found.moved == ("messageStoragePolicy",)
    assert not found.is_gone


def test_the_order_of_regions_and_what_is_empty_is_no_difference() -> None:
    before = resource("orders", **regions("b", "a", "a"), labels={}, kmsKeyName="", messageRetentionDuration=None)
    (found,) = refreshed(remembered=before, live=resource("orders", **regions("a", "b", enforceInTransit=False)))

    assert found.moved == ()


def test_what_is_the_providers_own_business_is_no_difference() -> None:
    before = resource(
        "orders", effectiveLabels=SECRET, deletionPolicy="PREVENT", labels={"team": SECRET, "__defaults": []}
    )
    (found,) = refreshed(remembered=before, live=resource("orders", labels={"team": SECRET}))

    assert (found.moved, found.live) == ((), {"labels": {"team": "[secret]"}})


def test_a_change_that_would_be_put_right_is_told_with_its_paths() -> None:
    live, declared = resource("orders", **regions("us-east1")), resource("orders", **regions("europe-west1"))
    path = "messageStoragePolicy.allowedPersistenceRegions"
    (found,) = refreshed(step("update", old=live, new=declared, diff={path: "update"}), remembered=declared, live=live)

    assert (found.op, found.changed, found.declared) == ("update", {path: "update"}, tidy("europe-west1"))


def test_a_topic_that_is_gone_is_created_anew() -> None:
    (found,) = refreshed(step("create"), remembered=resource("orders"))

    assert (found.is_gone, found.moved, found.op) == (True, (), "create")


def test_a_new_topic_is_remembered_nowhere() -> None:
    preview = lines(step_event(step("create")), event("summaryEvent", resourceChanges={}))

    assert observed(read_preview(preview)) == (Observed(topic=ORDERS, urn=urn("orders"), declared={}, op="create"),)


def test_a_topic_that_no_program_declares_is_deleted() -> None:
    (found,) = refreshed(step("delete"), remembered=resource("orders"), live=resource("orders"))

    assert (found.op, found.declared) == ("delete", None)


def test_the_parts_of_a_replacement_are_one() -> None:
    steps = [step("delete-replaced"), step("replace"), step("create-replacement")]
    (found,) = refreshed(*steps, remembered=resource("orders"), live=resource("orders"))

    assert found.op == "replace"


def test_topics_are_in_the_order_of_their_names_and_nothing_else_is_told() -> None:
    steps = [step("same", "b"), step("same", "a"), step("same", "c", types="hedgerow:pubsub:TopicFleet")]
    nameless = step("create", "d", new={"inputs": {}})
    preview = lines(*map(step_event, [*steps, nameless]), event("summaryEvent", resourceChanges={}))

    assert [one.topic.topic for one in observed(read_preview(preview))] == ["a", "b"]


def test_a_policy_that_is_not_known_yet_has_no_regions() -> None:
    unknown = {"messageStoragePolicy": {"allowedPersistenceRegions": "04da6b54-80e4-46f7-96ec-b56ff0331ba9"}}
    preview = lines(
        step_event(step("create", new=resource("orders", **unknown))), event("summaryEvent", resourceChanges={})
    )

    assert [one.declared for one in observed(read_preview(preview))] == [tidy()]
