"""Pulumi's view of a topic beside hedgerow's: every combination, and why the two do not agree."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from reconciler.model import (
    DeclaredPolicy,
    Exemption,
    Explicit,
    Inherit,
    LiveTopic,
    Origin,
    RegionSet,
    Resolution,
    StoragePolicy,
    TopicName,
    TopicSpec,
    Unmanaged,
)
from reconciler.orgpolicy import Catalogue, EffectivePolicy, RegionBounds
from reconciler.preview import Difference, Observed, differences
from reconciler.reconcile import Decision, Kind, ProjectPolicy, Row, Unavailable, compare, resolve
from tests.preview.samples import urn

HERE = Origin("t.yaml")
ORDERS = TopicName("acme-orders", "orders")
CATALOGUE = Catalogue(as_of="2026-11-30", regions=RegionSet.of("a-1", "b-1", "c-1"), groups={})
ALLOWED = ProjectPolicy(
    live=EffectivePolicy(
        project="acme-orders", allowed=RegionBounds.exactly(RegionSet.of("a-1", "b-1")), in_transit=False
    )
)
POLICY = "messageStoragePolicy"
PATH = f"{POLICY}.allowedPersistenceRegions"
COMPUTED = "the service computes it, so Pulumi takes whatever is live; hedgerow holds it against what is allowed"


def policy(*regions: str, flag: bool = False) -> dict[str, Any]:
    return {"allowedPersistenceRegions": list(regions), "enforceInTransit": flag}


def stored(*regions: str, flag: bool = False) -> StoragePolicy:
    return StoragePolicy(regions=RegionSet.of(*regions), enforce_in_transit=flag)


def row(declared: DeclaredPolicy, live: StoragePolicy | Unavailable | None, *, there: bool = True) -> Row:
    """The plan's row of the topic `orders`, made as a plan makes it."""
    spec = TopicSpec(name=ORDERS, policy=declared, origin=HERE, policy_origin=HERE)
    found = live if isinstance(live, Unavailable) else LiveTopic(name=ORDERS, policy=live) if there else None
    drift = compare(ORDERS, spec, found, ALLOWED, CATALOGUE)
    return Row(drift=drift, decision=resolve(drift, spec.resolutions, CATALOGUE))


def seen(
    remembered: dict[str, Any] | None, live: dict[str, Any] | None, declared: dict[str, Any] | None = None, **rest: Any
) -> Observed:
    """What the preview says of the topic; each side is a storage policy, or `None` where there is no topic."""

    def side(value: dict[str, Any] | None) -> dict[str, Any] | None:
        return None if value is None else {POLICY: value} if value else {}

    return Observed(
        topic=ORDERS,
        urn=urn("orders"),
        remembered=side(remembered),
        live=side(live),
        declared=side({} if declared is None else declared),
        **rest,
    )


def told(one: Observed, planned: Row | None) -> Difference | None:
    found = differences([one], {} if planned is None else {ORDERS: planned}, [ORDERS])
    assert len(found) <= 1, found
    return found[0] if found else None


def test_a_topic_in_sync_that_is_remembered_as_it_is_differs_in_nothing() -> None:
    assert told(seen(policy("a-1", "b-1"), policy("a-1", "b-1")), None) is None


def test_a_computed_policy_that_drifted_is_told_though_pulumi_would_do_nothing() -> None:
    live = policy("c-1", "a-1", "b-1")
    found = told(seen(policy("a-1", "b-1"), live), row(Inherit(), stored("a-1", "b-1", "c-1")))

    assert found == Difference(
        topic=ORDERS,
        property=POLICY,
        kind=Kind.DISALLOWED,
        remembered=policy("a-1", "b-1"),
        live=policy("a-1", "b-1", "c-1"),
        desired=policy("a-1", "b-1"),
        pulumi="nothing",
        hedgerow="restrict",
        note=COMPUTED,
    )


def test_a_policy_that_pulumi_remembers_as_it_drifted_is_told_too() -> None:
    found = told(seen(policy("a-1"), policy("a-1")), row(Inherit(), stored("a-1")))

    assert found is not None
    assert (found.kind, found.pulumi, found.hedgerow, found.note) == (Kind.MISSING, "nothing", "report", COMPUTED)


