"""Pulumi's drift beside hedgerow's, as people read it."""

from __future__ import annotations

import json

import jsonschema

from reconciler.errors import ExitCode
from reconciler.model import Resolution, TopicName
from reconciler.preview import Cause, Difference
from reconciler.reconcile import Kind
from reconciler.report import agreement_document, agreement_summary, agreement_text, schema_text

ORDERS = TopicName("acme-orders", "orders")
POLICY = "messageStoragePolicy"


def policy(*regions: str, flag: bool = False) -> dict[str, object]:
    return {"allowedPersistenceRegions": list(regions), "enforceInTransit": flag}


def test_each_difference_is_a_line_with_its_values_and_its_note_below() -> None:
    found = {
        "production": [
            Difference(
                topic=ORDERS,
                property=POLICY,
                kind="disallowed",
                live=None,
                desired={"allowedPersistenceRegions": {"allBut": ["us-east1"]}, "enforceInTransit": True},
                hedgerow="restrict",
                note="because",
            ),
            Difference(topic=ORDERS, property="labels", kind="pending", live={"a": "b"}, pulumi="update", counts=False),
            Difference(topic=ORDERS, kind="absent", pulumi="create"),
        ],
        "empty": [],
    }

    assert agreement_text(found) == (
        "production\n"
        "  ~  projects/acme-orders/topics/orders  messageStoragePolicy  disallowed  pulumi: nothing  hedgerow: restrict\n"
        "      remembered: -\n"
        "      live:       any region: there is no storage policy\n"
        "      desired:    all but us-east1, enforced in transit\n"
        "      because\n"
        "  .  projects/acme-orders/topics/orders  labels                pending     pulumi: update   hedgerow: nothing\n"
        "      remembered: -\n"
        '      live:       {"a": "b"}\n'
        "      desired:    -\n"
        "  ~  projects/acme-orders/topics/orders  the topic             absent      pulumi: create   hedgerow: nothing\n"
        "\n"
        "~ to be done or drifted   . worth knowing\n"
    )
    assert agreement_summary(found, 4) == [
        "looked at 4 topics in 2 Pulumi stacks, live, remembered and desired: 1 absent, 1 disallowed",
        "1 further difference worth knowing, and no drift",
        "what only hedgerow repairs: hedgerow plan shows it, hedgerow reconcile does it",
    ]


def test_long_lists_are_cut_unless_all_of_them_is_asked_for() -> None:
    many = [f"region-{index}" for index in range(1, 10)]
    found = {"production": [Difference(topic=ORDERS, property=POLICY, kind="missing", live=policy(*many))]}

    assert "live:       region-1, region-2, region-3, region-4, region-5, region-6, 3 more\n" in agreement_text(found)
    assert f"live:       {', '.join(many)}\n" in agreement_text(found, verbose=True)


def test_a_policy_without_a_region_is_called_that() -> None:
    found = {"production": [Difference(topic=ORDERS, property=POLICY, kind="empty", live=policy())]}

    assert "live:       no region\n" in agreement_text(found)


def test_nothing_is_nothing() -> None:
    assert agreement_text({"production": []}) == ""
    assert agreement_summary({"production": []}, 3) == [
        "looked at 3 topics in 1 Pulumi stack, live, remembered and desired: no drift"
    ]


def test_the_published_schema_knows_every_kind_and_every_resolution() -> None:
    properties = json.loads(schema_text("pulumi-drift"))["properties"]["differences"]["items"]["properties"]

    assert properties["kind"]["enum"] == [*map(str, Kind), *map(str, Cause)]
    assert properties["hedgerow"]["enum"] == ["nothing", *map(str, Resolution)]


def test_a_document_fits_its_schema() -> None:
    found = {"production": [Difference(topic=ORDERS, property=POLICY, kind=Kind.MISSING, live=policy("a-1"))]}
    document = agreement_document("production", found, 1, ExitCode.CHANGES)

    jsonschema.validate(document, json.loads(schema_text("pulumi-drift")))
    assert document["differences"][0]["property"] == POLICY
