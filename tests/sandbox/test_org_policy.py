from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.json_format import MessageToDict, ParseDict

from reconciler.model import RegionSet
from reconciler.orgpolicy import Policy, Rule, from_answer, parse_policy
from reconciler.sandbox import World
from reconciler.sandbox.org_policy import (
    create_policy,
    delete_policy,
    get_effective_policy,
    get_policy,
    list_policies,
    update_policy,
)
from reconciler.sandbox.publisher import create_topic
from reconciler.spec.catalogue import load_catalogue
from tests.sandbox.builders import (
    DIRECT,
    FOLDER,
    IN_TRANSIT,
    LOCATIONS,
    NUMBER,
    ORGANIZATION,
    PROJECT,
    TOPIC,
    allow_only,
    enforce_in_transit,
    new_world,
    organization,
    raw_policy,
    refusal,
    storage,
    topic,
)

NAME = f"{FOLDER}/policies/{LOCATIONS}"


def policy(name: str = NAME, **body: Any) -> Any:
    return ParseDict({"name": name, **body}, raw_policy("Policy"))


def values(*allowed: str, **more: Any) -> dict[str, Any]:
    return {"rules": [{"values": {"allowedValues": list(allowed)}, **more}]}


def create(world: World, message: Any, parent: str = FOLDER) -> Any:
    return create_policy(world, raw_policy("CreatePolicyRequest", parent=parent, policy=message), DIRECT)


def update(world: World, message: Any, *paths: str) -> Any:
    request = raw_policy("UpdatePolicyRequest", policy=message, update_mask=FieldMask(paths=paths))
    return update_policy(world, request, DIRECT)


def read(world: World, name: str = NAME) -> dict[str, Any]:
    body: dict[str, Any] = MessageToDict(get_policy(world, raw_policy("GetPolicyRequest", name=name), DIRECT))
    return body


def effective(world: World, resource: str = PROJECT, constraint: str = LOCATIONS) -> dict[str, Any]:
    request = raw_policy("GetEffectivePolicyRequest", name=f"{resource}/policies/{constraint}")
    body: dict[str, Any] = MessageToDict(get_effective_policy(world, request, DIRECT))
    return body


def live_policy(world: World, name: str = TOPIC) -> Any:
    found = world.topic(name)
    assert found is not None
    return found.policy


def test_values_are_normalized_as_they_are_written(world: World) -> None:
    create(world, policy(spec=values("us-east1", "eu-locations", "in:de-locations", "us-east1-b", "us", "is:eu")))
    assert read(world)["spec"]["rules"] == [
        {
            "values": {
                "allowedValues": [
                    "in:us-east1-locations", "in:eu-locations", "in:de-locations", "us-east1-b", "us", "is:eu",
                ]
            }
        }
    ]  # fmt: skip


@pytest.mark.parametrize("value", ["in:benelux-locations", "benelux-locations"])
def test_group_that_does_not_exist_fails_the_change(world: World, value: str) -> None:
    assert refusal(lambda: create(world, policy(spec=values(value)))) == (
        "INVALID_ARGUMENT",
        "The value group 'in:benelux-locations' does not exist.",
    )
    assert refusal(lambda: read(world)) == ("NOT_FOUND", f"No policy is set: {NAME}.")


def test_body_that_breaks_the_format_is_refused(world: World) -> None:
    message = policy(spec={"reset": True, "inheritFromParent": True})
    assert refusal(lambda: create(world, message)) == (
        "INVALID_ARGUMENT",
        "`reset` stands alone: no rules, no `inheritFromParent`.",
    )


def test_project_policy_is_set_by_id_and_named_by_number(world: World) -> None:
    created = create(world, policy(f"{PROJECT}/policies/{LOCATIONS}", spec=values("us-west1")), PROJECT)
    assert created.name == f"projects/{NUMBER}/policies/{LOCATIONS}"
    assert read(world, f"projects/{NUMBER}/policies/{LOCATIONS}") == read(world, f"{PROJECT}/policies/{LOCATIONS}")


def test_second_creation_is_refused(world: World) -> None:
    create(world, policy(spec=values("us-west1")))
    assert refusal(lambda: create(world, policy(spec=values("us-east1")))) == (
        "ALREADY_EXISTS",
        f"A policy is already set: {NAME}.",
    )


