"""A small organization, requests, and whole error texts, for every test of the sandbox."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import google.pubsub_v1.types as pubsub
import pytest
from google.cloud import orgpolicy_v2, resourcemanager_v3

from reconciler.model import RegionSet, StoragePolicy
from reconciler.orgpolicy import Resource, Snapshot
from reconciler.sandbox import ApiError, Call, World
from reconciler.sandbox.methods import Method
from reconciler.sandbox.surface import METHODS
from reconciler.spec.catalogue import load_catalogue

ORGANIZATION = "organizations/123456789012"
FOLDER = "folders/456"
PROJECT = "projects/acme-orders"
NUMBER = "111111111111"
TOPIC = f"{PROJECT}/topics/orders"

LOCATIONS = "gcp.resourceLocations"
IN_TRANSIT = "pubsub.enforceInTransitRegions"

DIRECT = Call()

WAY_OUT = (
    "The organization policy may be updated by your project or organization administrator. See "
    "https://console.cloud.google.com/iam-admin/orgpolicies/gcp-resourceLocations?project={}."
)
WAIT = (
    "you may need to wait a few minutes for the project's organization policy to be properly initialized, and then "
    "retry this operation."
)


def organization() -> Snapshot:
    """An organization with one folder, a project inside it and one beside it, and no policy."""
    resources = (
        Resource(name=ORGANIZATION, display_name="acme.example"),
        Resource(name=FOLDER, parent=ORGANIZATION, display_name="europe"),
        Resource(name=PROJECT, parent=FOLDER, number=NUMBER),
        Resource(name="projects/acme-lab", parent=ORGANIZATION),
    )
    return Snapshot(organization=ORGANIZATION, resources={resource.name: resource for resource in resources})


def new_world(**settings: Any) -> World:
    world = World(catalogue=load_catalogue(), **settings)
    world.load_snapshot(organization())
    return world


def allow_only(world: World, *values: str, on: str = FOLDER) -> None:
    rule = {"values": {"allowedValues": list(values)}} if values else {"denyAll": True}
    world.set_policy({"name": f"{on}/policies/{LOCATIONS}", "spec": {"rules": [rule]}})


def enforce_in_transit(world: World, *, on: str = FOLDER) -> None:
    world.set_policy({"name": f"{on}/policies/{IN_TRANSIT}", "spec": {"rules": [{"enforce": True}]}})


def storage(*regions: str, in_transit: bool = False) -> StoragePolicy:
    return StoragePolicy(regions=RegionSet.of(*regions), enforce_in_transit=in_transit)


def raw(kind: str, **fields: Any) -> Any:
    """A raw protobuf request of Pub/Sub."""
    return getattr(pubsub, kind).pb()(**fields)


def raw_policy(kind: str, **fields: Any) -> Any:
    """A raw protobuf request of Organization Policy."""
    return getattr(orgpolicy_v2, kind).pb()(**fields)


def raw_resource(kind: str, **fields: Any) -> Any:
    """A raw protobuf request of Resource Manager."""
    return getattr(resourcemanager_v3, kind).pb()(**fields)


def topic(name: str = TOPIC, **fields: Any) -> Any:
    return raw("Topic", name=name, **fields)


def policy_message(*regions: str, in_transit: bool = False) -> Any:
    return raw("MessageStoragePolicy", allowed_persistence_regions=regions, enforce_in_transit=in_transit)


def method(name: str) -> Method:
    return next(found for found in METHODS if found.name == name)


def refusal(call: Callable[[], Any]) -> tuple[str, str]:
    """The code and the whole text of the refusal that a call ends in."""
    with pytest.raises(ApiError) as caught:
        call()
    return caught.value.code.name, caught.value.message


def not_allowed(*regions: str, number: str = NUMBER) -> str:
    return (
        "The requested message storage policy contains the following GCP regions that are not allowed by the "
        f"project's organization policy: {', '.join(regions)}. {WAY_OUT.format(number)} If the project was recently "
        f"created, {WAIT}"
    )


def nothing_allowed(name: str = TOPIC) -> str:
    return (
        f"The topic {name} cannot be created or updated due to an organization policy specified at the project or "
        "organization level. The organization policy does not allow message storage in any GCP region where Cloud "
        f"Pub/Sub is present. {WAY_OUT.format(name.split('/')[1])} If the topic's project was recently created, {WAIT}"
    )
