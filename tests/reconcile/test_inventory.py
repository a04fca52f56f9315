"""What a plan from the Asset Inventory leaves open, and what it says of the flag that the inventory does not hold."""

from __future__ import annotations

import pytest

from reconciler.model import (
    Explicit,
    LiveTopic,
    RegionSet,
    Resolution,
    StoragePolicy,
    TopicName,
    TopicSpec,
    Unmanaged,
)
from reconciler.reconcile import (
    Kind,
    LiveProject,
    Plan,
    ReadAgain,
    Settled,
    Unavailable,
    make_plan,
    plan_document,
    settle,
    to_read_again,
)
from reconciler.reconcile.inventory import MOST_SINGLE_READS
from tests.reconcile.test_plan import BILLING, BOTH, ORDERS, fleet, is_live, topic
from tests.reconcile.worlds import CATALOGUE, allowing, stored

TOO_MANY = (*BOTH, "us-east1")
ENFORCED = Explicit(regions=RegionSet.of(*BOTH), enforce_in_transit=True)
DENIED = Unavailable(reason="denied", hint="grant it")


def shown(name: str, regions: tuple[str, ...] | None = BOTH, project: str = ORDERS) -> LiveTopic:
    """A topic as the inventory shows it."""
    return LiveTopic(name=TopicName(project, name), policy=stored(regions), in_transit_known=False)


def plan(live: dict[str, LiveProject], *topics: TopicSpec, unread: dict[TopicName, Unavailable] | None = None) -> Plan:
    policies = {ORDERS: allowing(BOTH), BILLING: allowing(BOTH)}
    return make_plan(fleet(*topics), live, policies, CATALOGUE, unread=unread or {})


def again(live: dict[str, LiveProject], *topics: TopicSpec) -> ReadAgain:
    return to_read_again(plan(live, *topics), live)


SOMETHING = {BILLING: [shown("invoices", project=BILLING)]}


class TestToReadAgain:
    def test_nothing_where_every_topic_is_in_sync_or_only_reported(self) -> None:
        live: dict[str, LiveProject] = {**SOMETHING, ORDERS: [shown("a"), shown("b", BOTH[:1]), shown("c", TOO_MANY)]}

        assert again(live, topic("a"), topic("b"), topic("c", Unmanaged())) == ReadAgain()

    def test_a_topic_that_would_be_changed(self) -> None:
        live: dict[str, LiveProject] = {**SOMETHING, ORDERS: [shown("a"), shown("b", TOO_MANY)]}

        assert again(live, topic("a"), topic("b")) == ReadAgain(topics=(TopicName(ORDERS, "b"),))

    def test_a_topic_that_the_inventory_shows_without_a_policy(self) -> None:
        live: dict[str, LiveProject] = {**SOMETHING, ORDERS: [shown("a", None)]}

        assert again(live, topic("a")) == ReadAgain(topics=(TopicName(ORDERS, "a"),))

    def test_a_change_that_is_held_is_a_change(self) -> None:
        live: dict[str, LiveProject] = {**SOMETHING, ORDERS: [shown("a", BOTH[:1])]}

        assert again(live, topic("a", missing=Resolution.EXTEND)) == ReadAgain(topics=(TopicName(ORDERS, "a"),))

    def test_a_declared_topic_that_the_inventory_does_not_show(self) -> None:
        live: dict[str, LiveProject] = {**SOMETHING, ORDERS: [shown("a")]}

        assert again(live, topic("a"), topic("young")) == ReadAgain(topics=(TopicName(ORDERS, "young"),))

    def test_a_project_of_which_the_inventory_shows_nothing(self) -> None:
        assert again({**SOMETHING, ORDERS: []}, topic("a")) == ReadAgain(projects=(ORDERS,))

    def test_nothing_of_a_project_when_the_inventory_could_not_be_read(self) -> None:
        assert again({**SOMETHING, ORDERS: DENIED}, topic("a")) == ReadAgain()

    @pytest.mark.parametrize(
        ("count", "expected"),
        [
            (
                MOST_SINGLE_READS,
                ReadAgain(topics=tuple(TopicName(ORDERS, f"t{n:02}") for n in range(MOST_SINGLE_READS))),
            ),
            (MOST_SINGLE_READS + 1, ReadAgain(projects=(ORDERS,))),
        ],
    )
    def test_a_project_is_listed_where_too_many_of_its_topics_are_open(self, count: int, expected: ReadAgain) -> None:
        names = [f"t{n:02}" for n in range(count)]
        live: dict[str, LiveProject] = {**SOMETHING, ORDERS: [shown(name, TOO_MANY) for name in names]}

        assert again(live, *map(topic, names)) == expected

    def test_nothing_once_everything_was_read(self) -> None:
        live: dict[str, LiveProject] = {BILLING: SOMETHING[BILLING], ORDERS: [is_live("a", stored(TOO_MANY))]}

        assert again(live, topic("a")) == ReadAgain()


