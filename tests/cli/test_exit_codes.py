"""The exit codes as a contract: each is produced by each way that leads to it."""

from __future__ import annotations

import itertools
import re
import threading

import pytest

from reconciler.apply import lease, open_store
from reconciler.errors import ExitCode
from reconciler.sandbox import Fault
from tests.cli.conftest import ALLOWED, INVOICES, ORDERS, RETURNS, STACK, TOPICS, Company, policy

MISTAKE = TOPICS + "  - {service: billing, langauge: go, topics: []}\n"
DISALLOWED = """\
apiVersion: hedgerow/v1
topics:
  - name: projects/acme-billing-prod/topics/refunds
    messageStoragePolicy: {allowedPersistenceRegions: [us-east1]}
"""


def test_0_when_nothing_is_wrong_and_when_changes_are_pending(company: Company) -> None:
    assert company.hedgerow("check").code == 0
    assert company.hedgerow("plan").code == 0
    assert company.hedgerow("reconcile").code == 0
    assert company.hedgerow("render").code == 0
    assert company.hedgerow("render", "--check").code == 0
    assert company.hedgerow("plan", "--exit-code").code == 0
    assert company.world.topic(ORDERS) == company.world.topic(ORDERS)


def test_1_for_what_has_no_code_of_its_own(company: Company) -> None:
    ended = company.hedgerow("plan", "-o", "no/such/folder/plan.json")
    assert (ended.code, ended.err.splitlines()[-1]) == (
        1,
        "error: no/such/folder/plan.json cannot be written: No such file or directory",
    )


def test_2_for_drift_pending_changes_and_files_that_differ_where_that_is_asked_for(company: Company) -> None:
    assert company.hedgerow("plan", "--exit-code").code == 2
    assert company.hedgerow("render", "--check").code == 2


@pytest.mark.parametrize("command", ["check", "plan", "reconcile", "render"])
def test_3_for_an_invalid_file_and_nothing_is_written(company: Company, command: str) -> None:
    company.write("stacks/production/topics.yaml", MISTAKE)
    ended = company.hedgerow(command)
    assert ended.code == 3
    assert "stacks/production/topics.yaml:10:24: error: `billing`: unknown key `langauge`" in ended.out
    assert company.box.log.requests == ()
    assert not (company.folder / "dist").exists()


def test_3_names_file_line_region_constraint_and_node_of_a_disallowed_region(company: Company) -> None:
    company.write("stacks/production/refunds.yaml", DISALLOWED)
    ended = company.hedgerow("check")
    assert ended.code == 3
    assert ended.out == (
        "stacks/production/refunds.yaml:4:56: error: `refunds`: region `us-east1` is not allowed in "
        "`acme-billing-prod`  [region-not-allowed]\n"
        "  allowed: europe-west1, europe-west4 (gcp.resourceLocations at organizations/123456789012, rule 1: "
        "in:europe-west1-locations, in:europe-west4-locations)\n"
        "  hint: remove the region, or declare `messageStoragePolicy: inherit` to follow the organization\n"
    )


def test_3_at_night_does_not_keep_the_others_from_being_repaired(company: Company) -> None:
    company.write("stacks/production/refunds.yaml", DISALLOWED)
    assert company.hedgerow("plan").code == 3
    assert company.hedgerow("reconcile").code == 3
    repaired = company.world.topic(ORDERS)
    assert repaired is not None
    assert repaired.policy == policy(*ALLOWED)


def test_4_for_a_denied_project_while_the_others_are_evaluated(company: Company) -> None:
    company.world.deny("acme-orders-prod", "orgpolicy")
    company.world.put_topic(INVOICES, policy(*ALLOWED, "us-east1"))
    ended = company.hedgerow("plan")
    assert ended.code == 4
    assert "hint: the caller needs `orgpolicy.policy.get`, held by roles/orgpolicy.policyViewer" in ended.out
    assert "~ invoices  disallowed  - us-east1  restrict" in ended.out
    assert "not evaluated: 2 topics" in ended.err
    assert company.hedgerow("reconcile").code == 4
    assert [write.resource for write in company.box.log.writes()] == [INVOICES]


