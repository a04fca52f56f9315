from __future__ import annotations

import json
from dataclasses import replace

import pytest

from reconciler.errors import InvalidInput
from reconciler.model import (
    DeclaredPolicy,
    Explicit,
    Fleet,
    Inherit,
    Limits,
    LiveTopic,
    ReconcileSettings,
    RegionSet,
    Resolution,
    Resolutions,
    Stack,
    StoragePolicy,
    TopicName,
    TopicSpec,
    Unmanaged,
    UnmanagedTopics,
    canonical_json,
    digest,
)
from reconciler.reconcile import (
    Kind,
    LiveProject,
    Plan,
    ProjectPolicy,
    Refusal,
    Standing,
    Unavailable,
    judge,
    make_plan,
    plan_document,
    read_plan,
)
from tests.reconcile.worlds import CATALOGUE, ORIGIN, allowing, between, stored

ORDERS, BILLING = "acme-orders-prod", "acme-billing-prod"
BOTH = ("europe-west1", "europe-west4")
SETTINGS = ReconcileSettings()


def topic(
    name: str, policy: DeclaredPolicy | None = None, project: str = ORDERS, **resolutions: Resolution
) -> TopicSpec:
    return TopicSpec(
        name=TopicName(project, name),
        policy=policy or Inherit(),
        resolutions=Resolutions(**resolutions),
        origin=ORIGIN,
        policy_origin=ORIGIN,
    )


def fleet(*topics: TopicSpec, settings: ReconcileSettings = SETTINGS) -> Fleet:
    stack = Stack(
        name="production",
        folder="stacks/production",
        organization="organizations/123456789012",
        policy_source="live",
        projects=(BILLING, ORDERS),
        reconcile=settings,
        origin=ORIGIN,
    )
    return Fleet.of(stack, topics)


def is_live(name: str, policy: StoragePolicy | None, project: str = ORDERS) -> LiveTopic:
    return LiveTopic(name=TopicName(project, name), policy=policy)


def plan(declared: Fleet, orders: LiveProject, billing: LiveProject = (), *, allow_widening: bool = False) -> Plan:
    policies: dict[str, ProjectPolicy | Unavailable] = {ORDERS: allowing(BOTH), BILLING: allowing(None)}
    return make_plan(declared, {ORDERS: orders, BILLING: billing}, policies, CATALOGUE, allow_widening=allow_widening)


def test_a_plan_holds_a_row_for_each_topic_that_is_not_in_sync() -> None:
    made = plan(
        fleet(topic("a"), topic("b"), topic("c")),
        [is_live("b", stored((*BOTH, "us-east1"))), is_live("a", stored(BOTH)), is_live("x", stored(BOTH))],
    )
    assert [(row.drift.name.topic, row.drift.kind) for row in made.rows] == [
        ("b", Kind.DISALLOWED),
        ("c", Kind.ABSENT),
        ("x", Kind.UNMANAGED),
    ]
    assert made.counts == {Kind.IN_SYNC: 1, Kind.DISALLOWED: 1, Kind.ABSENT: 1, Kind.UNMANAGED: 1}
    assert [change.name.topic for change in made.changes] == ["b"]
    assert (made.looked_at, made.operations) == (4, 3)


def test_what_widens_is_held_until_it_is_allowed() -> None:
    declared = fleet(topic("a", missing=Resolution.EXTEND))
    held = plan(declared, [is_live("a", stored(BOTH[:1]))])
    assert (len(held.changes), len(held.held)) == (0, 1)
    assert held.has_drift
    for permitted in (
        plan(declared, [is_live("a", stored(BOTH[:1]))], allow_widening=True),
        plan(
            fleet(topic("a", missing=Resolution.EXTEND), settings=replace(SETTINGS, widening=True)),
            [is_live("a", stored(BOTH[:1]))],
        ),
    ):
        assert (len(permitted.changes), len(permitted.held)) == (1, 0)


def test_a_project_that_cannot_be_read_hides_no_other() -> None:
    denied = Unavailable(reason="the topics could not be read: PERMISSION_DENIED", hint="grant it")
    made = plan(fleet(topic("a"), topic("b", project=BILLING)), denied, [is_live("b", stored(BOTH), BILLING)])
    assert [(row.drift.name.topic, row.drift.kind, row.drift.reason) for row in made.not_evaluated] == [
        ("a", Kind.UNDECIDED, denied)
    ]
    assert made.counts == {Kind.UNDECIDED: 1, Kind.MISSING: 1}