def test_update_overwrites_the_whole_policy(world: World) -> None:
    create(world, policy(spec=values("us-west1"), dryRunSpec=values("us-east1")))
    answer = MessageToDict(update(world, policy(spec=values("us-east4"))))
    assert answer["spec"]["rules"] == values("in:us-east4-locations")["rules"]
    assert "dryRunSpec" not in answer


def test_mask_confines_an_update_to_one_spec(world: World) -> None:
    create(world, policy(spec=values("us-west1")))
    answer = MessageToDict(update(world, policy(dryRunSpec=values("us-east4")), "policy.dry_run_spec"))
    assert answer["spec"]["rules"] == values("in:us-west1-locations")["rules"]
    assert answer["dryRunSpec"]["rules"] == values("in:us-east4-locations")["rules"]


def test_update_with_an_old_etag_is_aborted(world: World) -> None:
    first = create(world, policy(spec=values("us-west1")))
    second = update(world, policy(spec=values("us-east1"), etag=first.etag))
    assert second.etag != first.etag
    assert refusal(lambda: update(world, policy(spec=values("us-east4"), etag=first.etag))) == (
        "ABORTED",
        "The policy was changed since it was read: the etag does not match.",
    )


def test_update_where_nothing_is_set_is_refused(world: World) -> None:
    assert refusal(lambda: update(world, policy(spec=values("us-east4")))) == (
        "NOT_FOUND",
        f"No policy is set: {NAME}.",
    )


def test_deleted_policy_is_gone(world: World) -> None:
    create(world, policy(spec=values("us-west1")))
    delete_policy(world, raw_policy("DeletePolicyRequest", name=NAME), DIRECT)
    assert refusal(lambda: read(world)) == ("NOT_FOUND", f"No policy is set: {NAME}.")
    assert effective(world)["spec"] == {"rules": [{"allowAll": True}]}


def test_list_names_the_policies_of_the_very_resource(world: World) -> None:
    allow_only(world, "us-west1", on=ORGANIZATION)
    allow_only(world, "us-west1")
    enforce_in_transit(world)
    answer = list_policies(world, raw_policy("ListPoliciesRequest", parent=FOLDER), DIRECT)
    assert [found.name for found in answer.policies] == [NAME, f"{FOLDER}/policies/{IN_TRANSIT}"]


def test_effective_policy_is_expanded_into_regions_zones_and_bare_group_names(world: World) -> None:
    allow_only(world, "in:de-locations", "us", "us-east1-b")
    assert effective(world) == {
        "name": f"projects/{NUMBER}/policies/{LOCATIONS}",
        "spec": {
            "rules": [
                {
                    "values": {
                        "allowedValues": [
                            "de-locations",
                            "europe-west10",
                            "europe-west10-a",
                            "europe-west10-b",
                            "europe-west10-c",
                            "europe-west10-locations",
                            "europe-west3",
                            "europe-west3-a",
                            "europe-west3-b",
                            "europe-west3-c",
                            "europe-west3-locations",
                            "us",
                            "us-east1-b",
                        ]
                    }
                }
            ]
        },
    }


@pytest.mark.parametrize("group", ["in:eu-locations", "in:us-locations", "europe-west1"])
def test_effective_policy_reads_back_as_the_regions_that_topics_get(world: World, group: str) -> None:
    allow_only(world, group)
    create_topic(world, topic(), DIRECT)
    answer = parse_policy({**effective(world), "name": f"{PROJECT}/policies/{LOCATIONS}"})
    understood = from_answer("acme-orders", answer, None, load_catalogue()).allowed
    assert understood.is_decided
    assert understood.certain == live_policy(world).regions


def test_effective_policy_allows_all_where_nothing_is_set_and_none_where_all_is_denied(world: World) -> None:
    assert effective(world)["spec"] == {"rules": [{"allowAll": True}]}
    allow_only(world)
    assert effective(world)["spec"] == {"rules": [{"denyAll": True}]}


