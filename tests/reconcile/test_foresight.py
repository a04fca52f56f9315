"""What another policy would do to topics: who drifts, whose spec is refused, who is mended, what nobody can say."""

from __future__ import annotations

from collections.abc import Sequence

from reconciler.model import (
    ALL_REGIONS,
    DeclaredPolicy,
    Explicit,
    Inherit,
    LiveTopic,
    RegionSet,
    TopicName,
    TopicSpec,
    Unmanaged,
    Within,
)
from reconciler.reconcile import Foresight, Kind, LiveProject, ProjectPolicy, Standing, Unavailable, foresee
from tests.reconcile.test_plan import BILLING, BOTH, ORDERS, fleet, topic
from tests.reconcile.worlds import CATALOGUE, allowing, between, stored

ONE = BOTH[:1]
OPEN = allowing(BOTH)


def foreseen(
    *topics: TopicSpec,
    live: Sequence[LiveTopic] | Unavailable | None = None,
    today: ProjectPolicy = OPEN,
    then: ProjectPolicy | None = OPEN,
) -> Foresight:
    projects: dict[str, LiveProject] | None = None if live is None else {ORDERS: live}
    policies = {ORDERS: today.live, BILLING: today.live}
    tomorrow = {ORDERS: then.live if then else None, BILLING: today.live}
    return foresee(fleet(*topics), projects, policies, tomorrow, CATALOGUE)


def seen(foresight: Foresight) -> list[tuple[str, Kind, Kind, str | None, bool]]:
    return [(p.name.topic, p.before.kind, p.after.kind, p.refused, p.mends) for p in foresight.prospects]


def running(name: str, *regions: str, flag: bool = False) -> LiveTopic:
    return LiveTopic(name=TopicName(ORDERS, name), policy=stored(regions, flag))


def test_live_topics_are_compared_under_both_policies_declared_or_not() -> None:
    foresight = foreseen(topic("orders"), live=[running("orders", *BOTH), running("stray", *BOTH)], then=allowing(ONE))

    assert seen(foresight) == [
        ("orders", Kind.IN_SYNC, Kind.DISALLOWED, None, False),
        ("stray", Kind.UNMANAGED, Kind.UNMANAGED, None, False),
    ]
    assert [p.after.standing for p in foresight.prospects] == [None, Standing.DISALLOWED]
    assert foresight.looked_at == 2


def test_a_topic_that_would_be_right_again_is_mended() -> None:
    foresight = foreseen(topic("orders"), live=[running("orders", *ONE)], then=allowing(ONE))

    assert seen(foresight) == [("orders", Kind.MISSING, Kind.IN_SYNC, None, True)]


def test_a_topic_that_fares_as_today_is_left_out() -> None:
    foresight = foreseen(topic("orders"), live=[running("orders", "us-east1")])

    assert foresight == Foresight(prospects=(), looked_at=1)


def refusal(policy: DeclaredPolicy, then: ProjectPolicy) -> str | None:
    (prospect,) = foreseen(topic("payments", policy), live=[], then=then).prospects
    return prospect.refused


def test_a_spec_that_would_be_refused_is_told_even_where_its_topic_is_not_live() -> None:
    declared = Explicit(regions=RegionSet.of(*BOTH))

    assert refusal(declared, allowing(ONE)) == (
        "it declares europe-west4, which the organization's policy does not allow"
    )
    assert refusal(Inherit(), allowing(())) == "the organization's policy allows no Pub/Sub region"


def test_a_spec_that_switches_enforcement_off_would_be_refused_where_it_is_required() -> None:
    message = "it switches enforcement in transit off, which the organization's policy requires"

    for declared in (
        Explicit(regions=RegionSet.of(*ONE), enforce_in_transit=False),
        Within(groups=(BOTH[0],), enforce_in_transit=False),
    ):
        assert refusal(declared, allowing(BOTH, True)) == message


def test_a_spec_that_is_refused_today_as_well_is_nothing_new() -> None:
    declared = topic("payments", Explicit(regions=RegionSet.of("us-east1")))

    assert foreseen(declared, live=[], then=allowing(ONE)).prospects == ()


def test_without_live_topics_every_declared_one_is_taken_to_be_as_it_should_be_today() -> None:
    foresight = foreseen(
        topic("audit", Within(groups=ONE)),
        topic("legacy", Unmanaged()),
        topic("orders"),
        topic("wrong", Explicit(regions=RegionSet.of("us-east1"))),
        then=allowing((*BOTH, "europe-north1")),
    )

    assert seen(foresight) == [("orders", Kind.IN_SYNC, Kind.MISSING, None, False)]
    assert foresight.looked_at == 4


def test_what_a_topic_should_have_today_may_be_undecided() -> None:
    foresight = foreseen(topic("orders"), today=between(RegionSet.of(*ONE), RegionSet.of(*BOTH)), then=allowing(ONE))

    assert foresight.not_evaluated == (
        (f"projects/{ORDERS}/topics/orders", Unavailable(reason="what it should have today is undecided")),
    )


def test_an_undecided_flag_makes_what_a_topic_should_have_undecided_too() -> None:
    foresight = foreseen(topic("orders"), today=allowing(BOTH, None), then=allowing(ONE))

    assert [subject for subject, _ in foresight.not_evaluated] == [f"projects/{ORDERS}/topics/orders"]


def test_topics_that_cannot_be_listed_and_policies_that_are_not_known_are_not_evaluated() -> None:
    denied = Unavailable(reason="denied")

    assert foreseen(topic("orders"), live=denied).not_evaluated == ((ORDERS, denied),)
    assert foreseen(topic("orders"), then=None).not_evaluated == (
        (ORDERS, Unavailable(reason="no policy is known for the project")),
    )


def test_an_outcome_that_hangs_on_an_undecided_region_is_not_evaluated() -> None:
    foresight = foreseen(
        topic("orders"), live=[running("orders", *BOTH)], then=between(RegionSet.of(*ONE), ALL_REGIONS)
    )

    assert [subject for subject, _ in foresight.not_evaluated] == [f"projects/{ORDERS}/topics/orders"]
    assert foresight.prospects == ()
