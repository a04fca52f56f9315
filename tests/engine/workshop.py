"""A checkout of its own with a running sandbox, in which `pulumi` and `hedgerow` are run as a user runs them."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from reconciler.model import RegionSet, StoragePolicy
from reconciler.sandbox import LoggedRequest, Sandbox, World
from reconciler.spec import load_catalogue, load_snapshot
from tests.engine import cli
from tests.engine.standin.provider import VERSION

REPOSITORY = Path(__file__).parents[2]
STACK = "production"
PROJECT = "acme-orders-prod"
ORGANIZATION = "organizations/123456789012"
LOCATIONS = "gcp.resourceLocations"
PATIENCE = 120
"""Seconds after which a command that does not end fails its test."""

_STACK = f"""\
apiVersion: hedgerow/v1
organization: {ORGANIZATION}
policySource: ../../policies/organization.yaml
projects: [{PROJECT}]
reconcile: {{settle: 0s, journal: ../../runs}}
"""
_TREE = f"""\
apiVersion: hedgerow/v1
organization: {ORGANIZATION}
resources:
  - {{name: {ORGANIZATION}, displayName: acme.example}}
  - {{name: projects/{PROJECT}, number: "111111111111", parent: {ORGANIZATION}}}
"""

ALLOWED = ("europe-west1", "europe-west3", "europe-west4")
"""What the organization allows at first."""

_OTHERS = ("CI", "CLOUDSDK_", "COV_", "GITHUB_", "GOOGLE_", "HEDGEROW_", "PUBSUB_", "PULUMI_", "PYTEST_", "PYTHON")
"""Beginnings of variables that change what is run, and so do not come from the test's own environment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    def succeeded(self) -> Completed:
        """This, for a command that must end with 0."""
        assert self.code == 0, f"exit code {self.code}\n{self.out}\n{self.err}"
        return self

    @property
    def words(self) -> str:
        """Everything that it printed on stdout, in one line, however it was wrapped and indented."""
        return " ".join(self.out.split())

    @property
    def summary(self) -> list[str]:
        """What `pulumi` counted at the end: `["+ 4 to create"]`."""
        *_, counted = self.out.rpartition("Resources:\n")
        return [line.strip() for line in counted.partition("\n\n")[0].splitlines()]


