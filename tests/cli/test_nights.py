"""Nights in a row: what runs remember, what they hold, and the way back."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from reconciler.apply import lease
from reconciler.cli import apply as apply_module
from reconciler.cli import applying, planning, revert
from reconciler.sandbox import Fault
from tests.apply.buckets import BUCKET, bucket_server
from tests.cli.conftest import ALLOWED, ORDERS, RETURNS, STACK, TOPICS, Company, policy

HOUR = timedelta(hours=1)
WIDE = (*ALLOWED, "us-east1")


@dataclass
class Clock:
    now: datetime = datetime(2026, 11, 30, 2, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, by: timedelta) -> None:
        self.now += by


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of all commands: 30 November, 2 in the morning, until a test moves it."""
    clock = Clock()
    for module in (applying, planning, revert, apply_module):
        monkeypatch.setattr(module, "now", clock, raising=False)
    return clock


def allow(company: Company, *regions: str) -> None:
    values = [f"in:{region}-locations" for region in regions]
    company.world.set_policy(
        {
            "name": "organizations/123456789012/policies/gcp.resourceLocations",
            "spec": {"rules": [{"values": {"allowedValues": values}}]},
        }
    )


def live(company: Company) -> Company:
    """The same company with a stack that follows the live policies."""
    company.write("stacks/production/stack.yaml", STACK.replace("../../policies/organization.yaml", "live"))
    return company


def regions(company: Company, name: str) -> list[str]:
    topic = company.world.topic(name)
    assert topic is not None
    assert topic.policy is not None
    return list(topic.policy.regions)


def last_run(company: Company) -> str:
    return sorted((company.folder / "runs/production").glob("*.jsonl"))[-1].stem


def test_a_policy_that_changed_is_reported_until_it_has_settled(company: Company, clock: Clock) -> None:
    live(company)
    assert company.hedgerow("reconcile").code == 0
    allow(company, "europe-west1")
    clock.advance(24 * HOUR)
    planned = company.hedgerow("plan")
    assert re.search(r"^  \. orders +disallowed +- europe-west4 +restrict   held: settle$", planned.out, re.MULTILINE)
    assert (
        "held: 2 changes: the policy of acme-orders-prod changed, seen first at 2026-12-01 02:00 UTC, and has to stand "
        "until 2026-12-01 03:00 UTC  [settle]\n"
        "  hint: run again then, or shorten `reconcile.settle` in stack.yaml\n"
    ) in planned.err
    ended = company.hedgerow("reconcile", "--force")
    assert (ended.code, regions(company, ORDERS)) == (0, list(ALLOWED))
    clock.advance(HOUR)
    ended = company.hedgerow("reconcile")
    assert (ended.code, regions(company, ORDERS)) == (0, ["europe-west1"])


@pytest.mark.usefixtures("clock")
def test_a_saved_plan_is_held_while_its_policy_settles(company: Company) -> None:
    live(company)
    assert company.hedgerow("plan", "-o", "first.json").code == 0
    assert company.hedgerow("reconcile").code == 0
    allow(company, "europe-west1")
    (company.folder / "runs/production/policies.json").rename(company.folder / "kept")
    assert company.hedgerow("plan", "-o", "plan.json").code == 0
    (company.folder / "kept").rename(company.folder / "runs/production/policies.json")
    ended = company.hedgerow("apply", "plan.json")
    assert ended.code == 0
    assert "held: 2 changes: the policy of acme-orders-prod changed" in ended.err
    assert "nothing to change" in ended.err
    assert regions(company, ORDERS) == list(ALLOWED)


def test_a_policy_that_flips_back_and_forth_changes_a_topic_at_most_once(company: Company, clock: Clock) -> None:
    """A topic that follows the policy both ways is written in one night out of ten, however often the policy flips."""
    live(company)
    company.write(
        "stacks/production/stack.yaml",
        STACK.replace("../../policies/organization.yaml", "live").replace(
            "reconcile: {", "reconcile: {widening: allow, resolutions: {missing: extend}, "
        ),
    )
    assert company.hedgerow("reconcile").code == 0
    writes = len(company.box.log.writes())
    last = ""
    for night in range(10):
        allow(company, *ALLOWED[: 1 + night % 2])
        clock.advance(12 * HOUR)
        assert company.hedgerow("reconcile").code == 0
        clock.advance(HOUR)
        ended = company.hedgerow("reconcile")
        assert ended.code == 0
        last = ended.err
    written = [write.resource for write in company.box.log.writes()[writes:]]
    assert written.count(ORDERS) == written.count(RETURNS) == 1
    assert "it may flip again  [flip]" in last
    clock.advance(48 * HOUR)
    assert company.hedgerow("reconcile").code == 0
    assert regions(company, ORDERS) == list(ALLOWED)


