"""Policies and a small world of regions for the tests of organization policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reconciler.model import RegionSet
from reconciler.orgpolicy import (
    ENFORCE_IN_TRANSIT,
    RESOURCE_LOCATIONS,
    Catalogue,
    EffectivePolicy,
    Policy,
    RegionBounds,
    Tags,
    evaluate,
    parse_policy,
)

ORGANIZATION = "organizations/1"
FOLDER = "folders/4"
PROJECT = "projects/acme-orders"

EU = RegionSet.of("europe-west1", "europe-west4")
US = RegionSet.of("us-east1", "us-central1")

CATALOGUE = Catalogue(
    as_of="2026-10-27",
    regions=EU | US | RegionSet.of("europe-west2", "us-east7"),
    groups={
        "eu-locations": RegionBounds.exactly(EU),
        "us-locations": RegionBounds(US, US | RegionSet.of("us-east7")),
    },
    multi_regions=frozenset({"us", "eu", "global", "europe-west"}),
)


def locations(node: str, *rules: Mapping[str, Any], **spec: Any) -> Policy:
    """A v2 policy for the location constraint."""
    return parse_policy({"name": f"{node}/policies/{RESOURCE_LOCATIONS}", "spec": {"rules": list(rules), **spec}})


def in_transit(node: str, *rules: Mapping[str, Any], **spec: Any) -> Policy:
    """A v2 policy for the in-transit constraint."""
    return parse_policy({"name": f"{node}/policies/{ENFORCE_IN_TRANSIT}", "spec": {"rules": list(rules), **spec}})


def allow(*values: str, **more: Any) -> dict[str, Any]:
    return {"values": {"allowedValues": list(values)}, **more}


def deny(*values: str, **more: Any) -> dict[str, Any]:
    return {"values": {"deniedValues": list(values)}, **more}


def effective(
    *nearest_first: Policy,
    flags: Sequence[Policy] = (),
    catalogue: Catalogue = CATALOGUE,
    tags: Tags | None = None,
) -> EffectivePolicy:
    if tags is None:
        return evaluate("acme-orders", nearest_first, flags, catalogue)
    return evaluate("acme-orders", nearest_first, flags, catalogue, tags)


def exactly(*regions: str) -> RegionBounds:
    return RegionBounds.exactly(RegionSet.of(*regions))
