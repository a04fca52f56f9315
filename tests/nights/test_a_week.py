"""A week of nights: the organization, teams, an exemption and an outage; nothing is written that anybody forbids.

The stack may not widen. Each night is a few lines: what happened by day, what the run has to end with, what it writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reconciler.cli import applying, planning
from reconciler.cli.main import run
from reconciler.sandbox import Answer, Fault, Sandbox, World
from tests.nights.ledger import discrepancies
from tests.nights.places import ORGANIZATION, allowing, organization_file, policy, surroundings, world_of, written
from tests.nights.warden import Warden

MONDAY = datetime(2026, 11, 30, 2, tzinfo=UTC)
WEST1, WEST4, NORTH1, US = "europe-west1", "europe-west4", "europe-north1", "us-east1"
PROJECTS = ("acme-billing-prod", "acme-orders-prod")
INVOICES, LEDGER = (f"projects/acme-billing-prod/topics/{name}" for name in ("invoices", "ledger"))
AUDIT, ORDERS, RETURNS = (f"projects/acme-orders-prod/topics/{name}" for name in ("audit", "orders", "returns"))

STACK = f"""\
apiVersion: hedgerow/v1
organization: {ORGANIZATION}
policySource: live
projects: [acme-billing-prod, acme-orders-prod]
reconcile: {{journal: ../../runs, waves: [1, 100%]}}
"""

TOPICS = f"""\
apiVersion: hedgerow/v1
topics:
  - name: {INVOICES}
  - {{name: {LEDGER}, messageStoragePolicy: {{allowedPersistenceRegions: [{WEST1}, {US}]}}}}
  - {{name: {AUDIT}, messageStoragePolicy: {{allowedPersistenceRegions: [{WEST1}]}}}}
  - name: {ORDERS}
  - {{name: {RETURNS}, messageStoragePolicy: {{allowedPersistenceRegions: [{WEST1}, {WEST4}]}}}}
exemptions:
  - topics: [{LEDGER}]
    rule: region-not-allowed
    reason: migration to europe-west4, ticket PLAT-812
    owner: billing@acme.example
    expires: 2026-12-02
