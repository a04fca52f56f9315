"""Resource Manager's tags: keys, values, bindings and what is inherited."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from reconciler.orgpolicy import TagKey
from reconciler.sandbox import World
from reconciler.sandbox.tags import (
    FULL_NAME,
    get_tag_key,
    list_effective_tags,
    list_tag_bindings,
    list_tag_keys,
    list_tag_values,
)
from reconciler.spec.catalogue import load_catalogue
from tests.sandbox.builders import DIRECT, FOLDER, NUMBER, ORGANIZATION, PROJECT, organization, raw_resource, refusal

ENV, REGION = "123456789012/env", "123456789012/region"
ORDERS = f"{FULL_NAME}projects/{NUMBER}"


@pytest.fixture
def tagged() -> World:
    tree = dict(organization().resources)
    tree[FOLDER] = replace(tree[FOLDER], tags={ENV: "dev", REGION: "eu"})
    tree[PROJECT] = replace(tree[PROJECT], tags={ENV: "prod"})
    keys = {ENV: TagKey(id="tagKeys/7", values={"prod": "tagValues/70", "dev": "tagValues/71"})}
    world = World(catalogue=load_catalogue())
    world.load_snapshot(replace(organization(), resources=tree, tag_keys=keys))
    return world


def effective(world: World, parent: str = ORDERS) -> list[dict[str, Any]]:
    answer = list_effective_tags(world, raw_resource("ListEffectiveTagsRequest", parent=parent), DIRECT)
    return list(MessageToDict(answer).get("effectiveTags", []))


def test_effective_tags_are_own_ones_and_what_they_do_not_override(tagged: World) -> None:
    env, region = effective(tagged)
    assert env == {
        "tagKey": "tagKeys/7",
        "tagValue": "tagValues/70",
        "namespacedTagKey": ENV,
        "namespacedTagValue": f"{ENV}/prod",
        "tagKeyParentName": ORGANIZATION,
    }
    assert (region["namespacedTagValue"], region["inherited"]) == (f"{REGION}/eu", True)


def test_ids_that_no_snapshot_names_are_made_up_and_stay(tagged: World) -> None:
    first, again = effective(tagged)[1], effective(tagged)[1]
    assert first == again
    assert first["tagKey"].removeprefix("tagKeys/").isdecimal()
    assert first["tagValue"].removeprefix("tagValues/").isdecimal()


def test_bindings_are_the_own_tags_only(tagged: World) -> None:
    answer = list_tag_bindings(tagged, raw_resource("ListTagBindingsRequest", parent=ORDERS), DIRECT)
    assert MessageToDict(answer) == {
        "tagBindings": [
            {
                "name": f"tagBindings/{ORDERS.replace('/', '%2F')}/tagValues/70",
                "parent": ORDERS,
                "tagValue": "tagValues/70",
                "tagValueNamespacedName": f"{ENV}/prod",
            }
        ]
    }


def test_keys_and_values_are_listed_under_their_owner(tagged: World) -> None:
    keys = list_tag_keys(tagged, raw_resource("ListTagKeysRequest", parent=ORGANIZATION), DIRECT)
    assert [key.namespaced_name for key in keys.tag_keys] == [ENV, REGION]
    key = get_tag_key(tagged, raw_resource("GetTagKeyRequest", name="tagKeys/7"), DIRECT)
    assert (key.short_name, key.parent) == ("env", ORGANIZATION)
    values = list_tag_values(tagged, raw_resource("ListTagValuesRequest", parent="tagKeys/7"), DIRECT)
    assert [(value.short_name, value.name) for value in values.tag_values] == [
        ("dev", "tagValues/71"),
        ("prod", "tagValues/70"),
    ]
    assert not list_tag_keys(tagged, raw_resource("ListTagKeysRequest", parent="organizations/9"), DIRECT).tag_keys


def test_a_key_may_belong_to_a_project(tagged: World) -> None:
    tree = {PROJECT: replace(organization().resources[PROJECT], tags={"acme-orders/tier": "1"})}
    tagged.load_snapshot(replace(organization(), resources=tree))
    assert [tag["tagKeyParentName"] for tag in effective(tagged)][-1] == PROJECT


def test_a_resource_without_tags_has_none(tagged: World) -> None:
    assert effective(tagged, f"{FULL_NAME}{ORGANIZATION}") == []


@pytest.mark.parametrize(
    ("parent", "answer"),
    [
        ("projects/1", ("INVALID_ARGUMENT", "Invalid full resource name: projects/1.")),
        (
            f"{FULL_NAME}{PROJECT}",
            (
                "INVALID_ARGUMENT",
                f"The full resource name of a project holds its number: {FULL_NAME}{PROJECT}.",
            ),
        ),
        (f"{FULL_NAME}folders/9", ("NOT_FOUND", "The resource does not exist: folders/9.")),
    ],
)
def test_what_is_no_resource_is_refused(tagged: World, parent: str, answer: tuple[str, str]) -> None:
    assert refusal(lambda: effective(tagged, parent)) == answer


def test_a_key_that_does_not_exist_is_not_found(tagged: World) -> None:
    request = raw_resource("GetTagKeyRequest", name="tagKeys/9")
    assert refusal(lambda: get_tag_key(tagged, request, DIRECT)) == (
        "NOT_FOUND",
        "The tag key does not exist: tagKeys/9.",
    )