def test_effective_in_transit_policy_is_decided(world: World) -> None:
    assert effective(world, constraint=IN_TRANSIT)["spec"] == {"rules": [{"enforce": False}]}
    enforce_in_transit(world)
    assert effective(world, constraint=IN_TRANSIT)["spec"] == {"rules": [{"enforce": True}]}


def test_nearest_policy_replaces_those_above(world: World) -> None:
    allow_only(world, "us-east1", on=ORGANIZATION)
    allow_only(world, "us-west1", on=PROJECT)
    create_topic(world, topic(), DIRECT)
    assert live_policy(world) == storage("us-west1")


def test_rules_on_tags_that_are_not_bound_do_not_apply(world: World) -> None:
    spec = values("us-east1")
    spec["rules"] += values("us-west1", condition={"expression": "resource.matchTag('1/env', 'prod')"})["rules"]
    create(world, policy(spec=spec))
    create_topic(world, topic(), DIRECT)
    assert live_policy(world) == storage("us-east1")
    assert read(world)["spec"]["rules"][1]["condition"] == {"expression": "resource.matchTag('1/env', 'prod')"}


def test_a_condition_on_something_else_than_tags_is_refused(world: World) -> None:
    spec = values("us-east1", condition={"expression": "resource.name == 'x'"})
    assert refusal(lambda: create(world, policy(spec=spec))) == (
        "INVALID_ARGUMENT",
        "The condition resource.name == 'x' says something else than Google's four functions on tags.",
    )


def test_other_constraints_are_kept_but_not_evaluated(world: World) -> None:
    name = f"{FOLDER}/policies/compute.skipDefaultNetworkCreation"
    create(world, policy(name, spec={"rules": [{"enforce": True}]}))
    assert read(world, name)["spec"]["rules"] == [{"enforce": True}]
    assert refusal(lambda: effective(world, constraint="compute.skipDefaultNetworkCreation")) == (
        "UNIMPLEMENTED",
        "The sandbox does not evaluate the constraint compute.skipDefaultNetworkCreation.",
    )


def test_unknown_resource_and_malformed_names_are_refused(world: World) -> None:
    assert refusal(lambda: read(world, f"folders/9/policies/{LOCATIONS}")) == (
        "NOT_FOUND",
        "The resource does not exist: folders/9.",
    )
    assert refusal(lambda: read(world, f"topics/9/policies/{LOCATIONS}")) == (
        "INVALID_ARGUMENT",
        "Invalid resource name: topics/9.",
    )
    assert refusal(lambda: read(world, "folders/9")) == ("INVALID_ARGUMENT", "Invalid policy name: folders/9.")


def test_pubsub_goes_on_with_the_old_policies_for_the_propagation_delay() -> None:
    world = new_world(propagation=timedelta(minutes=2))
    allow_only(world, "us-east1")
    world.clock.advance(timedelta(minutes=3))
    allow_only(world, "us-west1")
    create_topic(world, topic(), DIRECT)
    assert live_policy(world) == storage("us-east1")
    assert "us-west1" in effective(world)["spec"]["rules"][0]["values"]["allowedValues"]
    world.clock.advance(timedelta(minutes=2))
    create_topic(world, topic(f"{TOPIC}-2"), DIRECT)
    assert live_policy(world, f"{TOPIC}-2") == storage("us-west1")


def test_snapshot_policies_read_back_in_v2_form_with_what_they_mean() -> None:
    rules = (
        Rule(number=1, allowed=("in:eu-locations",), denied=("europe-west1",)),
        Rule(number=2, allow_all=True, condition="resource.matchTag('1/env', 'lab')"),
    )
    set_policy = Policy(resource=FOLDER, constraint=LOCATIONS, inherit=True, rules=rules)
    world = World(catalogue=load_catalogue())
    world.load_snapshot(replace(organization(), policies={(FOLDER, LOCATIONS): set_policy}))
    assert parse_policy(read(world)) == set_policy


def test_value_groups_of_a_snapshot_are_known(world: World) -> None:
    world.load_snapshot(replace(organization(), value_groups={"in:benelux-locations": RegionSet.of("europe-west4")}))
    allow_only(world, "in:benelux-locations")
    create_topic(world, topic(), DIRECT)
    assert live_policy(world) == storage("europe-west4")


