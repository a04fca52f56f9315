"""The published schema of saved plans, against plans with everything in them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from reconciler.model import (
    NO_REGIONS,
    Explicit,
    RegionSet,
    Resolution,
    TopicName,
    Unmanaged,
)
from reconciler.reconcile import Hold, Kind, Plan, Unavailable, make_plan, plan_document
from reconciler.report import schema_text
from tests.reconcile.test_plan import BILLING, BOTH, ORDERS, fleet, is_live, topic
from tests.reconcile.worlds import CATALOGUE, allowing, between, stored

SCHEMA = jsonschema.Draft202012Validator(json.loads(schema_text("plan")))


def everything() -> Plan:
    """A plan with every kind of drift, a held change, an undecided topic and an unreadable project."""
    declared = fleet(
        topic("absent"),
        topic("disallowed"),
        topic("empty"),
        topic("in-sync"),
        topic("missing", missing=Resolution.EXTEND),
        topic("mixed", mixed=Resolution.RECOMPUTE),
        topic("spec", Explicit(regions=RegionSet.of("europe-west1"))),
        topic("theirs", Unmanaged()),
        topic("unrestricted", Explicit(regions=RegionSet.of(*BOTH))),
        topic("x", project=BILLING),
    )
    live = [
        is_live("disallowed", stored((*BOTH, "us-east1"), True)),
        is_live("empty", stored(())),
        is_live("in-sync", stored(BOTH)),
        is_live("missing", stored(BOTH[:1])),
        is_live("mixed", stored(("europe-west1", "us-east1"))),
        is_live("spec", stored(BOTH)),
        is_live("theirs", None),
        is_live("unrestricted", None),
    ]
    denied = Unavailable(reason="denied", hint="grant it")
    made = make_plan(declared, {ORDERS: live, BILLING: denied}, {ORDERS: allowing(BOTH), BILLING: denied}, CATALOGUE)
    hold = Hold(code="settle", reason="it changed", hint="wait")
    return replace(made, holds={TopicName(ORDERS, "disallowed"): hold})


def test_a_plan_with_everything_in_it_fits() -> None:
    plan = everything()
    assert set(plan.counts) == set(Kind)
    document = json.loads(json.dumps(plan_document(plan)))
    assert {len(document[part]) > 0 for part in ("changes", "held", "drifts")} == {True}
    SCHEMA.validate(document)


def test_a_plan_that_hangs_on_a_doubt_fits() -> None:
    may = between(NO_REGIONS, RegionSet.of(*BOTH), None)
    made = make_plan(
        fleet(topic("a")), {ORDERS: [is_live("a", stored(BOTH))], BILLING: []}, {ORDERS: may, BILLING: may}, CATALOGUE
    )
    SCHEMA.validate(json.loads(json.dumps(plan_document(made))))


def test_a_plan_from_a_source_without_the_flag_fits() -> None:
    shown = replace(is_live("a", stored(("europe-west1",))), in_transit_known=False)
    made = make_plan(
        fleet(topic("a")), {ORDERS: [shown], BILLING: []}, {ORDERS: allowing(BOTH), BILLING: allowing(BOTH)}, CATALOGUE
    )
    document = json.loads(json.dumps(plan_document(made)))
    assert document["drifts"][0]["live"]["enforceInTransit"] is None
    SCHEMA.validate(document)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("unknown",), 1),
        (("formatVersion",), "2"),
        (("digest",), "sha256:"),
        (("changes", 0, "topic"), "orders"),
        (("changes", 0, "request", "update_mask"), ""),
        (("changes", 0, "request", "topic", "message_storage_policy"), {"allowedPersistenceRegions": []}),
        (("held", 0, "hold"), None),
    ],
)
def test_what_apply_must_never_get_does_not_fit(path: tuple[str | int, ...], value: object) -> None:
    document: Any = json.loads(json.dumps(plan_document(everything())))
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    assert not SCHEMA.is_valid(document)