@dataclass(slots=True, kw_only=True)
class Workshop:
    """A temporary checkout: `Pulumi.yaml`, `stacks/` and `policies/`, with the stack `production` and no topic yet.

    State is in a folder, plugins in a home of its own; nothing is shared with another workshop.

    Attributes:
        root: the folder of `Pulumi.yaml`, where commands run.
        environment: of every command.
        started: the commands so far.
    """

    root: Path
    world: World
    box: Sandbox
    environment: dict[str, str] = field(default_factory=dict)
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def pulumi(self, *arguments: str, **variables: str) -> Completed:
        """Runs `pulumi`, with further environment variables."""
        return finish(self.start("pulumi", *arguments, **variables))

    def hedgerow(self, *arguments: str, **variables: str) -> Completed:
        """Runs `hedgerow`."""
        return finish(self.start("hedgerow", *arguments, **variables))

    def start(self, program: str, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        """Starts a command and does not wait; `finish` does. It leads a process group of its own."""
        running = subprocess.Popen(
            [program, *arguments],
            cwd=self.root,
            env={**self.environment, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )
        self.started.append(running)
        return running

    def write(self, path: str, text: str) -> None:
        """Writes a file of the checkout."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def declare(self, *topics: Mapping[str, Any], file: str = "topics.yaml") -> None:
        """Writes the topics of the stack; each is what a spec says of it, with `name` alone for one that inherits."""
        spec = {"apiVersion": "hedgerow/v1", "defaults": {"project": PROJECT}, "topics": list(topics)}
        self.write(f"stacks/{STACK}/{file}", yaml.safe_dump(spec, sort_keys=False))

    def allow(self, *regions: str) -> None:
        """Has the organization allow these regions and no others, and captures that into the snapshot."""
        policy = self.tighten(*regions)
        self.write("policies/organization.yaml", _TREE + yaml.safe_dump({"policies": [policy]}))

    def tighten(self, *regions: str) -> dict[str, Any]:
        """Has the organization allow these regions and no others; the snapshot stays as it was."""
        policy = {
            "name": f"{ORGANIZATION}/policies/{LOCATIONS}",
            "spec": {"rules": [{"values": {"allowedValues": [f"in:{region}-locations" for region in regions]}}]},
        }
        self.world.set_policy(policy)
        return policy

    def live(self) -> dict[str, StoragePolicy | None]:
        """The live storage policies, by the topics' short names."""
        return {topic.name.topic: topic.policy for topic in self.world.topics()}

    def edit(self, topic: str, *regions: str, in_transit: bool = False) -> None:
        """Somebody sets a topic's storage policy, past Pulumi and hedgerow. Nothing of it is in `writes`."""

        def change(found: Any) -> None:
            found.message_storage_policy.allowed_persistence_regions[:] = regions
            found.message_storage_policy.enforce_in_transit = in_transit

        names = {live.name.topic: live.name for live in self.world.topics()}
        self.world.topic_store.change(names[topic], change)

    def state(self) -> dict[str, Any]:
        """Pulumi's state: each resource by the name at the end of its URN."""
        exported = json.loads(self.pulumi("stack", "export").succeeded().out)
        return {found["urn"].rpartition("::")[2]: found for found in exported["deployment"]["resources"]}

    def wait(self, condition: Callable[[], bool]) -> None:
        """Waits until something has come about in the sandbox."""
        until = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < until, "it did not come about"
            time.sleep(0.02)

    def writes(self) -> list[str]:
        """What was asked to be changed since the last look, sorted: `UpdateTopic orders message_storage_policy`."""
        found = [request for request in self.box.log.requests if request.writes]
        self.box.log.clear()
        return sorted(" ".join((request.method, _short(request), *(request.mask or ()))) for request in found)


def explicit(*regions: str, **flag: bool) -> dict[str, Any]:
    """What a spec says of a topic with regions of its own, and perhaps `enforceInTransit`."""
    return {"messageStoragePolicy": {"allowedPersistenceRegions": list(regions), **flag}}


def stored(*regions: str, in_transit: bool = False) -> StoragePolicy:
    """The storage policy of a live topic."""
    return StoragePolicy(regions=RegionSet.of(*regions), enforce_in_transit=in_transit)


def finish(running: subprocess.Popen[str], patience: float = PATIENCE) -> Completed:
    """Waits for a command, for so many seconds."""
    try:
        out, err = running.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        running.kill()
        out, err = running.communicate()
        raise AssertionError(f"`{shlex.join(map(str, running.args))}` did not end\n{out}\n{err}") from None  # type: ignore[arg-type]
    return Completed(code=running.returncode, out=out, err=err)


@contextmanager
def open_workshop(folder: Path) -> Iterator[Workshop]:
    """A workshop in an empty folder, with `production` as its selected Pulumi stack.

    The organization allows `ALLOWED`.
    """
    world = World(catalogue=load_catalogue())
    root = folder / "checkout"
    (root / "stacks").mkdir(parents=True)
    shutil.copy(REPOSITORY / "Pulumi.yaml", root)
    shutil.copy(REPOSITORY / "stacks" / "__main__.py", root / "stacks")
    with Sandbox(world) as box:
        workshop = Workshop(root=root, world=world, box=box, environment=_environment(folder, box))
        workshop.write(f"stacks/{STACK}/stack.yaml", _STACK)
        workshop.write("policies/organization.yaml", _TREE)
        world.load_snapshot(load_snapshot(root / "policies" / "organization.yaml"))
        workshop.allow(*ALLOWED)
        try:
            yield workshop
        finally:
            for running in workshop.started:
                if running.poll() is None:  # its test failed before it was waited for
                    running.kill()
                    running.communicate()


def _environment(folder: Path, box: Sandbox) -> dict[str, str]:
    """What a user's shell would hold, with everything that the commands keep in the folder."""
    home, commands, state = folder / "home", folder / "bin", folder / "state"
    state.mkdir()
    plugin = home / "plugins" / f"resource-gcp-v{VERSION}" / "pulumi-resource-gcp"
    _executable(plugin, "-P", "-m", "tests.engine.standin.provider")
    _executable(commands / "hedgerow", "-P", "-m", "reconciler.cli")
    path = (commands, cli.installed() or cli.folder(), Path(sys.executable).parent, os.environ["PATH"])
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(_OTHERS)},
        **{name: value for name, value in box.environment().items() if not name.startswith(("CLOUDSDK_", "PUBSUB_"))},
        "HOME": str(home),
        "HEDGEROW_RETRY_BUDGET": "5",
        "NO_COLOR": "1",
        "PATH": os.pathsep.join(map(str, path)),
        "PULUMI_BACKEND_URL": f"file://{state}",
        "PULUMI_CONFIG_PASSPHRASE": "of a workshop",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_HOME": str(home),
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        # The program's Python finds this checkout first, wherever an editable installation points.
        "PYTHONPATH": str(REPOSITORY),
    }


def _executable(path: Path, *arguments: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, *arguments])} "$@"\n')
    path.chmod(0o755)


def _short(request: LoggedRequest) -> str:
    return request.resource.rpartition("/")[2]