@pytest.mark.usefixtures("clock")
def test_an_ordered_publisher_is_named_before_its_endpoint_would_leave_the_topic(company: Company) -> None:
    company.write(
        "stacks/production/topics.yaml",
        TOPICS.replace('orders, hedging: "off"}', 'orders, hedging: "off", messageOrdering: true, endpoint: us-east1}'),
    )
    ended = company.hedgerow("reconcile", "--force")
    assert (
        "held: 1 change: `checkout` publishes in order through us-east1, which would leave the topic's regions: its "
        "messages would fail  [ordered-endpoint]\n"
        "  hint: set the `endpoint` of `checkout` to one of europe-west1, europe-west4, and roll that out first\n"
    ) in ended.err
    assert ended.code == 6
    assert [write.resource for write in company.box.log.writes()] == [RETURNS]


def test_a_refusal_names_the_flag_and_what_most_of_it_is(company: Company, clock: Clock) -> None:
    live(company)
    assert company.hedgerow("reconcile").code == 0
    allow(company, "europe-west1")
    assert company.hedgerow("reconcile").code == 0
    clock.advance(2 * HOUR)
    ended = company.hedgerow("reconcile", "--max-topics", "2")
    assert (ended.code, ended.err.splitlines()[-3:]) == (
        5,
        [
            "error: refused: 3 of 3 topics would change, more than the limit of 2; nothing was written  [limit-topics]",
            "  all of it under the policy of organizations/123456789012, seen to have changed at 2026-11-30 02:00 UTC",
            "  hint: read the plan, then allow it with `--max-topics 3`",
        ],
    )


def test_what_is_remembered_and_cannot_be_read_stops_a_run_but_not_a_plan(company: Company) -> None:
    assert company.hedgerow("reconcile").code == 0
    company.write("runs/production/policies.json", "{")
    ended = company.hedgerow("reconcile")
    assert (ended.code, ended.err.splitlines()[-1]) == (
        1,
        "  hint: restore it; or remove it, and every policy counts as settled until it changes again",
    )
    ended = company.hedgerow("plan")
    assert ended.code == 0
    assert (
        "warning: since when policies have stood is unknown: runs/production/policies.json cannot be used" in ended.err
    )


@pytest.mark.usefixtures("clock")
def test_a_run_is_listed_shown_and_kept_beside_its_journal(company: Company) -> None:
    assert company.hedgerow("runs", "list").out == ""
    assert company.hedgerow("reconcile").code == 0
    run = last_run(company)
    listed = company.hedgerow("runs", "list")
    assert listed.out == f"{run}  ended       2 changes: 2 made\n"
    assert listed.err.splitlines()[-1] == "1 run in runs/production"
    shown = company.hedgerow("runs", "show", run[-4:])
    assert shown.out.splitlines()[0] == f"run {run} on production, begun 2026-11-30T02:00:00.000+00:00, ended"
    assert shown.out.splitlines()[2:] == [
        f"  made     {ORDERS}   restrict   europe-west1, europe-west4, us-east1 -> europe-west1, europe-west4",
        f"  made     {RETURNS}  restrict   europe-west1, europe-west4, us-east1 -> europe-west1, europe-west4",
        "2 changes: 2 made",
        "publisher configuration in dist: 1 service: 1 written",
        "  written  checkout  new",
    ]
    kept = json.loads((company.folder / f"runs/production/{run}.json").read_text("utf-8"))
    assert (kept["run"], kept["counts"]["made"]) == (run, 2)
    document = company.hedgerow("runs", "show", run, "--format", "json").json
    assert [change["status"] for change in document["changes"]] == ["made", "made"]
    assert company.hedgerow("runs", "list", "--format", "json").json["runs"] == [
        {key: value for key, value in document.items() if key not in ("formatVersion", "publishers")}
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "error: there is no run `nowhere` in runs/production"),
        ("Z", "error: there is no run `Z` in runs/production"),
    ],
)
def test_a_run_that_cannot_be_told_is_refused(company: Company, name: str, message: str) -> None:
    for _ in range(2):
        assert company.hedgerow("reconcile").code == 0
    ended = company.hedgerow("runs", "show", name)
    assert (ended.code, ended.err.splitlines()[1]) == (64, message)


