from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reconciler.cli.main import run
from reconciler.model import RegionSet, StoragePolicy
from reconciler.sandbox import Sandbox, World
from reconciler.spec import load_catalogue, load_snapshot

STACK = """\
apiVersion: hedgerow/v1
organization: organizations/123456789012
policySource: ../../policies/organization.yaml
projects: [acme-billing-prod, acme-orders-prod]
reconcile: {journal: ../../runs, waves: [1, 100%]}
publishers: {output: ../../dist}
"""

TOPICS = """\
apiVersion: hedgerow/v1
topics:
  - name: projects/acme-billing-prod/topics/invoices
  - name: projects/acme-orders-prod/topics/orders
  - name: projects/acme-orders-prod/topics/returns
publishers:
  - service: checkout
    language: java
    topics: [{topic: projects/acme-orders-prod/topics/orders, hedging: "off"}]
"""

ORGANIZATION = """\
apiVersion: hedgerow/v1
organization: organizations/123456789012
resources:
  - {name: organizations/123456789012}
  - {name: projects/acme-billing-prod, number: "222222222222", parent: organizations/123456789012}
  - {name: projects/acme-orders-prod, number: "111111111111", parent: organizations/123456789012}
policies:
  - name: organizations/123456789012/policies/gcp.resourceLocations
    spec: {rules: [{values: {allowedValues: ["in:europe-west1-locations", "in:europe-west4-locations"]}}]}
"""

ALLOWED = ("europe-west1", "europe-west4")
INVOICES = "projects/acme-billing-prod/topics/invoices"
ORDERS, RETURNS = "projects/acme-orders-prod/topics/orders", "projects/acme-orders-prod/topics/returns"


def policy(*regions: str, flag: bool = False) -> StoragePolicy:
    return StoragePolicy(regions=RegionSet.of(*regions), enforce_in_transit=flag)


@dataclass
class Ended:
    """How a command ended: its exit code and what it printed on each stream."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Company:
    """A checkout with one stack, and its cloud. `orders` and `returns` have drifted, `invoices` has not."""

    folder: Path
    world: World
    box: Sandbox
    hedgerow: Callable[..., Ended]

    def write(self, path: str, text: str) -> None:
        (self.folder / path).write_text(text, encoding="utf-8")


@pytest.fixture
def company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Company]:
    (tmp_path / "stacks" / "production").mkdir(parents=True)
    (tmp_path / "policies").mkdir()
    for path, text in {
        "stacks/production/stack.yaml": STACK,
        "stacks/production/topics.yaml": TOPICS,
        "policies/organization.yaml": ORGANIZATION,
    }.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    world = World(catalogue=load_catalogue())
    world.load_snapshot(load_snapshot(tmp_path / "policies/organization.yaml"))
    world.put_topic(INVOICES, policy(*ALLOWED))
    for name in (ORDERS, RETURNS):
        world.put_topic(name, policy(*ALLOWED, "us-east1", flag=False))

    def hedgerow(*arguments: str) -> Ended:
        capsys.readouterr()
        code = run(arguments)
        return Ended(int(code), *capsys.readouterr())

    with Sandbox(world) as box:
        monkeypatch.chdir(tmp_path)
        for name, value in box.environment().items():
            if name.startswith("HEDGEROW_"):
                monkeypatch.setenv(name, value)
        monkeypatch.setenv("HEDGEROW_RETRY_BUDGET", "1")
        yield Company(tmp_path, world, box, hedgerow)