def test_after_a_nights_repair_pulumi_only_remembers_what_was() -> None:
    found = told(seen(policy("a-1", "c-1"), policy("a-1", "b-1")), None)

    assert found == Difference(
        topic=ORDERS,
        property=POLICY,
        kind="remembered",
        remembered=policy("a-1", "c-1"),
        live=policy("a-1", "b-1"),
        desired=policy("a-1", "b-1"),
        note="it is as it should be; `pulumi up --refresh` takes note of it",
        counts=False,
    )


def test_both_would_put_an_explicit_policy_right() -> None:
    one = seen(policy("a-1"), policy("a-1", "c-1"), policy("a-1"), op="update", changed={PATH: "update"})
    found = told(one, row(Explicit(regions=RegionSet.of("a-1")), stored("a-1", "c-1")))

    assert found is not None
    assert (found.kind, found.desired, found.pulumi, found.hedgerow, found.note) == (
        Kind.DISALLOWED,
        policy("a-1"),
        "update",
        "restrict",
        None,
    )


def test_pulumi_widens_where_hedgerow_holds_back() -> None:
    one = seen(policy("a-1", "b-1"), policy("a-1"), policy("a-1", "b-1"), op="update", changed={PATH: "update"})
    found = told(one, row(Explicit(regions=RegionSet.of("a-1", "b-1")), stored("a-1")))

    assert found is not None
    assert (found.kind, found.hedgerow, found.note) == (
        Kind.SPEC,
        "enforce",
        "it widens: `pulumi up` does it, and hedgerow only where widening is allowed",
    )


@pytest.mark.parametrize(
    ("one", "planned", "kind", "note"),
    [
        (
            seen(policy("a-1"), policy("a-1"), policy("a-1"), op="update", changed={PATH: "update"}),
            None,
            "pending",
            "hedgerow finds it in sync: the two looked at different moments, so look again",
        ),
        (
            seen(policy("a-1"), policy("a-1"), policy("a-1")),
            row(Explicit(regions=RegionSet.of("a-1")), stored("a-1", "c-1")),
            Kind.DISALLOWED,
            "Pulumi finds nothing to do: the two looked at different moments, so look again",
        ),
        (
            seen(policy("a-1"), policy("a-1")),
            row(Inherit(), None, there=False),
            Kind.ABSENT,
            "it went while it was looked at",
        ),
    ],
)
def test_two_looks_at_different_moments_are_told_as_such(one: Observed, planned: Row, kind: str, note: str) -> None:
    found = told(one, planned)

    assert found is not None
    assert (found.kind, found.note, found.counts) == (kind, note, True)


def test_a_flag_that_differs_is_in_transit_drift() -> None:
    one = seen(
        policy("a-1", flag=True), policy("a-1"), policy("a-1", flag=True), op="update", changed={POLICY: "update"}
    )
    found = told(one, row(Explicit(regions=RegionSet.of("a-1"), enforce_in_transit=True), stored("a-1")))

    assert found is not None
    assert (found.kind, found.live, found.desired) == ("in-transit", policy("a-1"), policy("a-1", flag=True))


def test_what_is_not_evaluated_says_why() -> None:
    found = told(seen(policy("a-1"), policy("a-1")), row(Inherit(), Unavailable(reason="PERMISSION_DENIED")))

    assert found is not None
    assert (found.kind, found.live, found.hedgerow, found.note) == (
        Kind.UNDECIDED,
        policy("a-1"),
        "nothing",
        "not evaluated: PERMISSION_DENIED",
    )


def test_what_is_exempt_is_no_drift() -> None:
    planned = row(Explicit(regions=RegionSet.of("a-1", "c-1")), stored("a-1", "c-1"))
    exemption = Exemption(topics=(ORDERS,), rule="r", reason="r", owner="o", expires=date(2027, 3, 31), origin=HERE)
    decision = Decision(resolution=Resolution.REPORT, exemption=exemption)
    found = told(seen(policy("a-1", "c-1"), policy("a-1", "c-1")), replace(planned, decision=decision))

    assert found is not None
    assert (found.hedgerow, found.note, found.counts) == ("nothing", "exempt until 2027-03-31 (o)", False)