def test_recorded_answer_decides_until_a_policy_above_the_project_changes() -> None:
    answer = Policy(resource=PROJECT, constraint=LOCATIONS, rules=(Rule(number=1, allowed=("us-west4", "us")),))
    world = World(catalogue=load_catalogue())
    world.load_snapshot(replace(organization(), effective={("acme-orders", LOCATIONS): answer}))
    create_topic(world, topic(), DIRECT)
    assert live_policy(world) == storage("us-west4")
    allow_only(world, "europe-west1")
    create_topic(world, topic(f"{TOPIC}-2"), DIRECT)
    assert live_policy(world, f"{TOPIC}-2") == storage("europe-west1")


def test_policy_in_the_v1_form_is_answered_in_v2(world: World) -> None:
    world.set_policy(
        {"resource": FOLDER, "constraint": f"constraints/{LOCATIONS}", "listPolicy": {"allowedValues": ["us-east1"]}}
    )
    assert read(world)["spec"]["rules"] == [{"values": {"allowedValues": ["us-east1"]}}]


@pytest.mark.parametrize(
    "kept",
    [
        Policy(resource=FOLDER, constraint=LOCATIONS, reset=True),
        Policy(resource=FOLDER, constraint=LOCATIONS, rules=(Rule(number=1, deny_all=True),)),
        Policy(
            resource=FOLDER,
            constraint=LOCATIONS,
            dry_run_only=True,
            dry_run=Policy(resource=FOLDER, constraint=LOCATIONS, inherit=True),
        ),
        Policy(
            resource=FOLDER,
            constraint=LOCATIONS,
            rules=(Rule(number=1, allow_all=True, condition="resource.hasTagKey('1/a')"),),
            dry_run=Policy(resource=FOLDER, constraint=LOCATIONS, rules=(Rule(number=1, deny_all=True),)),
        ),
        Policy(resource=FOLDER, constraint=IN_TRANSIT, rules=(Rule(number=1, enforce=False),)),
    ],
)
def test_every_kind_of_policy_reads_back_as_what_it_means(kept: Policy) -> None:
    world = World(catalogue=load_catalogue())
    world.load_snapshot(replace(organization(), policies={(FOLDER, kept.constraint): kept}))
    assert parse_policy(read(world, f"{FOLDER}/policies/{kept.constraint}")) == kept


def test_recorded_answer_about_in_transit_decides_too() -> None:
    answer = Policy(resource=PROJECT, constraint=IN_TRANSIT, rules=(Rule(number=1, enforce=True),))
    world = World(catalogue=load_catalogue())
    world.load_snapshot(replace(organization(), effective={("acme-orders", IN_TRANSIT): answer}))
    assert effective(world, constraint=IN_TRANSIT)["spec"] == {"rules": [{"enforce": True}]}
    assert effective(world, "projects/acme-lab", IN_TRANSIT)["spec"] == {"rules": [{"enforce": False}]}


def test_policy_under_another_parent_is_refused(world: World) -> None:
    assert refusal(lambda: create(world, policy(spec=values("us-east1")), ORGANIZATION)) == (
        "INVALID_ARGUMENT",
        f"The policy's name {NAME} does not match the parent {ORGANIZATION}.",
    )


def test_mask_of_what_cannot_be_overwritten_is_refused(world: World) -> None:
    create(world, policy(spec=values("us-west1")))
    assert refusal(lambda: update(world, policy(spec=values("us-east1")), "name")) == (
        "INVALID_ARGUMENT",
        "Invalid update_mask: name is not a field of a policy that can be overwritten.",
    )


def test_administrator_cannot_take_away_what_is_not_set(world: World) -> None:
    assert refusal(lambda: world.delete_policy(FOLDER, f"constraints/{LOCATIONS}")) == (
        "NOT_FOUND",
        f"No policy is set: {NAME}.",
    )


def test_administrator_cannot_set_a_policy_on_what_does_not_exist(world: World) -> None:
    assert refusal(lambda: allow_only(world, "us-east1", on="folders/9")) == (
        "NOT_FOUND",
        "The resource does not exist: folders/9.",
    )
