"""Fleets, policies and findings for the tests of rules on topics."""

from __future__ import annotations

from collections.abc import Sequence

from reconciler.model import DeclaredPolicy, Explicit, Fleet, Inherit, Origin, RegionSet, Stack, TopicName, TopicSpec
from reconciler.orgpolicy import Catalogue, EffectivePolicy, RegionBounds, evaluate, parse_policy
from reconciler.rules import Finding

STACK = Stack(
    name="production",
    folder="stacks/production",
    organization="organizations/1",
    policy_source="live",
    projects=("acme-billing", "acme-lab", "acme-orders"),
    origin=Origin("stack.yaml"),
)

CATALOGUE = Catalogue(
    as_of="2026-10-27",
    regions=RegionSet.of(
        "europe-west1", "europe-west2", "europe-west3", "europe-west4", "europe-west8", "us-east1", "us-east7"
    ),
    groups={
        "eu-locations": RegionBounds.exactly(
            RegionSet.of("europe-west1", "europe-west3", "europe-west4", "europe-west8")
        ),
        "us-locations": RegionBounds(RegionSet.of("us-east1"), RegionSet.of("us-east1", "us-east7")),
    },
    multi_regions=frozenset({"us", "global"}),
)

DEFAULTS = Origin("defaults.yaml", ("defaults", "messageStoragePolicy"))


def topic(name: str, policy: DeclaredPolicy | None = None, *, default: Origin | None = None) -> TopicSpec:
    """A topic `PROJECT/TOPIC`, whose policy stands in its own entry or in a default."""
    project, _, topic_id = name.partition("/")
    origin = Origin(f"{project}.yaml", ("topics", 0))
    return TopicSpec(
        name=TopicName(project, topic_id),
        policy=policy or Inherit(),
        origin=origin,
        policy_origin=default or origin.at("messageStoragePolicy"),
    )


def explicit(*regions: str, enforce: bool | None = None) -> Explicit:
    return Explicit(regions=RegionSet.of(*regions), enforce_in_transit=enforce)


def fleet(*topics: TopicSpec) -> Fleet:
    return Fleet.of(STACK, topics)


def allowing(
    *values: str, project: str = "acme-orders", denied: Sequence[str] = (), in_transit: bool | None = False
) -> EffectivePolicy:
    """The effective policy of a project under one policy at a folder."""
    spec = {"rules": [{"values": {"allowedValues": list(values), "deniedValues": list(denied)}}]}
    policies = [parse_policy({"name": "folders/456/policies/gcp.resourceLocations", "spec": spec})]
    rules = [{"enforce": in_transit}] if in_transit is not None else [{"allowAll": True}]
    flags = [
        parse_policy({"name": "organizations/1/policies/pubsub.enforceInTransitRegions", "spec": {"rules": rules}})
    ]
    return evaluate(project, policies, flags, CATALOGUE)


def text(finding: Finding) -> str:
    """A finding as a report prints it, but for the position."""
    lines = [f"{finding.severity}: {finding.message}  [{finding.code}]"]
    lines += [f"  {detail}" for detail in finding.details]
    lines += [f"  hint: {finding.hint}"]
    return "\n".join(lines)
