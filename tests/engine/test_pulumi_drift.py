"""`hedgerow pulumi drift` on the real engine: it agrees with `hedgerow plan`, and says where Pulumi does not."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from reconciler.report import schema_text
from tests.engine.workshop import ALLOWED, PROJECT, Workshop, explicit

pytestmark = [pytest.mark.engine, pytest.mark.network]

COMPUTED = "the service computes it, so Pulumi takes whatever is live; hedgerow holds it against what is allowed"


def drift(workshop: Workshop) -> tuple[int, list[dict[str, Any]]]:
    """The exit code, and every difference without what a text repeats."""
    ended = workshop.hedgerow("pulumi", "drift", "--exit-code", "--format", "json")
    told = json.loads(ended.out)
    jsonschema.validate(told, json.loads(schema_text("pulumi-drift")))
    return ended.code, told["differences"]


def kinds(workshop: Workshop) -> dict[str, str]:
    """What `hedgerow plan` finds, by topic."""
    drifts = json.loads(workshop.hedgerow("plan", "--format", "json").succeeded().out)["drifts"]
    return {one["topic"].rpartition("/")[2]: one["kind"] for one in drifts}


def brief(found: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [
        (one["topic"].rpartition("/")[2], one["property"], one["kind"], one["pulumi"], one["hedgerow"], one["drift"])
        for one in found
    ]


POLICY = "messageStoragePolicy"


def test_nothing_differs_after_an_update(workshop: Workshop) -> None:
    workshop.declare({"name": "orders"}, {"name": "payments", **explicit("europe-west1")})
    workshop.hedgerow("pulumi", "up").succeeded()
    ended = workshop.hedgerow("pulumi", "drift", "--exit-code").succeeded()

    assert (ended.out, ended.err.splitlines()[-1]) == (
        "",
        "looked at 2 topics in 1 Pulumi stack, live, remembered and desired: no drift",
    )


def test_a_computed_policy_that_drifted_is_seen_as_the_plan_sees_it(workshop: Workshop) -> None:
    workshop.declare({"name": "orders"}, {"name": "payments", **explicit("europe-west1")})
    workshop.hedgerow("pulumi", "up").succeeded()
    workshop.edit("orders", "europe-west1", "us-east1")
    workshop.edit("payments", "europe-west1", "europe-west3")

    code, found = drift(workshop)
    assert (code, brief(found)) == (
        2,
        [
            ("orders", POLICY, "mixed", "nothing", "restrict", True),
            ("payments", POLICY, "spec", "update", "enforce", True),
        ],
    )
    assert kinds(workshop) == {"orders": "mixed", "payments": "spec"}
    assert found[0] == {
        "topic": f"projects/{PROJECT}/topics/orders",
        "pulumiStack": "production",
        "property": POLICY,
        "kind": "mixed",
        "remembered": {"allowedPersistenceRegions": list(ALLOWED), "enforceInTransit": False},
        "live": {"allowedPersistenceRegions": ["europe-west1", "us-east1"], "enforceInTransit": False},
        "desired": {"allowedPersistenceRegions": list(ALLOWED), "enforceInTransit": False},
        "pulumi": "nothing",
        "hedgerow": "restrict",
        "drift": True,
        "note": COMPUTED,
    }
    # What Pulumi itself says: one update, and not a word of the other.
    said = workshop.pulumi("preview", "--refresh", "--expect-no-changes")
    assert (said.code, said.summary) == (7, ["~ 1 to update", "3 unchanged"])


def test_the_operation_before_has_no_part_in_it(workshop: Workshop) -> None:
    workshop.declare({"name": "orders"})
    workshop.hedgerow("pulumi", "up").succeeded()
    workshop.pulumi("refresh", "--yes").succeeded()

    assert drift(workshop) == (0, [])


def test_after_a_nights_repair_only_pulumis_memory_is_behind(workshop: Workshop) -> None:
    workshop.declare({"name": "orders", "resolutions": {"disallowed": "recompute"}})
    workshop.hedgerow("pulumi", "up").succeeded()
    workshop.edit("orders", *ALLOWED, "us-east1")
    workshop.pulumi("refresh", "--yes").succeeded()
    workshop.hedgerow("reconcile").succeeded()

    code, found = drift(workshop)
    assert (code, brief(found)) == (0, [("orders", POLICY, "remembered", "nothing", "nothing", False)])
    assert kinds(workshop) == {}


def test_an_explicit_policy_that_was_given_up_is_seen_although_pulumi_sees_nothing(workshop: Workshop) -> None:
    workshop.declare({"name": "orders", **explicit("europe-west1")})
    workshop.hedgerow("pulumi", "up").succeeded()
    workshop.declare({"name": "orders"})

    code, found = drift(workshop)
    assert (code, brief(found)) == (2, [("orders", POLICY, "missing", "nothing", "report", True)])
    assert kinds(workshop) == {"orders": "missing"}


def test_what_is_new_gone_unknown_and_changed_besides_is_told_each_in_its_way(workshop: Workshop) -> None:
    workshop.declare({"name": "orders", "labels": {"team": "orders"}}, {"name": "returns"})
    workshop.hedgerow("pulumi", "up").succeeded()
    names = {topic.name.topic: topic.name for topic in workshop.world.topics()}

    def relabel(topic: Any) -> None:
        topic.labels["team"] = "nobody"

    workshop.world.topic_store.change(names["orders"], relabel)
    workshop.world.topic_store.delete(names["returns"])
    workshop.world.put_topic(f"projects/{PROJECT}/topics/there", None)
    workshop.declare(
        {"name": "orders", "labels": {"team": "orders"}, "messageRetentionDuration": "600s"},
        *({"name": name} for name in ("returns", "there", "new")),
    )

    code, found = drift(workshop)
    assert (code, brief(found)) == (
        2,
        [
            ("new", None, "absent", "create", "nothing", True),
            ("orders", "labels", "out-of-band", "update", "nothing", True),
            ("orders", "messageRetentionDuration", "pending", "update", "nothing", True),
            ("returns", None, "absent", "create", "nothing", True),
            ("there", None, "unadopted", "create", "nothing", True),
            ("there", POLICY, "disallowed", "nothing", "restrict", True),
        ],
    )
    assert found[3]["note"] == "it was deleted past Pulumi"


def test_a_preview_that_fails_is_no_answer(workshop: Workshop) -> None:
    workshop.declare({"name": "orders"})
    workshop.hedgerow("pulumi", "up").succeeded()
    workshop.write("stacks/__main__.py", "raise ValueError('the program is broken')\n")
    ended = workshop.hedgerow("pulumi", "drift")

    assert (ended.code, ended.out) == (4, "")
    assert "ValueError: the program is broken" in ended.err
