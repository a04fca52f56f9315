from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from reconciler.model import Fleet, Limits, PublishedTopic, Publisher, Resolution, StoragePolicy, TopicName
from reconciler.orgpolicy import Effect, RegionBounds, Step
from reconciler.reconcile import (
    WIDENING,
    Change,
    History,
    Hold,
    Kind,
    ProjectPolicy,
    Refusal,
    Unavailable,
    holds,
    judge,
    judge_results,
    make_plan,
    mostly,
    plan_document,
)
from tests.reconcile.test_plan import BILLING, BOTH, ORDERS, fleet, is_live, topic
from tests.reconcile.worlds import CATALOGUE, ORIGIN, allowing, stored

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
COORDINATES = {
    "europe-west1": (50.5, 4.5),
    "europe-west4": (52.1, 5.3),
    "us-east4": (38.8, -77.2),
    "us-east1": (33.8, -81.2),
}
WIDE = stored((*BOTH, "us-east1"))


def change(name: str, after: StoragePolicy | None = None, *, project: str = ORDERS) -> Change:
    return Change(
        name=TopicName(project, name),
        kind=Kind.DISALLOWED,
        resolution=Resolution.RESTRICT,
        before=WIDE,
        after=stored(BOTH) if after is None else after,
        why="- us-east1",
    )


def publisher(endpoint: str | None, *regions: str, ordered: bool = True) -> Publisher:
    published = PublishedTopic(
        topic=TopicName(ORDERS, "a"),
        hedging=None,
        hedging_origin=ORIGIN,
        message_ordering=ordered,
        endpoint=endpoint,
        origin=ORIGIN,
    )
    return Publisher(service="checkout", language="java", regions=regions, topics=(published,), origin=ORIGIN)


def held(
    history: History,
    *publishers: Publisher,
    now: datetime = NOON,
    settle: timedelta = HOUR,
    loaded: Mapping[tuple[str, TopicName], str] | None = None,
) -> dict[str, Hold]:
    found = holds(
        [change("a"), change("b")],
        publishers,
        history,
        now=now,
        settle=settle,
        coordinates=COORDINATES,
        loaded=loaded or {},
    )
    return {name.topic: hold for name, hold in found.items()}


def flipping(*policies: str, repaired_under: str | None = None) -> History:
    """Policies seen at noon, at one, at two...; topic `a` is changed right after one of them was seen."""
    history = History()
    for hour, policy in enumerate(policies):
        history = history.observed({ORDERS: policy}, NOON + hour * HOUR)
        if policy == repaired_under:
            history = history.repaired([TopicName(ORDERS, "a")], NOON + hour * HOUR)
            repaired_under = None
    return history


def test_nothing_is_held_where_the_policy_never_changed() -> None:
    assert held(History()) == {}
    assert held(flipping("one")) == {}


def test_a_changed_policy_has_to_settle() -> None:
    history = flipping("one", "two")
    assert held(history, now=NOON + 1.5 * HOUR)["b"] == Hold(
        code="settle",
        reason=(
            "the policy of acme-orders-prod changed, seen first at 2026-11-30 13:00 UTC, and has to stand until "
            "2026-11-30 14:00 UTC"
        ),
        hint="run again then, or shorten `reconcile.settle` in stack.yaml",
    )
    assert held(history, now=NOON + 2 * HOUR) == {}
    assert held(history, now=NOON + HOUR, settle=timedelta()) == {}


def test_a_clock_that_was_set_back_never_settles_a_policy_early() -> None:
    assert set(held(flipping("one", "two"), now=NOON - 24 * HOUR)) == {"a", "b"}


def test_a_topic_changed_under_a_policy_is_held_when_the_policy_before_comes_back() -> None:
    history = flipping("one", "two", "one", repaired_under="two")
    assert held(history, now=NOON + 4 * HOUR) == {
        "a": Hold(
            code="flip",
            reason=(
                "the policy of acme-orders-prod is back to what it was before the topic was changed at 2026-11-30 13:00 "
                "UTC; it may flip again"
            ),
            hint="settle the policy; the change is made once it has stood until 2026-12-01 14:00 UTC",
        )
    }
    assert held(history, now=NOON + 26 * HOUR) == {}


def test_a_policy_that_keeps_flipping_never_lets_a_held_topic_go() -> None:
    flips = flipping("one", "two", "one", "two", "one", repaired_under="two")
    assert [hold.code for hold in held(flips, now=NOON + 6 * HOUR).values()] == ["flip"]


def test_a_policy_that_goes_on_to_a_third_is_followed() -> None:
    assert held(flipping("one", "two", "three", repaired_under="two"), now=NOON + 4 * HOUR) == {}
    assert held(flipping("one", "two", repaired_under="two"), now=NOON + 4 * HOUR) == {}
    assert held(flipping("one", "two", "one", repaired_under="one"), now=NOON + 4 * HOUR) == {}