def test_4_for_an_api_that_cannot_be_reached(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEDGEROW_PUBSUB_ENDPOINT", "http://127.0.0.1:9")
    ended = company.hedgerow("plan")
    assert ended.code == 4
    assert re.search(r"\? 2 topics +not evaluated +the topics could not be read: UNAVAILABLE: ", ended.out)
    assert "no drift" not in ended.err
    assert "not evaluated: 3 topics" in ended.err


def test_4_for_a_project_that_the_snapshot_does_not_have(company: Company) -> None:
    company.write("stacks/production/stack.yaml", STACK.replace("[acme-", "[acme-unknown, acme-"))
    ended = company.hedgerow("check")
    assert (ended.code, ended.err.splitlines()[-1]) == (
        4,
        "nothing wrong; 1 project not evaluated: acme-unknown (not in the snapshot)",
    )


def test_5_for_a_plan_over_a_limit_and_nothing_is_written(company: Company) -> None:
    for arguments in (["reconcile"], ["apply", "production", "--yes"]):
        ended = company.hedgerow(*arguments, "--max-topics", "1")
        assert ended.code == 5
        assert ended.err.endswith(
            "error: refused: 2 of 3 topics would change, more than the limit of 1; "
            "nothing was written  [limit-topics]\n"
            "  all of it under the policy of organizations/123456789012\n"
            "  hint: read the plan, then allow it with `--max-topics 2`\n"
        )
    assert company.box.log.writes() == ()
    assert company.hedgerow("reconcile", "--max-topics", "1", "--force").code == 0


def test_6_for_a_change_that_failed_and_the_report_says_which(company: Company) -> None:
    company.box.faults.add(Fault(method="UpdateTopic", resource=ORDERS, error="PERMISSION_DENIED"))
    ended = company.hedgerow("reconcile", "--format", "json")
    assert ended.code == 6
    assert {outcome["topic"]: outcome["status"] for outcome in ended.json["outcomes"]} == {
        ORDERS: "failed",
        RETURNS: "skipped",
    }
    assert "stopped early: 1 of 1 changes of wave 1 failed" in ended.err


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        (
            "stacks/production/topics.yaml",
            TOPICS.replace("  - name: projects/acme-billing-prod/topics/invoices\n", ""),
            "error: the specs of stacks/production have changed since plan.json was made",
        ),
        ("", "", "error: the policy of acme-orders-prod has changed since plan.json was made"),
    ],
)
def test_7_for_a_saved_plan_whose_specs_or_policies_changed(
    company: Company, path: str, text: str, message: str
) -> None:
    assert company.hedgerow("plan", "-o", "plan.json").code == 0
    if path:
        company.write(path, text)
    else:
        company.world.set_policy(
            {
                "name": "projects/acme-orders-prod/policies/gcp.resourceLocations",
                "spec": {"rules": [{"values": {"allowedValues": ["in:europe-west1-locations"]}}]},
            }
        )
    ended = company.hedgerow("apply", "plan.json")
    assert (ended.code, ended.err.splitlines()[-2:]) == (
        7,
        [message, "  hint: plan again: hedgerow plan production -o plan.json"],
    )
    assert company.box.log.writes() == ()


def test_7_for_a_topic_that_changed_which_is_left_alone_while_the_others_are_repaired(company: Company) -> None:
    assert company.hedgerow("plan", "-o", "plan.json").code == 0
    company.world.put_topic(RETURNS, policy("us-west1"))
    ended = company.hedgerow("apply", "plan.json")
    assert ended.code == 7
    assert "2 changes: 1 made, 1 stale; verified by reading back" in ended.err
    assert [write.resource for write in company.box.log.writes()] == [ORDERS]


def test_8_for_a_second_run_at_once(company: Company) -> None:
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with lease(open_store("runs", "production"), "production", "first"):
            held.set()
            done.wait(20)

    first = threading.Thread(target=hold)
    first.start()
    held.wait(20)
    ended = company.hedgerow("reconcile")
    done.set()
    first.join()
    assert ended.code == 8
    assert ended.err.startswith(
        "stack stacks/production\nerror: another run works on the stack `production`: run first"
    )
    assert company.box.log.requests == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chekc"], "No such command 'chekc'"),
        (["check", "nowhere"], "error: `nowhere` is no stack: neither it nor stacks/nowhere has a stack.yaml"),
        (["apply", "plan.json"], "error: there is no plan `plan.json`"),
        (["plan", "--max-percent", "200"], "200.0 is not in the range 0<=x<=100"),
        (["apply", "production"], "error: applying stacks/production writes to the cloud"),
    ],
)
def test_64_for_a_wrong_command_line(company: Company, arguments: list[str], message: str) -> None:
    ended = company.hedgerow(*arguments)
    assert ended.code == 64
    assert message in ended.err


def test_where_several_apply_the_documented_order_decides() -> None:
    order = [ExitCode(code) for code in (64, 1, 8, 7, 5, 6, 3, 4, 2, 0)]
    for stronger, weaker in itertools.combinations(order, 2):
        assert ExitCode.severest(weaker, stronger) is stronger
    assert ExitCode.severest() is ExitCode.OK