def test_a_run_is_taken_back_as_far_as_the_organization_allows(company: Company, clock: Clock) -> None:
    live(company)
    assert company.hedgerow("reconcile").code == 0
    run = last_run(company)
    shown = company.hedgerow("revert", run)
    assert (shown.code, shown.out) == (
        0,
        (
            f"  ! {ORDERS}  stays: it had us-east1, which the organization's policy does not allow\n"
            f"  ! {RETURNS}  stays: it had us-east1, which the organization's policy does not allow\n"
        ),
    )
    assert shown.err.splitlines()[-1] == "0 topics would be set back; 2 topics stay"
    allow(company, *WIDE)
    clock.advance(HOUR)
    held = company.hedgerow("revert", run[-4:], "--yes")
    assert held.code == 0
    assert "[settle]" in held.err
    clock.advance(HOUR)
    widening = company.hedgerow("revert", run[-4:], "--yes")
    assert widening.code == 0
    assert (
        "held: 2 changes would widen; allow with `widening: allow` in stack.yaml or `--allow-widening`" in widening.err
    )
    refused = company.hedgerow("revert", run[-4:], "--yes", "--allow-widening", "--max-topics", "1")
    assert refused.code == 5
    assert regions(company, ORDERS) == list(ALLOWED)
    company.world.put_topic(RETURNS, policy("europe-west1"))
    clock.advance(timedelta(seconds=1))
    taken = company.hedgerow("revert", run, "--yes", "--allow-widening")
    assert taken.code == 0
    assert taken.out == (
        f"  ~ {ORDERS}  back to europe-west1, europe-west4, us-east1   widening\n"
        f"  . {RETURNS}  stays: it has been changed since: now europe-west1\n"
    )
    assert (regions(company, ORDERS), regions(company, RETURNS)) == (list(WIDE), ["europe-west1"])
    again = company.hedgerow("revert", last_run(company), "--format", "json")
    assert again.json["reverts"] == last_run(company)
    assert [change["after"]["allowedPersistenceRegions"] for change in again.json["changes"]] == [list(ALLOWED)]


def test_a_project_that_cannot_be_read_is_not_taken_back_and_ends_with_4(company: Company) -> None:
    assert company.hedgerow("reconcile").code == 0
    company.world.deny("acme-orders-prod", "orgpolicy")
    ended = company.hedgerow("revert", last_run(company))
    assert ended.code == 4
    assert f"  ? {ORDERS}  stays: the organization policy could not be read: PERMISSION_DENIED" in ended.out


@pytest.fixture
def slow(company: Company) -> Iterator[Company]:
    company.box.faults.add(Fault(method="UpdateTopic", latency=0.5))
    yield company
    company.box.faults.clear()


def test_after_a_kill_the_journal_tells_what_may_have_happened_and_the_next_run_goes_on(slow: Company) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "reconciler.cli", "reconcile"],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=dict(os.environ),
    ) as process:
        while not slow.box.log.requests or "UpdateTopic" not in {r.method for r in slow.box.log.requests}:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    killed = last_run(slow)
    shown = slow.hedgerow("runs", "show", killed).out
    assert ", not ended\n" in shown
    assert f"  unknown  {ORDERS}" in shown
    assert "no outcome was recorded: the write may or may not have happened" in shown
    assert slow.hedgerow("reconcile").code == 0
    assert regions(slow, ORDERS) == regions(slow, RETURNS) == list(ALLOWED)
    way = slow.hedgerow("revert", killed)
    assert (way.code, way.out) == (
        0,
        f"  ! {ORDERS}  stays: it had us-east1, which the organization's policy does not allow\n",
    )