class TestSettling:
    def test_puts_answers_over_what_the_inventory_showed(self) -> None:
        live: dict[str, LiveProject] = {ORDERS: [shown("a"), shown("b", TOO_MANY), shown("gone")]}
        true, young = is_live("b", stored(TOO_MANY, True)), is_live("young", stored(BOTH))
        answers = {true.name: true, young.name: young, TopicName(ORDERS, "gone"): None}

        assert settle(live, {}, answers) == Settled(live={ORDERS: (shown("a"), true, young)})

    def test_takes_a_listed_project_whole(self) -> None:
        listed = (is_live("x", stored(BOTH)),)

        assert settle({ORDERS: [shown("a")], BILLING: []}, {ORDERS: listed, BILLING: DENIED}, {}) == Settled(
            live={ORDERS: listed, BILLING: DENIED}
        )

    def test_names_what_could_not_be_read(self) -> None:
        name = TopicName(ORDERS, "b")
        settled = settle({ORDERS: [shown("a"), shown("b", TOO_MANY)]}, {}, {name: DENIED})

        assert settled == Settled(live={ORDERS: (shown("a"),)}, unread={name: DENIED})

    def test_leaves_a_project_without_a_list_as_it_is(self) -> None:
        name = TopicName(ORDERS, "b")

        assert settle({ORDERS: DENIED}, {}, {name: None}) == Settled(live={ORDERS: DENIED})


class TestPlan:
    def test_a_topic_that_could_not_be_read_is_not_evaluated_and_hides_no_other(self) -> None:
        live: dict[str, LiveProject] = {BILLING: [], ORDERS: [shown("a", TOO_MANY)]}
        made = plan(live, topic("a"), topic("b"), unread={TopicName(ORDERS, "b"): DENIED})

        assert [(row.drift.name.topic, row.drift.kind, row.drift.reason) for row in made.rows] == [
            ("a", Kind.DISALLOWED, None),
            ("b", Kind.UNDECIDED, DENIED),
        ]

    def test_the_same_topic_has_no_flag_from_the_inventory_and_one_that_is_off_from_the_list(self) -> None:
        """Unknown is not false."""
        from_list = plan({BILLING: [], ORDERS: [is_live("a", stored(BOTH))]}, topic("a", ENFORCED))
        inventory = plan({BILLING: [], ORDERS: [shown("a")]}, topic("a", ENFORCED))

        assert [(row.drift.kind, row.drift.flag_differs) for row in from_list.rows] == [(Kind.IN_SYNC, True)]
        assert from_list.flags_not_evaluated == 0
        assert (inventory.rows, inventory.flags_not_evaluated) == ((), 1)

    def test_only_declared_topics_count_as_not_evaluated(self) -> None:
        """Nobody wants anything of the flag of a topic that is not ours to write."""
        live: dict[str, LiveProject] = {BILLING: [], ORDERS: [shown("a"), shown("theirs"), shown("unknown", TOO_MANY)]}

        assert plan(live, topic("a"), topic("theirs", Unmanaged())).flags_not_evaluated == 1

    def test_the_document_tells_an_unknown_flag_from_one_that_is_off(self) -> None:
        live: dict[str, LiveProject] = {
            BILLING: [],
            ORDERS: [shown("a", BOTH[:1]), is_live("b", stored(BOTH[:1])), shown("theirs", TOO_MANY)],
        }
        document = plan_document(plan(live, topic("a"), topic("b")))

        assert document["inTransitNotEvaluated"] == 1
        assert [(drift["live"], drift["inTransit"]["differs"]) for drift in document["drifts"]] == [
            ({"allowedPersistenceRegions": ["europe-west1"], "enforceInTransit": None}, None),
            ({"allowedPersistenceRegions": ["europe-west1"], "enforceInTransit": False}, False),
            ({"allowedPersistenceRegions": list(TOO_MANY), "enforceInTransit": None}, None),
        ]

    @pytest.mark.parametrize("policy", [None, stored(BOTH)])
    def test_a_plan_is_computed_from_something_else_where_the_flag_is_not_known(
        self, policy: StoragePolicy | None
    ) -> None:
        name = TopicName(ORDERS, "a")
        digests = {
            plan({ORDERS: [LiveTopic(name=name, policy=policy, in_transit_known=known)]}).live
            for known in (True, False)
        }

        assert len(digests) == 2
