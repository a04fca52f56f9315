"""`--reader asset`: what is read from where, and that nothing is written on the word of the inventory."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.cli.conftest import ALLOWED, INVOICES, ORDERS, RETURNS, STACK, TOPICS, Company, policy

pytestmark = pytest.mark.network

PUBSUB_HINT = "hint: the caller needs `pubsub.topics.get`, held by roles/pubsub.viewer"


def reads(company: Company) -> Counter[str]:
    """What was asked about topics, and of which project or topic."""
    methods = ("ListAssets", "ListTopics", "GetTopic")
    return Counter(f"{asked.method} {asked.resource}" for asked in company.box.log.requests if asked.method in methods)


def test_one_list_for_the_organization_and_a_read_for_each_topic_that_would_change(company: Company) -> None:
    plan = company.hedgerow("plan", "--reader", "asset", "--format", "json")

    assert plan.code == 0
    assert reads(company) == {
        "ListAssets organizations/123456789012": 1,
        f"GetTopic {ORDERS}": 1,
        f"GetTopic {RETURNS}": 1,
    }
    assert (plan.json["lookedAt"], plan.json["counts"]) == (3, {"in-sync": 1, "disallowed": 2})
    assert plan.json["inTransitNotEvaluated"] == 1


def test_both_readers_propose_the_same_changes_for_the_same_specs(company: Company) -> None:
    company.world.put_topic(ORDERS, policy(*ALLOWED, "us-east1", flag=True))
    pubsub, asset = (company.hedgerow("plan", "--reader", one, "--format", "json").json for one in ("pubsub", "asset"))

    assert asset["changes"] == pubsub["changes"]
    assert asset["changes"][0]["before"]["enforceInTransit"] is True
    assert asset["computedFrom"]["specs"] == pubsub["computedFrom"]["specs"]


def test_the_stack_says_which_reader_and_the_command_line_overrides_it(company: Company) -> None:
    company.write("stacks/production/stack.yaml", STACK.replace("reconcile: {", "reconcile: {reader: asset, "))
    company.hedgerow("plan")
    company.hedgerow("plan", "--reader", "pubsub")

    assert [asked.method for asked in company.box.log.requests if asked.method.startswith("List")].count(
        "ListAssets"
    ) == 1
    assert reads(company)["ListTopics projects/acme-orders-prod"] == 1


def test_a_project_with_many_open_topics_is_listed_once(company: Company) -> None:
    names = [f"projects/acme-orders-prod/topics/extra-{number}" for number in range(10)]
    for name in names:
        company.world.put_topic(name, policy(*ALLOWED, "us-east1", flag=True))
    company.write(
        "stacks/production/more.yaml", "apiVersion: hedgerow/v1\ntopics:\n" + "".join(f"  - name: {n}\n" for n in names)
    )
    plan = company.hedgerow("plan", "--reader", "asset", "--format", "json")

    assert reads(company) == {"ListAssets organizations/123456789012": 1, "ListTopics projects/acme-orders-prod": 1}
    assert (len(plan.json["changes"]), plan.json["inTransitNotEvaluated"]) == (12, 1)


def test_a_project_of_which_the_inventory_shows_nothing_is_listed(company: Company) -> None:
    company.world.delete_topic(INVOICES)
    company.world.inventory.freeze()
    company.world.put_topic(INVOICES, policy(*ALLOWED))
    plan = company.hedgerow("plan", "--reader", "asset", "--format", "json")

    assert reads(company)["ListTopics projects/acme-billing-prod"] == 1
    assert plan.json["counts"] == {"in-sync": 1, "disallowed": 2}


def test_a_nightly_run_keeps_the_flag_that_the_inventory_does_not_show(company: Company) -> None:
    company.world.put_topic(ORDERS, policy(*ALLOWED, "us-east1", flag=True))
    run = company.hedgerow("reconcile", "--reader", "asset")

    assert run.code == 0
    assert [topic.policy for topic in company.world.topics()] == [
        policy(*ALLOWED),
        policy(*ALLOWED, flag=True),
        policy(*ALLOWED),
    ]


def test_after_a_run_the_lagging_inventory_proposes_nothing_again(company: Company) -> None:
    company.world.inventory.freeze()
    company.hedgerow("reconcile", "--reader", "asset")
    plan = company.hedgerow("plan", "--reader", "asset", "--format", "json")

    assert (plan.json["changes"], plan.json["counts"]) == ([], {"in-sync": 3})


def test_a_topic_that_the_inventory_still_shows_is_not_written_once_it_is_gone(company: Company) -> None:
    company.world.inventory.freeze()
    company.world.delete_topic(ORDERS)
    plan = company.hedgerow("plan", "--reader", "asset", "--format", "json")

    assert [change["topic"] for change in plan.json["changes"]] == [RETURNS]
    assert plan.json["counts"] == {"in-sync": 1, "disallowed": 1, "absent": 1}


def test_a_saved_plan_from_the_inventory_can_be_applied(company: Company, tmp_path: Path) -> None:
    company.write("stacks/production/stack.yaml", STACK.replace("reconcile: {", "reconcile: {reader: asset, "))
    company.hedgerow("plan", "-o", "plan.json")

    assert (tmp_path / "plan.json").is_file()
    assert company.hedgerow("apply", "plan.json").code == 0
    assert {topic.policy for topic in company.world.topics()} == {policy(*ALLOWED)}


def test_topics_that_pubsub_does_not_show_are_not_evaluated_and_hide_no_other(company: Company) -> None:
    company.world.deny("acme-orders-prod", "pubsub", "no")
    plan = company.hedgerow("plan", "--reader", "asset")

    assert plan.code == 4
    assert "  ? 2 topics  not evaluated    the topic could not be read: PERMISSION_DENIED: no" in plan.out
    assert "looked at 3 topics in 2 projects: 1 in sync, 2 undecided" in plan.err
    assert PUBSUB_HINT in plan.err


def test_an_inventory_that_is_not_allowed_ends_with_4_and_writes_nothing(company: Company) -> None:
    company.world.deny("organizations/123456789012", "cloudasset", "no")
    run = company.hedgerow("reconcile", "--reader", "asset")

    assert run.code == 4
    assert company.box.log.writes() == ()
    assert "hint: the caller needs `cloudasset.assets.listResource` on the organization" in run.err


def test_topics_of_nobody_can_be_taken_on_from_the_inventory(company: Company) -> None:
    company.write("stacks/production/topics.yaml", TOPICS.replace(f"  - name: {RETURNS}\n", ""))
    company.write("stacks/production/stack.yaml", STACK.replace("reconcile: {", "reconcile: {unmanaged: reconcile, "))
    plan = company.hedgerow("plan", "--reader", "asset", "--format", "json")

    assert [change["topic"] for change in plan.json["changes"]] == [ORDERS, RETURNS]
    assert reads(company)[f"GetTopic {RETURNS}"] == 1


def test_an_unknown_reader_is_a_wrong_command_line(company: Company) -> None:
    assert company.hedgerow("plan", "--reader", "export").code == 64
