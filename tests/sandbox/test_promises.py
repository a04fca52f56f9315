"""Promises that hold for every policy, not only for those somebody thought of."""

from __future__ import annotations

from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.json_format import MessageToDict
from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.orgpolicy import from_answer, parse_policy
from reconciler.sandbox import World
from reconciler.sandbox.org_policy import get_effective_policy
from reconciler.sandbox.publisher import create_topic, update_topic
from reconciler.sandbox.storage import from_message, to_message
from reconciler.spec.catalogue import load_catalogue
from tests.sandbox.builders import (
    DIRECT,
    LOCATIONS,
    ORGANIZATION,
    PROJECT,
    new_world,
    nothing_allowed,
    raw,
    raw_policy,
    refusal,
    topic,
)

CATALOGUE = load_catalogue()
values = st.sampled_from(
    [*(f"in:{name}" for name in CATALOGUE.groups), *CATALOGUE.regions, "us", "global", "europe-west1-b"]
)
lists = st.lists(values, min_size=1, max_size=4, unique=True)
rules = st.one_of(
    lists.map(lambda allowed: {"values": {"allowedValues": allowed}}),
    lists.map(lambda denied: {"values": {"deniedValues": denied}}),
    st.tuples(lists, lists).map(lambda both: {"values": {"allowedValues": both[0], "deniedValues": both[1]}}),
    st.just({"allowAll": True}),
)
specs = st.fixed_dictionaries({"rules": st.lists(rules, min_size=1, max_size=2), "inheritFromParent": st.booleans()})


def world_with(above: dict[str, Any], below: dict[str, Any]) -> World:
    world = new_world()
    world.set_policy({"name": f"{ORGANIZATION}/policies/{LOCATIONS}", "spec": above})
    world.set_policy({"name": f"{PROJECT}/policies/{LOCATIONS}", "spec": below})
    return world


@settings(max_examples=80, deadline=None)
@given(above=specs, below=specs)
def test_computed_policy_can_be_asked_for_and_is_what_the_effective_policy_says(
    above: dict[str, Any], below: dict[str, Any]
) -> None:
    world = world_with(above, below)
    request = raw_policy("GetEffectivePolicyRequest", name=f"{PROJECT}/policies/{LOCATIONS}")
    answer = parse_policy(MessageToDict(get_effective_policy(world, request, DIRECT)))
    allowed = from_answer("acme-orders", answer, None, CATALOGUE).allowed
    assert allowed.is_decided
    if allowed.certain.is_empty:
        assert refusal(lambda: create_topic(world, topic(), DIRECT)) == ("FAILED_PRECONDITION", nothing_allowed())
        return
    computed = from_message(create_topic(world, topic(), DIRECT))
    if computed is None:
        assert allowed.certain.is_all
        return
    assert computed.regions == allowed.certain
    for wanted in (topic(message_storage_policy=to_message(computed)), topic()):
        mask = FieldMask(paths=["message_storage_policy"])
        updated = update_topic(world, raw("UpdateTopicRequest", topic=wanted, update_mask=mask), DIRECT)
        assert from_message(updated) == computed