def test_a_signal_before_the_first_write_gives_the_lease_back(company: Company) -> None:
    company.box.faults.add(Fault(method="ListTopics", latency=1))
    with subprocess.Popen(
        [sys.executable, "-m", "reconciler.cli", "reconcile"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=dict(os.environ),
        text=True,
    ) as process:
        while not any(request.method == "GetEffectivePolicy" for request in company.box.log.requests):
            time.sleep(0.01)
        assert (company.folder / "runs/production.lease").read_bytes() != b""
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
    assert (process.returncode, err.splitlines()[-1]) == (1, "error: interrupted")
    assert company.box.log.writes() == ()
    assert (company.folder / "runs/production.lease").read_bytes() == b""


def test_two_runs_started_together_one_works_and_the_other_ends_with_8_at_once(slow: Company) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "reconciler.cli", "reconcile"],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=dict(os.environ),
            text=True,
        )
        for _ in range(2)
    ]
    told = [process.communicate(timeout=30)[1] for process in processes]
    assert sorted(process.returncode for process in processes) == [0, 8]
    assert sum("another run works on the stack `production`" in text for text in told) == 1
    assert [write.resource for write in slow.box.log.writes()] == [ORDERS, RETURNS]


def test_a_run_that_loses_its_lease_stops_before_its_next_write_and_leaves_the_others_memory_alone(
    slow: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applying, "lease", partial(lease, lifetime=timedelta(seconds=1)))

    def take_over() -> None:
        while not any(request.method == "UpdateTopic" for request in slow.box.log.requests):
            time.sleep(0.01)
        (slow.folder / "runs/production.lease").unlink()
        (slow.folder / "runs/production/policies.json").write_text("the other's", encoding="utf-8")

    other = threading.Thread(target=take_over)
    other.start()
    ended = slow.hedgerow("reconcile")
    other.join()
    assert ended.code == 6
    assert "stopped early: the lease runs/production.lease was taken over by another run\n" in ended.err
    assert [write.resource for write in slow.box.log.writes()] == [ORDERS]
    assert (slow.folder / "runs/production/policies.json").read_text("utf-8") == "the other's"
    assert not (slow.folder / "dist").exists()


def test_runs_live_in_a_bucket_as_in_a_folder(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    company.write("stacks/production/stack.yaml", STACK.replace("../../runs", f"gs://{BUCKET}/night/"))
    with bucket_server() as (objects, endpoint):
        monkeypatch.setenv("HEDGEROW_STORAGE_ENDPOINT", endpoint)
        ended = company.hedgerow("reconcile")
        assert ended.code == 0
        run = re.findall(r"^run (\S+)", ended.err, re.MULTILINE)[0]
        assert sorted(objects.stored) == sorted(
            [
                "night/production.lease",
                *(f"night/production/{run}/{number:08}.json" for number in range(1, 7)),
                f"night/production/{run}.json",
                "night/production/policies.json",
            ]
        )
        events = [json.loads(body)["event"] for name, (body, _) in sorted(objects.stored.items()) if f"{run}/" in name]
        assert events == ["begin", "intent", "outcome", "intent", "outcome", "end"]
        assert f"journal gs://{BUCKET}/night/production/{run}/     undo: hedgerow revert {run}" in ended.err
        assert company.hedgerow("runs", "list").out == f"{run}  ended       2 changes: 2 made\n"
        objects.refuses = True
        ended = company.hedgerow("reconcile")
        assert ended.code == 1
        assert f"error: the lease gs://{BUCKET}/night/production.lease cannot be taken: " in ended.err


def test_a_journal_that_fails_in_the_middle_still_gets_a_report(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reconciler.apply import Journal
    from reconciler.errors import HedgerowError

    def full(self: Journal, outcome: Any) -> None:
        del self, outcome
        raise HedgerowError("the journal X cannot be written: No space left on device")

    monkeypatch.setattr(Journal, "outcome", full)
    ended = company.hedgerow("reconcile")
    assert ended.code == 1
    assert [write.resource for write in company.box.log.writes()] == [ORDERS]
    assert f"  made    {ORDERS}  restrict   europe-west1, europe-west4\n" in ended.err
    assert "2 changes: 1 made, 1 skipped; verified by reading back\n" in ended.err
    assert "stopped early: the run broke: the journal X cannot be written: No space left on device\n" in ended.err
    assert ended.err.endswith("error: the journal X cannot be written: No space left on device\n")
