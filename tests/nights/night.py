"""One stack and one night: three topics that have drifted so that one resolution repairs them, and some to leave alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reconciler.model import Resolution, StoragePolicy
from reconciler.sandbox import Sandbox, World
from tests.cli.conftest import Ended
from tests.nights.ledger import discrepancies, journal
from tests.nights.nursery import Nursery, Process
from tests.nights.places import ORGANIZATION, organization_file, policy, surroundings, world_of, written
from tests.nights.warden import Warden

ALLOWED = ("europe-west1", "europe-west4")
PROJECTS = ("acme-billing-prod", "acme-orders-prod")
INVOICES, ORDERS, RETURNS = TOPICS = (
    "projects/acme-billing-prod/topics/invoices",
    "projects/acme-orders-prod/topics/orders",
    "projects/acme-orders-prod/topics/returns",
)
"""In the order in which they are written: one to a wave."""

SETTLED, FOREIGN, UNMANAGED = (f"projects/acme-orders-prod/topics/{name}" for name in ("audit", "theirs", "unmanaged"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Drifted:
    """How the three topics are declared, what they have become, and what a run makes of them."""

    before: StoragePolicy
    after: StoragePolicy
    declared: str = "inherit"
    widening: str = "allow"


ALL_ALLOWED = policy(*ALLOWED, flag=True)
DRIFTS: Mapping[Resolution, Drifted] = {
    Resolution.RESTRICT: Drifted(before=policy(*ALLOWED, "us-east1", flag=True), after=ALL_ALLOWED, widening="refuse"),
    Resolution.EXTEND: Drifted(before=policy("europe-west1", flag=True), after=ALL_ALLOWED),
    Resolution.RECOMPUTE: Drifted(before=policy("europe-west1", "us-east1", flag=True), after=ALL_ALLOWED),
    Resolution.ENFORCE: Drifted(
        before=policy("europe-west4", flag=True),
        after=policy("europe-west1", flag=True),
        declared="{allowedPersistenceRegions: [europe-west1], enforceInTransit: true}",
    ),
}
"""By the resolution that repairs them. The organization requires enforcement in transit, so the flag is never lost."""

STACK = """\
apiVersion: hedgerow/v1
organization: {organization}
policySource: live
projects: [{projects}]
reconcile:
  journal: ../../runs
  waves: [1, 1, 100%]
  widening: {widening}
  resolutions: {{missing: extend, mixed: recompute}}
"""


@dataclass
class Night:
    """A checkout with the stack `production`, its cloud, and the warden in it."""

    folder: Path
    world: World
    box: Sandbox
    warden: Warden
    drifted: Drifted
    command: Callable[..., Ended]
    environment: dict[str, str] = field(default_factory=dict)

    def hedgerow(self, *arguments: str) -> Ended:
        """Runs a command in this process."""
        return self.command(*arguments)

    def start(self, nursery: Nursery, *arguments: str, output: Path | None = None, **fate: Any) -> Process:
        """Runs a command in another process; `fate` as in `Nursery.start`."""
        return nursery.start(
            self.folder, *arguments, environment=self.environment, output=output or self.folder / "printed", **fate
        )

    @property
    def runs(self) -> list[str]:
        """The ids of all runs that began a journal."""
        return sorted(path.stem for path in (self.folder / "runs/production").glob("*.jsonl"))

    def statuses(self) -> dict[str, str]:
        """What journals say became of each topic, the latest last."""
        records = journal(self.folder / "runs")
        return {record["topic"]: record["status"] for record in records if record["event"] == "outcome"}

    def policies(self) -> list[StoragePolicy | None]:
        """What the three topics have now."""
        return self._policies(*TOPICS)

    def untruths(self, *killed: str) -> list[str]:
        """What was forbidden, told wrongly, or sent without an intent; nothing, as it should be."""
        announced = {record["topic"] for record in journal(self.folder / "runs") if record["event"] == "intent"}
        silent = [write.resource for write in self.box.log.writes() if write.resource not in announced]
        return [*self.warden.forbidden, *discrepancies(self.warden, killed), *silent]

    def assert_converges(self) -> None:
        """The next run, in good weather, ends well, and then there is nothing to do."""
        self.box.faults.clear()
        ended = self.hedgerow("reconcile")
        assert ended.code == 0, ended.err
        assert self.policies() == [self.drifted.after] * 3
        plan = self.hedgerow("plan", "--format", "json").json
        assert (plan["changes"], plan["held"]) == ([], [])
        assert self.others() == [policy(*ALLOWED, "us-east1"), policy(*ALLOWED, "us-east1"), ALL_ALLOWED]

    def others(self) -> list[StoragePolicy | None]:
        """What the topics have that no run may touch."""
        return self._policies(FOREIGN, UNMANAGED, SETTLED)

    def _policies(self, *names: str) -> list[StoragePolicy | None]:
        return [topic.policy if (topic := self.world.topic(name)) else None for name in names]


@contextmanager
def night_of(folder: Path, resolution: Resolution, command: Callable[..., Ended]) -> Iterator[Night]:
    """The night, before anything has gone wrong."""
    drifted = DRIFTS[resolution]
    topics = "".join(f"  - {{name: {name}, messageStoragePolicy: {drifted.declared}}}\n" for name in TOPICS)
    stack = STACK.format(organization=ORGANIZATION, projects=", ".join(PROJECTS), widening=drifted.widening)
    written(
        folder,
        {
            "policies/organization.yaml": organization_file(PROJECTS, ALLOWED, flag=True),
            "stacks/production/stack.yaml": stack,
            "stacks/production/topics.yaml": f"apiVersion: hedgerow/v1\ntopics:\n{topics}  - name: {SETTLED}\n"
            f"  - {{name: {UNMANAGED}, messageStoragePolicy: unmanaged}}\n",
        },
    )
    world = world_of(folder)
    for name in TOPICS:
        world.put_topic(name, drifted.before)
    world.put_topic(SETTLED, ALL_ALLOWED)
    for name in (FOREIGN, UNMANAGED):
        world.put_topic(name, policy(*ALLOWED, "us-east1"))
    warden = Warden(
        world=world,
        journals=folder / "runs",
        may_write={*TOPICS, SETTLED},
        may_widen=TOPICS if drifted.widening == "allow" else (),
    )
    with Sandbox(world) as box:
        box.stand_by(warden)
        yield Night(
            folder=folder,
            world=world,
            box=box,
            warden=warden,
            drifted=drifted,
            command=command,
            environment=surroundings(box, HEDGEROW_RETRY_BUDGET="2", HEDGEROW_CALL_TIMEOUT="30"),
        )