"""


@dataclass
class Week:
    """The fleet, its cloud, and what each night wrote."""

    folder: Path
    world: World
    box: Sandbox
    warden: Warden
    capsys: pytest.CaptureFixture[str]
    time: datetime = MONDAY
    told: str = ""
    nights: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def now(self) -> datetime:
        return self.time

    def night(self) -> int:
        """Two in the morning: the run. Returns how it ended; then it is day."""
        before = len(self.warden.sent)
        self.capsys.readouterr()
        code = run(["reconcile", "production"])
        printed = self.capsys.readouterr()
        self.told = printed.out + printed.err
        self.nights[f"{self.time:%A}"] = [
            (sent.topic.rpartition("/")[2], ", ".join(sent.policy.regions) if sent.policy else "recomputed")
            for sent in self.warden.sent[before:]
        ]
        self.time += timedelta(days=1)
        return int(code)

    def says(self, *texts: str) -> bool:
        """Whether the last night said all of this."""
        return all(text in self.told for text in texts)

    def regions(self, name: str) -> list[str]:
        topic = self.world.topic(name)
        assert topic is not None
        assert topic.policy is not None
        return list(topic.policy.regions)


@contextmanager
def week_in(folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Week]:
    written(
        folder,
        {
            "policies/organization.yaml": organization_file(PROJECTS, (WEST1, WEST4, NORTH1)),
            "stacks/production/stack.yaml": STACK,
            "stacks/production/topics.yaml": TOPICS,
        },
    )
    world = world_of(folder)
    world.put_topic(INVOICES, policy(WEST1, WEST4, NORTH1))
    world.put_topic(LEDGER, policy(WEST1, US))
    world.put_topic(AUDIT, policy(WEST1))
    world.put_topic(ORDERS, policy(WEST1, WEST4, NORTH1))
    world.put_topic(RETURNS, policy(WEST1, WEST4))
    warden = Warden(
        world=world, journals=folder / "runs", may_write={INVOICES, LEDGER, AUDIT, ORDERS, RETURNS}, may_widen=()
    )
    with Sandbox(world) as box:
        box.stand_by(warden)
        yield Week(folder=folder, world=world, box=box, warden=warden, capsys=capsys)


@pytest.fixture
def week(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Week]:
    with week_in(tmp_path, capsys) as week:
        monkeypatch.chdir(tmp_path)
        for module in (applying, planning):
            monkeypatch.setattr(module, "now", week.now)
        for name, value in surroundings(week.box, HEDGEROW_RETRY_BUDGET="0.5").items():
            monkeypatch.setenv(name, value)
        yield week


def test_a_week_in_which_everything_happens_writes_nothing_that_anybody_forbids(week: Week) -> None:
    # Monday: all is well. `ledger` may stay in America until Wednesday.
    assert week.night() == 0
    assert week.says("no changes proposed", "exempt until 2026-12-02 (billing@acme.example)")

    # By day the organization gives up europe-west4. Tuesday: seen, told, and left to settle.
    week.world.set_policy(allowing(WEST1, NORTH1))
    assert week.night() == 3
    assert week.says("`returns`: region `europe-west4` is not allowed", "has to stand until 2026-12-01 03:00 UTC")

    # Wednesday: it has stood for a day, and is followed; `returns` keeps what is left of its spec.
    assert week.night() == 3
    assert week.says("3 changes: 3 made; verified by reading back")

    # The team mends its spec; others edit by hand: `audit` gains a region that its spec does not have, `orders` loses one.
    spec = week.folder / "stacks/production/topics.yaml"
    spec.write_text(spec.read_text("utf-8").replace(f"[{WEST1}, {WEST4}]", f"[{WEST1}]"), encoding="utf-8")
    week.world.put_topic(AUDIT, policy(WEST1, NORTH1))
    week.world.put_topic(ORDERS, policy(WEST1))

    # Thursday: the exemption is over. What was edited is put right, as far as nothing widens by it.
    assert week.night() == 3
    assert week.says("the exemption from `region-not-allowed` expired on 2026-12-02", "missing", "2 changes: 2 made")

    # `ledger` gives America up for good, and the exemption goes. A script adds America to two topics; then there is an outage: on Friday
    # the first write is done and its answer lost, and from then on nobody answers.
    declared, _, _ = spec.read_text("utf-8").partition("exemptions:")
    spec.write_text(declared.replace(f"[{WEST1}, {US}]", f"[{WEST1}]"), encoding="utf-8")
    week.world.put_topic(INVOICES, policy(WEST1, NORTH1, US))
    week.world.put_topic(ORDERS, policy(WEST1, NORTH1, US))
    week.box.faults.add(
        Fault(method="UpdateTopic", answer=Answer.LOST),
        Fault(method="GetTopic", error="UNAVAILABLE", after=1),
    )
    assert week.night() == 6
    assert week.says("the write was sent and could not be read back: UNAVAILABLE", "1 failed, 1 skipped")

    # Saturday: the outage is over. What was lost turns out to be done; what was not come to is done now.
    week.box.faults.clear()
    assert week.night() == 0
    assert week.says("1 change: 1 made; verified by reading back")

    # The organization takes europe-west4 back, and a new topic appears. Sunday: told, and neither is touched.
    week.world.set_policy(allowing(WEST1, WEST4, NORTH1))
    newcomer = "projects/acme-orders-prod/topics/newcomer"
    week.world.put_topic(newcomer, policy(US))
    assert week.night() == 0
    assert week.says("newcomer", "never written", "no changes proposed")

    assert week.nights == {
        "Monday": [],
        "Tuesday": [],
        "Wednesday": [
            ("invoices", "europe-north1, europe-west1"),
            ("orders", "europe-north1, europe-west1"),
            ("returns", "europe-west1"),
        ],
        "Thursday": [("ledger", "europe-west1"), ("audit", "europe-west1")],
        "Friday": [("invoices", "europe-north1, europe-west1")],
        "Saturday": [("orders", "europe-north1, europe-west1")],
        "Sunday": [],
    }
    assert [week.regions(name) for name in (LEDGER, AUDIT, RETURNS, newcomer)] == [[WEST1], [WEST1], [WEST1], [US]]
    assert week.warden.forbidden == []
    assert discrepancies(week.warden) == []
