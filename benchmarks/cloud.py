"""A sandbox in a process of its own, full of topics of which some have drifted, and the stack that declares them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from reconciler.model import RegionSet, StoragePolicy, TopicName
from reconciler.orgpolicy import Resource, Snapshot
from reconciler.sandbox import Fault, Sandbox, World
from reconciler.spec import load_catalogue

ORGANIZATION = "organizations/123456789012"

_STACK = """\
apiVersion: hedgerow/v1
organization: {organization}
policySource: live
projects: [{projects}]
reconcile: {reconcile}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """Where a running sandbox is, and what is in it.

    Attributes:
        grpc: `127.0.0.1:PORT`.
        rest: `http://127.0.0.1:PORT`.
        projects: their ids.
        topics: how many there are, dealt out to the projects in turn.
    """

    grpc: str
    rest: str
    projects: tuple[str, ...]
    topics: int

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which hedgerow finds the sandbox."""
        services = ("PUBSUB", "ORG_POLICY", "RESOURCE_MANAGER")
        return {**os.environ, **{f"HEDGEROW_{service}_ENDPOINT": f"http://{self.grpc}" for service in services}}

    def write_stack(self, folder: Path, *, reconcile: str = "{}") -> Path:
        """A stack that declares all topics as inheriting, a file for each project; `reconcile` as in `stack.yaml`."""
        text = _STACK.format(organization=ORGANIZATION, projects=", ".join(self.projects), reconcile=reconcile)
        (folder / "stack.yaml").write_text(text, encoding="utf-8")
        for place, project in enumerate(self.projects):
            names = range(place, self.topics, len(self.projects))
            entries = "".join(f"  - {{name: {topic_id(name)}, project: {project}}}\n" for name in names)
            (folder / f"{project}.yaml").write_text(f"topics:\n{entries}", encoding="utf-8")
        return folder


@contextmanager
def cloud(topics: int, *, projects: int, latency: float = 0.0, drifted_one_in: int = 10) -> Iterator[Cloud]:
    """Runs a sandbox until the block ends.

    Args:
        topics: how many there are.
        projects: how many projects share them.
        latency: seconds that every call takes at least.
        drifted_one_in: of how many topics of a project one has drifted; 1 for all.
    """
    names = project_ids(projects)
    settings = [str(topics), str(latency), str(drifted_one_in)]
    program = [sys.executable, "-m", "benchmarks.cloud", *settings, *names]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        grpc, rest = server.stdout.readline().split()
        try:
            yield Cloud(grpc=grpc, rest=rest, projects=names, topics=topics)
        finally:
            server.stdin.close()


def topic_id(index: int) -> str:
    """The id of a topic by its number."""
    return f"topic-{index:06}"


def project_ids(projects: int) -> tuple[str, ...]:
    """The ids of so many projects."""
    return tuple(f"acme-p{number:03}-prod" for number in range(projects))


def world(topics: int, projects: Sequence[str], *, drifted_one_in: int) -> World:
    """An organization that allows the EU's regions; messages of a drifted topic may rest in `us-east1` as well."""
    resources = {ORGANIZATION: Resource(name=ORGANIZATION)}
    for number, project in enumerate(projects, start=1_000_000):
        name = f"projects/{project}"
        resources[name] = Resource(name=name, parent=ORGANIZATION, number=str(number))
    catalogue = load_catalogue()
    filled = World(catalogue=catalogue)
    filled.load_snapshot(Snapshot(organization=ORGANIZATION, resources=resources))
    filled.set_policy(
        {
            "name": f"{ORGANIZATION}/policies/gcp.resourceLocations",
            "spec": {"rules": [{"values": {"allowedValues": ["in:eu-locations"]}}]},
        }
    )
    allowed = catalogue.group("eu-locations").certain
    clean, drifted = StoragePolicy(regions=allowed), StoragePolicy(regions=allowed | RegionSet.of("us-east1"))
    for index in range(topics):
        turn, place = divmod(index, len(projects))
        policy = clean if turn % drifted_one_in else drifted
        filled.put_topic(TopicName(projects[place], topic_id(index)), policy)
    return filled


def main(topics: str, latency: str, drifted_one_in: str, *projects: str) -> None:
    """Serves until stdin ends; prints both addresses first."""
    with Sandbox(world(int(topics), projects, drifted_one_in=int(drifted_one_in))) as box:
        if float(latency):
            box.faults.add(Fault(latency=float(latency)))
        print(box.grpc_address, box.rest_url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