def test_the_endpoint_of_an_ordered_publisher_keeps_its_region() -> None:
    assert held(History(), publisher("us-east1")) == {
        "a": Hold(
            code="ordered-endpoint",
            reason=(
                "`checkout` publishes in order through us-east1, which would leave the topic's regions: its messages "
                "would fail"
            ),
            hint=("set the `endpoint` of `checkout` to one of europe-west1, europe-west4, and roll that out first"),
        )
    }


def test_the_endpoint_of_a_services_last_file_keeps_its_region_and_so_does_the_one_that_follows() -> None:
    """`BOTH` and `us-east1` before; a service that runs inside of them follows the global endpoint."""
    where = ("checkout", TopicName(ORDERS, "a"))
    inside, outside = publisher(None, "us-east1"), publisher(None, "us-east1", "us-east4")
    assert held(History(), inside) == {}
    assert held(History(), inside, loaded={where: "us-east1"}).keys() == {"a"}
    assert held(History(), inside, loaded={where: "europe-west1"}) == {}
    assert held(History(), outside, loaded={where: "europe-west1"}).keys() == {"a"}
    assert held(History(), publisher("europe-west1"), loaded={where: "us-east1"}) == {}


def test_an_endpoint_that_no_spec_declares_is_the_one_that_followed_from_the_regions_before() -> None:
    (hold,) = held(History(), publisher(None, "us-east1", "asia-east1")).values()
    assert (hold.code, hold.reason) == (
        "ordered-endpoint",
        "`checkout` publishes in order through us-east1, which would leave the topic's regions: its messages would fail",
    )


def test_publishers_that_lose_nothing_hold_nothing() -> None:
    for other in (
        publisher(None, "europe-west1", "asia-east1"),
        publisher(None, "europe-west1"),
        publisher(None),
        publisher("us-east1", ordered=False),
        publisher("global"),
        publisher("europe-west1"),
        publisher("asia-east1"),
    ):
        assert held(History(), other) == {}


def test_an_empty_result_is_refused_and_no_flag_overrides_it() -> None:
    assert judge_results([change("a")]) == ()
    assert judge_results([change("a"), change("b", stored(())), change("c", stored(()))]) == (
        Refusal(
            code="empty-result",
            message=(
                "2 of 3 changes would leave a topic without any region, the first is projects/acme-orders-prod/topics/b"
            ),
            hint="plan again; an empty list is never written",
            is_limit=False,
        ),
    )


def test_limits_say_that_force_overrides_them() -> None:
    assert [refusal.is_limit for refusal in judge(30, 40, Limits(topics=10))] == [True, True]


def test_what_most_changes_have_in_common_is_the_node_whose_policy_they_follow() -> None:
    step = Step(
        node="folders/456",
        rule=1,
        value="in:eu-locations",
        effect=Effect.ALLOW,
        regions=RegionBounds(stored(BOTH).regions, stored(BOTH).regions),  # type: ignore[union-attr]
    )
    seen = replace(allowing(BOTH), live=replace(allowing(BOTH).live, steps=(step,)))
    policies: dict[str, ProjectPolicy | Unavailable] = {ORDERS: seen, BILLING: Unavailable(reason="denied")}
    changes = [change("a"), change("b"), change("c", project=BILLING)]
    assert mostly([], policies, History()) is None
    assert mostly(changes, policies, History()) == "most of it: 2 topics under the policy of folders/456"
    assert mostly(changes[:2], policies, flipping("one", "two")) == (
        "all of it under the policy of folders/456, seen to have changed at 2026-11-30 13:00 UTC"
    )
    assert mostly(changes[2:], policies, History()) == "all of it under the policy of acme-billing-prod"
    apart = [change("a"), change("b", project=BILLING), change("c", project="acme-lab")]
    assert mostly(apart, policies, History()) is None


def test_held_changes_are_not_among_the_changes_and_a_plan_says_what_holds_them() -> None:
    declared: Fleet = fleet(topic("a"), topic("b"), topic("c", missing=Resolution.EXTEND))
    live = [is_live("a", WIDE), is_live("b", WIDE), is_live("c", stored(BOTH[:1]))]
    plan = make_plan(
        declared, {ORDERS: live, BILLING: []}, {ORDERS: allowing(BOTH), BILLING: allowing(None)}, CATALOGUE
    )
    hold = Hold(code="settle", reason="changed", hint="wait")
    plan = replace(plan, holds={TopicName(ORDERS, "a"): hold})
    assert plan.policies_digest.startswith("sha256:")
    assert [c.name.topic for c in plan.proposed] == ["a", "b", "c"]
    assert [c.name.topic for c in plan.changes] == ["b"]
    assert [(c.name.topic, plan.hold_on(c)) for c in plan.held] == [("a", hold), ("c", WIDENING)]
    assert [(one["topic"], one["hold"]) for one in plan_document(plan)["held"]] == [
        ("projects/acme-orders-prod/topics/a", {"code": "settle", "reason": "changed", "hint": "wait"}),
        (
            "projects/acme-orders-prod/topics/c",
            {
                "code": "widening",
                "reason": "it would widen",
                "hint": "allow it with `widening: allow` in stack.yaml or `--allow-widening`",
            },
        ),
    ]