@pytest.mark.parametrize(("region", "standing", "counts"), [("a-1", "allowed", False), ("c-1", "disallowed", True)])
def test_somebody_elses_policy_is_nobodys_to_write(region: str, standing: str, counts: bool) -> None:
    found = told(seen(policy(region), policy(region)), row(Unmanaged(), stored(region)))

    assert found is not None
    assert (found.kind, found.desired, found.note, found.counts) == (
        Kind.UNMANAGED,
        None,
        f"somebody else owns the policy, which is {standing}; neither writes it",
        counts,
    )


def test_where_everything_is_allowed_but_something_that_is_what_is_desired() -> None:
    everything = replace(ALLOWED.live, allowed=RegionBounds.exactly(~RegionSet.of("c-1")))
    spec = TopicSpec(name=ORDERS, policy=Inherit(), origin=HERE, policy_origin=HERE)
    drift = compare(
        ORDERS, spec, LiveTopic(name=ORDERS, policy=stored("c-1")), ProjectPolicy(live=everything), CATALOGUE
    )
    found = told(seen(policy("c-1"), policy("c-1")), Row(drift=drift, decision=Decision(resolution=Resolution.REPORT)))

    assert found is not None
    assert found.desired == {"allowedPersistenceRegions": {"allBut": ["c-1"]}, "enforceInTransit": False}


@pytest.mark.parametrize(
    ("one", "note"),
    [(seen(None, None, op="create"), None), (seen(policy("a-1"), None, op="create"), "it was deleted past Pulumi")],
)
def test_an_absent_topic_is_pulumis_to_create(one: Observed, note: str | None) -> None:
    assert told(one, row(Inherit(), None, there=False)) == Difference(
        topic=ORDERS, kind=Kind.ABSENT, pulumi="create", note=note
    )


def test_a_live_topic_that_pulumi_does_not_know_cannot_be_created() -> None:
    assert told(seen(None, None, op="create"), None) == Difference(
        topic=ORDERS,
        kind="unadopted",
        pulumi="create",
        note="it is live and not in the Pulumi stack, so creating it fails: hedgerow pulumi adopt",
    )


def test_a_topic_to_be_taken_over_shows_its_drift_as_well() -> None:
    one = seen(None, None, op="import")
    found = differences([one], {ORDERS: row(Inherit(), stored("c-1"))}, [ORDERS])

    assert [(each.property, each.kind, each.pulumi, each.note) for each in found] == [
        ("", "unadopted", "import", None),
        (POLICY, Kind.MIXED, "nothing", None),
    ]


def test_a_topic_that_nothing_declares_any_more_would_be_deleted() -> None:
    assert told(seen(policy("a-1"), policy("a-1"), op="delete"), None) == Difference(
        topic=ORDERS,
        kind="undeclared",
        pulumi="delete",
        note="Pulumi would delete it: declare it again, or see docs/pulumi.md for how a topic is given up",
    )


def test_a_declared_topic_of_which_pulumi_says_nothing_is_told() -> None:
    found = differences([], {}, [ORDERS])

    assert found == (
        Difference(
            topic=ORDERS,
            kind="unseen",
            note="the preview says nothing about it: does the program declare this stack?",
        ),
    )


def test_every_other_field_is_pulumis() -> None:
    one = Observed(
        topic=ORDERS,
        urn=urn("orders"),
        remembered={"labels": {"a": "b"}, "kmsKeyName": "k", "computed": 1},
        live={"labels": {"a": "c"}, "kmsKeyName": "k", "computed": 2},
        declared={"labels": {"a": "b"}, "kmsKeyName": "l"},
        op="update",
        changed={"labels.a": "update", "kmsKeyName": "update"},
    )

    assert differences([one], {}, [ORDERS]) == (
        Difference(
            topic=ORDERS,
            property="computed",
            kind="remembered",
            remembered=1,
            live=2,
            note="Pulumi takes it as it is",
            counts=False,
        ),
        Difference(
            topic=ORDERS,
            property="kmsKeyName",
            kind="pending",
            remembered="k",
            live="k",
            desired="l",
            pulumi="update",
        ),
        Difference(
            topic=ORDERS,
            property="labels",
            kind="out-of-band",
            remembered={"a": "b"},
            live={"a": "c"},
            desired={"a": "b"},
            pulumi="update",
        ),
    )
