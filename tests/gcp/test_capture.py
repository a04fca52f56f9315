"""Capturing an organization through the official clients: each node once, and nothing unread taken for nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from reconciler.errors import CallFailed
from reconciler.gcp import Connection, capture
from reconciler.gcp.remedies import POLICIES, unavailable
from reconciler.model import Endpoints
from reconciler.orgpolicy import Resource, Snapshot
from reconciler.reconcile import Unavailable
from reconciler.sandbox import Fault, Sandbox, World
from reconciler.spec import load_catalogue

pytestmark = pytest.mark.network

ORGANIZATION, FOLDER = "organizations/123456789012", "folders/456"
PROJECTS = tuple(f"acme-{name}" for name in ("billing", "lab", "orders"))
TREE = (
    Resource(name=ORGANIZATION, display_name="acme.example"),
    Resource(name=FOLDER, parent=ORGANIZATION, display_name="europe", tags={"123456789012/region": "eu"}),
    *(Resource(name=f"projects/{one}", parent=FOLDER, number=f"11{n}") for n, one in enumerate(PROJECTS, 1)),
)


@pytest.fixture
def box() -> Iterator[Sandbox]:
    world = World(catalogue=load_catalogue())
    world.load_snapshot(Snapshot(organization=ORGANIZATION, resources={one.name: one for one in TREE}))
    world.set_policy(
        {
            "name": f"{FOLDER}/policies/gcp.resourceLocations",
            "spec": {"rules": [{"values": {"allowedValues": ["in:europe-west4-locations", "europe-west1"]}}]},
        }
    )
    world.set_policy(
        {"name": f"{FOLDER}/policies/compute.skipDefaultNetworkCreation", "spec": {"rules": [{"enforce": True}]}}
    )
    with Sandbox(world) as running:
        yield running


def link(box: Sandbox, **settings: float) -> Connection:
    ends = box.environment()
    endpoints = Endpoints(
        org_policy=ends["HEDGEROW_ORG_POLICY_ENDPOINT"], resource_manager=ends["HEDGEROW_RESOURCE_MANAGER_ENDPOINT"]
    )
    return Connection(endpoints=endpoints, retry_budget=settings.get("retry_budget", 5.0))


def test_the_tree_comes_from_the_organization_down_with_ids_numbers_and_own_tags(box: Sandbox) -> None:
    found = capture(PROJECTS[2:], link(box))

    assert found.resources == [
        {"name": ORGANIZATION, "displayName": "acme.example", "tags": {}},
        {
            "name": FOLDER,
            "parent": ORGANIZATION,
            "displayName": "europe",
            "tags": {"123456789012/region": "eu"},
        },
        {"name": "projects/acme-orders", "number": "113", "parent": FOLDER, "tags": {}},
    ]
    assert (found.unread, found.tags_unread) == ({}, {})


def test_policies_are_those_of_the_two_constraints_sorted_and_without_bookkeeping(box: Sandbox) -> None:
    found = capture(PROJECTS[2:], link(box))

    assert found.policies == [
        {
            "name": f"{FOLDER}/policies/gcp.resourceLocations",
            "spec": {
                "rules": [
                    {"values": {"allowedValues": ["in:europe-west1-locations", "in:europe-west4-locations"]}},
                ]
            },
        }
    ]
    assert [body["name"] for body in found.effective] == [
        "projects/acme-orders/policies/gcp.resourceLocations",
        "projects/acme-orders/policies/pubsub.enforceInTransitRegions",
    ]


def test_every_node_is_read_once_however_many_projects_stand_below_it(box: Sandbox) -> None:
    capture(PROJECTS, link(box))

    calls = Counter((entry.method, entry.resource) for entry in box.log.requests)
    assert set(calls.values()) == {1}
    assert Counter(method for method, _ in calls) == {
        "GetProject": 3,
        "GetFolder": 1,
        "GetOrganization": 1,
        "ListEffectiveTags": 5,
        "ListPolicies": 5,
        "GetEffectivePolicy": 6,
    }


def test_what_passes_by_itself_is_tried_again_within_the_budget(box: Sandbox) -> None:
    box.faults.add(Fault(method="ListPolicies", error="UNAVAILABLE", times=2))

    assert len(capture(PROJECTS, link(box)).policies) == 1


def test_what_stays_throttled_is_named_with_a_way_out(box: Sandbox) -> None:
    box.faults.add(Fault(method="GetEffectivePolicy", resource="projects/acme-lab*", error="RESOURCE_EXHAUSTED"))

    found = capture(PROJECTS, link(box, retry_budget=0.3))

    assert list(found.unread) == ["projects/acme-lab"]
    assert found.unread["projects/acme-lab"].hint == (
        "wait a minute and run again, or have another project pay: `reconcile.quotaProject` in stack.yaml"
    )
    assert [body["name"] for body in found.effective if "acme-lab" in body["name"]] == []


def test_a_folder_that_may_not_be_read_ends_the_way_up_and_is_named(box: Sandbox) -> None:
    box.world.deny(FOLDER, "resourcemanager", "no")

    found = capture(PROJECTS[:1], link(box))

    assert found.unread == {
        FOLDER: Unavailable(
            reason="the resource could not be read: PERMISSION_DENIED: no",
            hint="the caller needs the right to get it in Resource Manager",
        )
    }
    assert [one["name"] for one in found.resources] == ["projects/acme-billing"]


def test_tags_that_may_not_be_read_are_unknown_rather_than_none(box: Sandbox) -> None:
    box.faults.add(Fault(method="ListEffectiveTags", resource="folders/456", error="PERMISSION_DENIED", message="no"))

    found = capture(PROJECTS[:1], link(box))

    assert found.unread == {}
    assert found.tags_unread == {
        FOLDER: Unavailable(
            reason="the tags could not be read: PERMISSION_DENIED: no",
            hint="the caller needs roles/resourcemanager.tagViewer",
        )
    }
    assert [("tags" in one) for one in found.resources] == [True, False, True]


def test_a_tag_of_a_project_comes_with_its_ids(box: Sandbox) -> None:
    keys = capture(PROJECTS[:1], link(box)).tag_keys

    (key,) = keys.values()
    assert list(keys) == ["123456789012/region"]
    assert key["id"].startswith("tagKeys/")
    assert list(key["values"]) == ["eu"]


def test_a_missing_quota_project_is_never_taken_for_no_policy(box: Sandbox) -> None:
    box.faults.add(
        Fault(
            method="ListPolicies",
            error="PERMISSION_DENIED",
            message="Your application is authenticating by using local Application Default Credentials. The "
            "orgpolicy.googleapis.com API requires a quota project, which is not set by default.",
        )
    )

    found = capture(PROJECTS[:1], link(box))

    assert {why.hint for why in found.unread.values()} == {
        "set `reconcile.quotaProject` in stack.yaml to a project that has this API enabled"
    }


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("PERMISSION_DENIED", f"the caller needs {POLICIES.needs}"),
        ("NOT_FOUND", "correct the project in `projects` of stack.yaml"),
        ("UNAVAILABLE", "check the endpoint and the network, then run again"),
        ("DEADLINE_EXCEEDED", "check the endpoint and the network, then run again"),
        ("INTERNAL", "run again; if it persists, read the API's message"),
    ],
)
def test_each_failure_has_its_way_out(code: str, hint: str) -> None:
    assert unavailable(CallFailed(code, "no", is_transient=False), POLICIES) == Unavailable(
        reason=f"the organization policy could not be read: {code}: no", hint=hint
    )


def test_a_failure_that_knows_better_keeps_its_own_hint() -> None:
    error = CallFailed("PERMISSION_DENIED", "no", is_transient=False, hint="the caller needs `a.b.c`")

    assert unavailable(error, replace(POLICIES, what="it")).hint == "the caller needs `a.b.c`"