def test_an_unreadable_policy_is_never_no_policy() -> None:
    denied = Unavailable(reason="the organization policy could not be read: PERMISSION_DENIED")
    live = [is_live("a", stored(("us-east1",)))]
    made = make_plan(
        fleet(topic("a")), {ORDERS: live, BILLING: []}, {ORDERS: denied, BILLING: allowing(None)}, CATALOGUE
    )
    assert made.changes == ()
    assert [row.drift.kind for row in made.not_evaluated] == [Kind.UNDECIDED]
    assert made.policy_fingerprints[ORDERS] is None


@pytest.mark.parametrize(
    ("live", "standing"),
    [
        (stored(BOTH), Standing.ALLOWED),
        (stored(("us-east1",)), Standing.DISALLOWED),
        (None, Standing.DISALLOWED),
        (stored(()), Standing.EMPTY),
    ],
)
@pytest.mark.parametrize("declared", [True, False])
def test_unmanaged_topics_are_listed_with_their_standing_and_never_written(
    live: StoragePolicy | None, standing: Standing, declared: bool
) -> None:
    made = plan(fleet(*[topic("a", Unmanaged())] * declared), [is_live("a", live)])
    assert [(row.drift.standing, row.change) for row in made.rows] == [(standing, None)]
    assert made.has_drift == (standing is not Standing.ALLOWED)


def test_an_unmanaged_topic_whose_standing_hangs_on_a_doubt_is_not_evaluated() -> None:
    may = between(RegionSet.of("europe-west1"), RegionSet.of(*BOTH))
    made = make_plan(
        fleet(), {ORDERS: [is_live("a", stored(BOTH))], BILLING: []}, {ORDERS: may, BILLING: may}, CATALOGUE
    )
    assert [row.drift.standing for row in made.not_evaluated] == [Standing.UNDECIDED]


def test_undeclared_topics_can_be_ignored_or_reconciled() -> None:
    live = [is_live("x", stored((*BOTH, "us-east1")))]
    ignored = plan(fleet(settings=replace(SETTINGS, unmanaged=UnmanagedTopics.IGNORE)), live)
    assert (ignored.rows, ignored.counts) == ((), {Kind.UNMANAGED: 1})
    adopted = plan(fleet(settings=replace(SETTINGS, unmanaged=UnmanagedTopics.RECONCILE)), live)
    assert [change.after for change in adopted.changes] == [stored(BOTH)]


def test_equal_inputs_give_equal_bytes_in_whatever_order_they_come() -> None:
    live = [is_live("a", stored((*BOTH, "us-east1"))), is_live("b", stored(("us-east1", *BOTH)))]
    one = plan_document(plan(fleet(topic("a"), topic("b")), live))
    other = plan_document(plan(fleet(topic("b"), topic("a")), live[::-1]))
    assert canonical_json(one) == canonical_json(other)


def test_a_saved_plan_holds_what_apply_needs() -> None:
    made = plan(
        fleet(topic("a"), topic("b", empty=Resolution.RECOMPUTE, project=BILLING)),
        [is_live("a", stored((*BOTH, "us-east1"), True))],
        [is_live("b", stored(()), BILLING)],
        allow_widening=True,
    )
    document = plan_document(made)
    saved = read_plan(json.dumps(document), file="plan.json")
    assert saved.changes == made.changes
    assert (saved.stack, saved.folder, saved.specs) == ("production", "stacks/production", made.specs)
    assert (saved.policies, saved.looked_at) == (made.policy_fingerprints, 2)
    assert [change["request"] for change in document["changes"]] == [
        {"topic": {"name": f"projects/{BILLING}/topics/b"}, "update_mask": "message_storage_policy"},
        {
            "topic": {
                "name": f"projects/{ORDERS}/topics/a",
                "message_storage_policy": {"allowedPersistenceRegions": [*BOTH], "enforceInTransit": True},
            },
            "update_mask": "message_storage_policy",
        },
    ]


