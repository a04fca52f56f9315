"""What a program declares for each way to write a storage policy, and that it is what the reconciler wants."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import permutations

import pytest

from reconciler.model import (
    DeclaredPolicy,
    Exemption,
    Exemptions,
    Explicit,
    Fleet,
    Inherit,
    Origin,
    PulumiSettings,
    RegionSet,
    Stack,
    StoragePolicy,
    TopicName,
    TopicSpec,
    Unmanaged,
    Within,
)
from reconciler.orgpolicy import Catalogue, EffectivePolicy, RegionBounds
from reconciler.pulumi import DeclaredTopic, declare
from reconciler.reconcile import desired

HERE = Origin("topics.yaml", ("topics", 0))
NAME = TopicName("acme-orders", "orders")
CATALOGUE = Catalogue(
    as_of="2026-11-30",
    regions=RegionSet.of("europe-west1", "europe-west3", "europe-west4", "us-east1"),
    groups={"eu-core-locations": RegionBounds.exactly(RegionSet.of("europe-west1", "europe-west3"))},
)
EUROPE = RegionSet.of("europe-west1", "europe-west4")
POLICY = EffectivePolicy(project=NAME.project, allowed=RegionBounds.exactly(EUROPE), in_transit=False)


def spec(policy: DeclaredPolicy) -> TopicSpec:
    return TopicSpec(name=NAME, policy=policy, origin=HERE, policy_origin=HERE)


def fleet(*topics: TopicSpec) -> Fleet:
    stack = Stack(
        name="demo",
        folder="stacks/demo",
        organization="organizations/1",
        policy_source="organization.yaml",
        projects=(NAME.project,),
        origin=Origin("stack.yaml"),
    )
    return Fleet.of(stack, topics)


def declared(policy: DeclaredPolicy, allowed: EffectivePolicy = POLICY) -> StoragePolicy | None:
    (topic,) = declare(fleet(spec(policy)), {NAME.project: allowed}, CATALOGUE)
    return topic.storage_policy


def test_an_inherited_policy_is_left_out() -> None:
    assert declared(Inherit()) is None


def test_an_inherited_policy_is_left_out_even_where_in_transit_enforcement_is_required() -> None:
    assert declared(Inherit(), replace(POLICY, in_transit=True)) is None


def test_an_unmanaged_policy_is_left_out() -> None:
    assert declared(Unmanaged()) is None


def test_an_explicit_policy_is_declared_as_written() -> None:
    assert declared(Explicit(regions=EUROPE, enforce_in_transit=True)) == StoragePolicy(
        regions=EUROPE, enforce_in_transit=True
    )


@pytest.mark.parametrize("required", [True, False])
def test_an_explicit_policy_without_the_flag_is_declared_with_what_the_organization_requires(required: bool) -> None:
    assert declared(Explicit(regions=EUROPE), replace(POLICY, in_transit=required)) == StoragePolicy(
        regions=EUROPE, enforce_in_transit=required
    )


def test_groups_are_declared_as_the_allowed_regions_within_them() -> None:
    assert declared(Within(groups=("in:eu-core-locations",))) == StoragePolicy(regions=RegionSet.of("europe-west1"))


def test_the_order_of_regions_changes_nothing() -> None:
    orders = permutations(["europe-west1", "europe-west4", "europe-west3"])
    allowed = EffectivePolicy.unrestricted(NAME.project)
    rendered = {
        tuple(policy.regions)
        for order in orders
        if (policy := declared(Explicit(regions=RegionSet.of(*order)), allowed))
    }
    assert rendered == {("europe-west1", "europe-west3", "europe-west4")}


@pytest.mark.parametrize(
    "policy",
    [
        Explicit(regions=EUROPE),
        Explicit(regions=RegionSet.of("europe-west4"), enforce_in_transit=True),
        Within(groups=("in:eu-core-locations",), enforce_in_transit=True),
    ],
)
def test_what_is_declared_is_what_the_reconciler_wants(policy: DeclaredPolicy) -> None:
    wanted = desired(spec(policy), POLICY, CATALOGUE)
    assert wanted is not None
    assert declared(policy) == wanted.storage_policy(CATALOGUE.regions)


def test_a_policy_that_is_not_allowed_is_never_declared() -> None:
    with pytest.raises(ValueError, match="it declares us-east1, which the organization's policy does not allow"):
        declared(Explicit(regions=RegionSet.of("us-east1")))


def test_a_topic_is_declared_with_its_labels_and_other_fields() -> None:
    entry = replace(spec(Inherit()), labels={"team": "orders"}, fields={"messageRetentionDuration": "86400s"})
    assert declare(fleet(entry), {NAME.project: POLICY}, CATALOGUE) == (
        DeclaredTopic(name=NAME, labels={"team": "orders"}, fields={"messageRetentionDuration": "86400s"}),
    )


def test_a_topic_that_may_be_deleted_or_replaced_is_expendable_and_no_other() -> None:
    names = [TopicName("acme-orders", name) for name in ("deleted", "kept", "replaced")]
    topics = [replace(spec(Inherit()), name=name) for name in names]
    settings = PulumiSettings(may_delete={names[0]: HERE}, may_replace={names[2]: HERE})
    whole = replace(fleet(*topics), stack=replace(fleet().stack, pulumi=settings))

    assert [topic.expendable for topic in declare(whole, {NAME.project: POLICY}, CATALOGUE)] == [True, False, True]


def test_a_topic_that_is_live_is_imported_where_that_is_asked_for() -> None:
    whole = fleet(spec(Inherit()))

    assert [topic.imported for topic in declare(whole, {NAME.project: POLICY}, CATALOGUE)] == [False]
    (taken,) = declare(whole, {NAME.project: POLICY}, CATALOGUE, existing=[NAME])
    assert taken.imported


def exempted_from(rule: str) -> Exemptions:
    exemption = Exemption(
        topics=(NAME,), rule=rule, reason="r", owner="o", expires=date(2027, 3, 31), origin=Origin("e.yaml")
    )
    return Exemptions.in_force([exemption], date(2026, 11, 30))


def exempt(policy: DeclaredPolicy, rule: str, allowed: EffectivePolicy = POLICY) -> StoragePolicy | None:
    (topic,) = declare(fleet(spec(policy)), {NAME.project: allowed}, CATALOGUE, exemptions=exempted_from(rule))
    return topic.storage_policy


def test_an_exempt_topic_is_declared_with_the_regions_that_it_lists() -> None:
    regions = RegionSet.of("europe-west1", "us-east1")

    assert exempt(Explicit(regions=regions), "region-not-allowed") == StoragePolicy(regions=regions)


def test_a_topic_exempted_from_enforcement_is_declared_without_it() -> None:
    required = replace(POLICY, in_transit=True)
    listed = Explicit(regions=EUROPE, enforce_in_transit=False)
    grouped = Within(groups=("in:eu-core-locations",), enforce_in_transit=False)

    assert exempt(listed, "in-transit-required", required) == StoragePolicy(regions=EUROPE)
    assert exempt(grouped, "in-transit-required", required) == StoragePolicy(regions=RegionSet.of("europe-west1"))
    assert exempt(replace(listed, enforce_in_transit=None), "in-transit-required", required) == StoragePolicy(
        regions=EUROPE, enforce_in_transit=True
    )


def test_the_server_owns_the_regions_of_an_exempt_topic_that_inherits() -> None:
    assert exempt(Inherit(), "region-not-allowed") is None


def test_a_policy_without_a_region_cannot_be_declared() -> None:
    with pytest.raises(ValueError, match="a storage policy without a region is never declared") as caught:
        DeclaredTopic(name=NAME, storage_policy=StoragePolicy(regions=RegionSet()))
    assert str(caught.value) == (
        "`projects/acme-orders/topics/orders`: a storage policy without a region is never declared; leave it out"
    )
