"""Small worlds for the reconcile tests: four known regions, and policies over them."""

from __future__ import annotations

from itertools import combinations

from reconciler.model import (
    ALL_REGIONS,
    DeclaredPolicy,
    LiveTopic,
    Origin,
    RegionSet,
    Resolution,
    Resolutions,
    StoragePolicy,
    TopicName,
    TopicSpec,
)
from reconciler.orgpolicy import Catalogue, EffectivePolicy, RegionBounds
from reconciler.reconcile import Decision, Drift, ProjectPolicy, compare, resolve

REGIONS = ("europe-north1", "europe-west1", "europe-west4", "us-east1")
KNOWN = RegionSet.of(*REGIONS)
SUBSETS = tuple(frozenset(chosen) for size in range(5) for chosen in combinations(REGIONS, size))
GROUPS = {f"group{index}": RegionBounds.exactly(RegionSet(subset)) for index, subset in enumerate(SUBSETS)}
CATALOGUE = Catalogue(as_of="2026-10-27", regions=KNOWN, groups=GROUPS)
NAME = TopicName("acme-orders-prod", "orders")
ORIGIN = Origin("topics/orders.yaml", ("topics", 0))


def every(resolution: Resolution) -> Resolutions:
    """The same resolution for every kind of drift, in-transit enforcement only reported."""
    return Resolutions(
        disallowed=resolution,
        missing=resolution,
        mixed=resolution,
        spec=resolution,
        empty=resolution,
        in_transit=Resolution.REPORT,
    )


def spec(policy: DeclaredPolicy, resolutions: Resolutions | None = None) -> TopicSpec:
    return TopicSpec(
        name=NAME, policy=policy, resolutions=resolutions or Resolutions(), origin=ORIGIN, policy_origin=ORIGIN
    )


def stored(regions: frozenset[str] | tuple[str, ...] | None, flag: bool = False) -> StoragePolicy | None:
    return None if regions is None else StoragePolicy(regions=RegionSet.from_names(regions), enforce_in_transit=flag)


def live(policy: StoragePolicy | None) -> LiveTopic:
    return LiveTopic(name=NAME, policy=policy)


def allowing(regions: frozenset[str] | tuple[str, ...] | None, required: bool | None = False) -> ProjectPolicy:
    """A policy that allows exactly these regions, or all for `None`."""
    allowed = ALL_REGIONS if regions is None else RegionSet.from_names(regions)
    return between(allowed, allowed, required)


def between(certain: RegionSet, possible: RegionSet, required: bool | None = False) -> ProjectPolicy:
    return ProjectPolicy(
        live=EffectivePolicy(project=NAME.project, allowed=RegionBounds(certain, possible), in_transit=required)
    )


def outcome(topic: TopicSpec, policy: StoragePolicy | None, allowed: ProjectPolicy) -> tuple[Drift, Decision]:
    drift = compare(NAME, topic, live(policy), allowed, CATALOGUE)
    return drift, resolve(drift, topic.resolutions, CATALOGUE)