def test_a_plan_document_tells_what_is_not_evaluated_and_what_everything_but_means() -> None:
    denied = Unavailable(reason="denied")
    may = allowing(None)
    made = make_plan(
        fleet(topic("a", Explicit(regions=RegionSet.of("us-east1")), project=BILLING)),
        {ORDERS: denied, BILLING: [is_live("a", None, BILLING)]},
        {ORDERS: denied, BILLING: may},
        CATALOGUE,
    )
    document = plan_document(made)
    assert document["projects"] == {
        ORDERS: {"notEvaluated": "denied"},
        BILLING: {
            "allowed": {"certain": {"allBut": []}, "undecided": []},
            "inTransitRequired": False,
            "doubts": [],
            "source": "snapshot",
            "snapshotDiffers": False,
        },
    }
    assert [(d["topic"], d["kind"], d["extra"]) for d in document["drifts"]] == [
        (f"projects/{BILLING}/topics/a", "spec", {"allBut": ["us-east1"]})
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a plan: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("[]", "not a plan"),
        ('{"formatVersion": "2"}', "the plan has format version '2', this version of hedgerow reads '1'"),
        ('{"formatVersion": "1"}', "the plan has been changed since it was written: its digest does not match"),
    ],
)
def test_what_is_no_plan_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_plan(text, file="plan.json")
    assert refused.value.message == message
    assert str(refused.value.position) == "plan.json"


def test_a_plan_that_was_edited_is_refused() -> None:
    document = plan_document(plan(fleet(topic("a")), [is_live("a", stored((*BOTH, "us-east1")))]))
    document["changes"][0]["after"]["allowedPersistenceRegions"] = ["us-east1"]
    with pytest.raises(InvalidInput, match="changed since it was written"):
        read_plan(json.dumps(document), file="plan.json")


def test_a_plan_of_another_shape_is_refused_even_with_a_matching_digest() -> None:
    body = {"formatVersion": "1", "stack": "production"}
    with pytest.raises(InvalidInput) as refused:
        read_plan(json.dumps({**body, "digest": digest(body)}), file="plan.json")
    assert str(refused.value) == (
        "plan.json: error: the plan has not the shape of one, though its digest matches\n"
        "  hint: see `hedgerow schema plan`, or plan again"
    )


def test_limits_are_judged_by_number_and_by_share_above_a_floor() -> None:
    limits = Limits(topics=5, percent=20, minimum_population=20)
    assert judge(4, 20, limits) == ()
    assert judge(5, 6, limits) == ()
    assert judge(5, 20, limits) == (
        Refusal(
            code="limit-percent",
            message="5 of 20 topics would change, 25.0 % is over the limit of 20 %",
            hint="read the plan, then allow it with `--max-percent 25`",
        ),
    )
    assert judge(6, 1_204, limits) == (
        Refusal(
            code="limit-topics",
            message="6 of 1,204 topics would change, more than the limit of 5",
            hint="read the plan, then allow it with `--max-topics 6`",
        ),
    )


@pytest.mark.parametrize(
    ("live", "snapshot", "differs"),
    [
        (allowing(BOTH), None, False),
        (allowing(BOTH), allowing(BOTH), False),
        (allowing(BOTH), allowing(BOTH[:1]), True),
        (allowing(BOTH, True), allowing(BOTH, False), True),
        (allowing(BOTH, True), allowing(BOTH, None), False),
        (allowing(BOTH), between(RegionSet.of(*BOTH[:1]), RegionSet.of(*BOTH, "us-east1")), False),
    ],
)
def test_a_snapshot_differs_only_where_that_is_certain(
    live: ProjectPolicy, snapshot: ProjectPolicy | None, differs: bool
) -> None:
    assert ProjectPolicy(live=live.live, declared=snapshot.live if snapshot else None).differs == differs


EVERY = RegionSet.of("europe-west1", "europe-west4", "us-east1")


@pytest.mark.parametrize(
    ("answered", "differs"),
    [
        (("europe-west1", "europe-west4"), False),
        (("europe-west1",), True),
        (("europe-west1", "europe-west4", "us-east1"), True),
        (("europe-west1", "europe-west4", "europe-west99"), False),
    ],
    ids=["the others", "fewer", "the denied one too", "one that is not known"],
)
def test_an_answer_that_lists_what_a_denial_leaves_does_not_differ(answered: tuple[str, ...], differs: bool) -> None:
    all_but_one = ~RegionSet.of("us-east1")
    snapshot = between(all_but_one, all_but_one)

    policy = ProjectPolicy(live=allowing(answered).live, declared=snapshot.live, known=EVERY)

    assert policy.differs == differs


def test_an_answer_with_a_region_that_is_not_known_differs_from_a_list_without() -> None:
    policy = ProjectPolicy(live=allowing((*BOTH, "europe-west99")).live, declared=allowing(BOTH).live, known=EVERY)

    assert policy.differs
