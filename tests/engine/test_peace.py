"""`pulumi up` and the nightly job never fight: what docs/semantics.md promises, on the real engine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reconciler.model import TopicName
from tests.engine.workshop import ALLOWED, ORGANIZATION, PROJECT, STACK, Workshop, explicit, stored

pytestmark = [pytest.mark.engine, pytest.mark.network]

UP = ("up", "--yes", "--skip-preview")
PREVIEW = ("preview", "--refresh", "--expect-no-changes")

EVERY_KIND: list[dict[str, Any]] = [
    {"name": "enforced", **explicit("europe-west4", "europe-west1", enforceInTransit=True)},
    {"name": "explicit", **explicit("europe-west4", "europe-west1")},
    {"name": "inherits"},
    {"name": "loose", **explicit("europe-west3", enforceInTransit=False)},
    {"name": "somebody-elses", "messageStoragePolicy": "unmanaged"},
    {
        "name": "within",
        "messageStoragePolicy": {
            "within": ["in:europe-west3-locations", "in:europe-west4-locations", "in:us-east1-locations"]
        },
    },
]


def test_one_resolver_what_the_program_makes_is_what_the_job_wants(workshop: Workshop) -> None:
    """One resolver: after `pulumi up`, whatever is declared, the job finds nothing to do."""
    workshop.declare(*EVERY_KIND)
    workshop.pulumi(*UP).succeeded()
    assert workshop.live() == {
        "enforced": stored("europe-west1", "europe-west4", in_transit=True),
        "explicit": stored("europe-west1", "europe-west4"),
        "inherits": stored(*ALLOWED),
        "loose": stored("europe-west3"),
        "somebody-elses": stored(*ALLOWED),
        "within": stored("europe-west3", "europe-west4"),
    }
    workshop.writes()
    night = workshop.hedgerow("reconcile", STACK).succeeded()
    assert "looked at 6 topics in 1 project: 5 in sync, 1 unmanaged\n" in night.err
    assert workshop.writes() == []


def test_definite_values_no_order_or_default_of_the_service_is_a_difference(workshop: Workshop) -> None:
    """Definite values: both fields are declared, sorted; another order and a flag left out are the same to both."""
    workshop.declare(*EVERY_KIND)
    workshop.pulumi(*UP).succeeded()
    state = workshop.state()
    assert {name: state[f"{PROJECT}/{name}"]["inputs"].get("messageStoragePolicy") for name in workshop.live()} == {
        "enforced": _block("europe-west1", "europe-west4", in_transit=True),
        "explicit": _block("europe-west1", "europe-west4"),
        "inherits": None,
        "loose": _block("europe-west3"),
        "somebody-elses": None,
        "within": _block("europe-west3", "europe-west4"),
    }
    workshop.edit("explicit", "europe-west4", "europe-west1")
    workshop.edit("enforced", "europe-west4", "europe-west1", in_transit=True)
    assert workshop.pulumi(*PREVIEW).succeeded().summary == ["8 unchanged"]
    assert workshop.hedgerow("plan", STACK, "--exit-code").code == 0


def test_ownership_the_job_creates_nothing_and_writes_only_storage_policies(workshop: Workshop) -> None:
    """Ownership: Pulumi creates topics and owns every other field; the job writes that one on topics that exist."""
    topics = [
        {"name": "orders", "labels": {"team": "orders"}, "messageRetentionDuration": "86400s"},
        {"name": "payments", **explicit("europe-west1")},
    ]
    workshop.declare(*topics)
    workshop.hedgerow("reconcile", STACK).succeeded()
    assert (workshop.live(), workshop.writes()) == ({}, [])
    workshop.pulumi(*UP).succeeded()
    workshop.writes()

    workshop.declare({**topics[0], "labels": {"team": "shipping"}}, topics[1])  # not rolled out yet
    workshop.edit("orders", "europe-west1", "us-east1")
    workshop.edit("payments", "us-east1", "europe-west1")
    workshop.hedgerow("reconcile", STACK).succeeded()
    assert workshop.writes() == [
        "UpdateTopic orders message_storage_policy",
        "UpdateTopic payments message_storage_policy",
    ]
    assert workshop.live() == {"orders": stored("europe-west1"), "payments": stored("europe-west1")}

    assert workshop.pulumi(*UP, "--refresh").succeeded().summary == ["~ 1 updated", "3 unchanged"]
    assert workshop.writes() == ["UpdateTopic orders labels"]
    assert workshop.live() == {"orders": stored("europe-west1"), "payments": stored("europe-west1")}


def test_nothing_that_is_declared_is_hidden_from_a_refresh(workshop: Workshop) -> None:
    """The program ignores no changes, which would hide them (https://github.com/pulumi/pulumi/issues/18377)."""
    workshop.declare(
        {
            "name": "orders",
            "labels": {"team": "orders"},
            "messageRetentionDuration": "86400s",
            **explicit("europe-west1"),
        }
    )
    workshop.pulumi(*UP).succeeded()
    workshop.writes()

    def change(topic: Any) -> None:
        topic.labels["team"] = "somebody-else"
        topic.message_retention_duration.FromSeconds(600)
        topic.message_storage_policy.allowed_persistence_regions[:] = ["europe-west3"]

    workshop.world.topic_store.change(TopicName(PROJECT, "orders"), change)
    assert workshop.pulumi(*UP, "--refresh").succeeded().summary == ["~ 1 updated", "2 unchanged"]
    assert workshop.writes() == [
        "UpdateTopic orders message_retention_duration message_storage_policy labels",
    ]


def test_from_explicit_to_inherit_the_job_shows_and_makes_the_recompute_that_pulumi_does_not(
    workshop: Workshop,
) -> None:
    """From explicit to `inherit` is no silent no-op: the provider sends nothing, and the plan shows what is due."""
    workshop.declare({"name": "orders", **explicit("europe-west1")})
    workshop.pulumi(*UP).succeeded()
    workshop.writes()
    workshop.declare({"name": "orders", "resolutions": {"missing": "recompute"}})
    assert workshop.pulumi("preview", "--expect-no-changes").succeeded().summary == ["3 unchanged"]
    assert workshop.pulumi(*UP, "--refresh").succeeded().summary == ["3 unchanged"]
    assert workshop.live() == {"orders": stored("europe-west1")}

    plan = workshop.hedgerow("plan", STACK, "--exit-code")
    assert plan.code == 2
    assert "  . orders  missing  + europe-west3  + europe-west4  recompute   widening, held\n" in plan.out
    workshop.hedgerow("reconcile", STACK, "--allow-widening").succeeded()
    assert workshop.live() == {"orders": stored(*ALLOWED)}
    assert workshop.writes() == ["UpdateTopic orders message_storage_policy"]
    assert workshop.pulumi(*PREVIEW).succeeded().summary == ["3 unchanged"]


def test_the_fingerprint_in_stack_and_plan_says_which_input_moved(workshop: Workshop) -> None:
    """A fleet fingerprint is a stack output and stands in every plan: where the two differ, it says what moved."""
    workshop.declare({"name": "orders"})
    workshop.pulumi(*UP).succeeded()
    declared = json.loads(workshop.pulumi("stack", "output", "fleetFingerprint", "--json").succeeded().out)
    assert _moved(declared, workshop) == []
    workshop.declare({"name": "orders", "labels": {"team": "orders"}})
    assert _moved(declared, workshop) == ["specs"]
    workshop.tighten("europe-west1")
    assert _moved(declared, workshop) == ["policies", "specs"]


def test_after_a_night_of_repairs_pulumi_finds_no_difference(workshop: Workshop) -> None:
    """After a night's repair `pulumi preview --refresh` shows no diff, and `pulumi up` writes nothing."""
    workshop.declare({"name": "inherits"}, {"name": "explicit", **explicit("europe-west1", "europe-west4")})
    workshop.pulumi(*UP).succeeded()
    workshop.edit("inherits", "europe-west1", "us-east1")
    workshop.edit("explicit", "europe-west1", in_transit=True)
    drifted = workshop.pulumi(*PREVIEW)
    assert (drifted.code, drifted.summary) == (7, ["~ 1 to update", "3 unchanged"])  # nobody but the job sees the other
    workshop.writes()
    workshop.hedgerow("reconcile", STACK, "--allow-widening").succeeded()
    assert workshop.live() == {"explicit": stored("europe-west1", "europe-west4"), "inherits": stored("europe-west1")}
    workshop.writes()
    assert workshop.pulumi(*PREVIEW).succeeded().summary == ["4 unchanged"]
    assert workshop.pulumi(*UP, "--refresh", "--expect-no-changes").succeeded().summary == ["4 unchanged"]
    assert workshop.writes() == []


def test_a_tightened_policy_is_followed_by_the_night_and_no_difference_where_topics_inherit(
    workshop: Workshop,
) -> None:
    """The organization allows less, the night restricts, and Pulumi has nothing to say about topics that follow."""
    workshop.declare({"name": "orders"}, {"name": "payments", **explicit("europe-west1")})
    workshop.pulumi(*UP).succeeded()
    workshop.allow("europe-west1")
    workshop.writes()
    workshop.hedgerow("reconcile", STACK).succeeded()
    assert workshop.writes() == ["UpdateTopic orders message_storage_policy"]
    assert workshop.live() == {"orders": stored("europe-west1"), "payments": stored("europe-west1")}
    assert workshop.pulumi(*PREVIEW).succeeded().summary == ["4 unchanged"]
    assert workshop.pulumi(*UP).succeeded().summary == ["4 unchanged"]  # the fingerprint alone has moved
    assert workshop.writes() == []


def test_a_tightened_policy_is_followed_by_night_and_refused_by_the_program_until_the_spec_follows(
    workshop: Workshop,
) -> None:
    """A snapshot can be older than the truth: the job says so and repairs towards what both allow; `pulumi up` cannot
    take that back. With the snapshot refreshed, the program refuses what a spec may no longer declare, and is clean
    after the edit."""
    workshop.declare({"name": "inherits"}, {"name": "explicit", **explicit("europe-west1", "europe-west4")})
    workshop.pulumi(*UP).succeeded()
    workshop.tighten("europe-west1", "europe-north1")
    workshop.writes()

    night = workshop.hedgerow("reconcile", STACK, "--allow-widening")
    assert night.code == 3  # a spec breaks a rule now, and is said to
    assert (
        "the snapshot says: europe-west1, europe-west3, europe-west4   (organizations/123456789012, rule 1: 3 values)\n"
        "                                       until it is refreshed, topics get only what both allow, and nothing is "
        "widened\n"
    ) in night.out
    assert workshop.live() == {"explicit": stored("europe-west1"), "inherits": stored("europe-west1")}
    workshop.writes()

    fought = workshop.pulumi(*UP, "--refresh")  # the program still has the old snapshot
    assert fought.code == 1
    assert 'Error updating Topic "projects/acme-orders-prod/topics/explicit": googleapi: Error 400: ' in fought.out
    assert "not allowed by the project's organization policy: europe-west4." in fought.out
    assert workshop.live() == {"explicit": stored("europe-west1"), "inherits": stored("europe-west1")}

    workshop.allow("europe-west1", "europe-north1")
    workshop.writes()
    refused = workshop.pulumi(*PREVIEW)
    assert refused.code == 1
    assert "`explicit`: region `europe-west4` is not allowed in `acme-orders-prod`  [region-not-allowed]" in refused.out
    workshop.declare({"name": "inherits"}, {"name": "explicit", **explicit("europe-west1")})
    assert workshop.pulumi(*PREVIEW).succeeded().summary == ["4 unchanged"]
    assert workshop.hedgerow("reconcile", STACK).succeeded()
    assert workshop.writes() == []


def test_a_stack_that_follows_the_live_policy_has_no_such_gap(workshop: Workshop) -> None:
    """On `policySource: live` the program refuses as soon as the policy forbids what a spec declares."""
    address = f"http://{workshop.box.grpc_address}"
    workshop.write(
        f"stacks/{STACK}/stack.yaml",
        f"{{apiVersion: hedgerow/v1, organization: {ORGANIZATION}, policySource: live, projects: [{PROJECT}],"
        f" endpoints: {{orgPolicy: '{address}', resourceManager: '{address}'}}}}",
    )
    workshop.declare({"name": "inherits"}, {"name": "explicit", **explicit("europe-west1", "europe-west4")})
    workshop.pulumi(*UP).succeeded()
    workshop.tighten("europe-west1")
    refused = workshop.pulumi("preview")
    assert refused.code == 1
    assert "`explicit`: region `europe-west4` is not allowed in `acme-orders-prod`  [region-not-allowed]" in refused.out


def test_a_topic_is_neither_replaced_nor_deleted(workshop: Workshop) -> None:
    """`protect` and `deletionPolicy` on every topic: what would replace or delete one is refused before it begins."""
    workshop.declare({"name": "orders"}, {"name": "payments"})
    workshop.pulumi(*UP).succeeded()
    topics = [resource for name, resource in workshop.state().items() if name.startswith(PROJECT)]
    assert [(topic["protect"], topic["outputs"]["deletionPolicy"]) for topic in topics] == [(True, "PREVENT")] * 2
    workshop.writes()

    workshop.declare({"name": "orders", "tags": {"123456789012/env": "prod"}}, {"name": "payments"})
    replacing = workshop.pulumi("preview")
    assert replacing.code == 1
    assert "error: unable to replace resource " in replacing.words
    assert '::acme-orders-prod/orders" as it is currently marked for protection.' in replacing.words
    assert workshop.pulumi(*UP).code == 1

    workshop.declare({"name": "orders"})
    deleting = workshop.pulumi("preview")
    assert deleting.code == 1
    assert '::acme-orders-prod/payments" cannot be deleted because it is protected.' in deleting.words
    assert workshop.pulumi(*UP).code == 1
    assert (sorted(workshop.live()), workshop.writes()) == (["orders", "payments"], [])


def _block(*regions: str, in_transit: bool = False) -> dict[str, Any]:
    return {"__defaults": [], "allowedPersistenceRegions": list(regions), "enforceInTransit": in_transit}


def _moved(declared: dict[str, Any], workshop: Workshop) -> list[str]:
    """The inputs in which a plan made now differs from what the program declared."""
    plan = json.loads(workshop.hedgerow("plan", STACK, "--format", "json").succeeded().out)
    return [key for key in sorted(declared) if declared[key] != plan["computedFrom"][key]]
