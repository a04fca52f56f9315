"""`hedgerow plan` against a bare loop that lists and decodes the same pages, both over gRPC from the sandbox.

The sandbox runs in a process of its own and answers without latency, which is the hardest case: with a network in
between, both wait for the same pages.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import grpc
from google.pubsub_v1 import types as pubsub

from benchmarks.comparison import Comparison, medians

PROJECTS = 200
SIZES = (1_000, 10_000, 100_000)

_STACK = """\
apiVersion: hedgerow/v1
organization: organizations/123456789012
policySource: live
projects: [{projects}]
"""

_SERVER = """
import sys
from reconciler.model import RegionSet, StoragePolicy, TopicName
from reconciler.orgpolicy import Resource, Snapshot
from reconciler.sandbox import Sandbox, World
from reconciler.spec import load_catalogue
topics, projects = int(sys.argv[1]), sys.argv[2].split(",")
organization = "organizations/123456789012"
resources = {organization: Resource(name=organization)}
for number, project in enumerate(projects, start=1_000_000):
    resources[f"projects/{project}"] = Resource(name=f"projects/{project}", parent=organization, number=str(number))
world = World(catalogue=load_catalogue())
world.load_snapshot(Snapshot(organization=organization, resources=resources))
world.set_policy({
    "name": f"{organization}/policies/gcp.resourceLocations",
    "spec": {"rules": [{"values": {"allowedValues": ["in:eu-locations"]}}]},
})
allowed = load_catalogue().group("eu-locations").certain
policies = [StoragePolicy(regions=allowed | RegionSet.of("us-east1")), *[StoragePolicy(regions=allowed)] * 9]
for index in range(topics):
    turn, place = divmod(index, len(projects))
    world.put_topic(TopicName(projects[place], f"topic-{index:06}"), policies[turn % 10])
with Sandbox(world) as box:
    print(box.grpc_address, flush=True)
    sys.stdin.read()
"""


def measure() -> Iterator[Comparison]:
    """Plans at each size; one topic in ten has drifted."""
    for topics in SIZES:
        with tempfile.TemporaryDirectory() as folder, _cloud(topics) as address:
            stack = _write_stack(Path(folder), topics)
            ours, bare = medians(partial(_plan, stack), partial(_list, address), rounds=3)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        yield Comparison(
            work=f"plan, {topics:,} topics in {PROJECTS} projects, loading, checking and printing included; "
            f"at most {peak} MiB",
            seconds=ours,
            against="listing and decoding the same pages",
            against_seconds=bare,
            target="under 2 times, under 400 MiB",
        )


def _projects() -> list[str]:
    return [f"acme-p{number:03}-prod" for number in range(PROJECTS)]


@contextmanager
def _cloud(topics: int) -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(topics), ",".join(_projects())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        for service in ("PUBSUB", "ORG_POLICY", "RESOURCE_MANAGER"):
            os.environ[f"HEDGEROW_{service}_ENDPOINT"] = f"http://{address}"
        try:
            yield address
        finally:
            assert server.stdin is not None
            server.stdin.close()


def _write_stack(folder: Path, topics: int) -> Path:
    (folder / "stack.yaml").write_text(_STACK.format(projects=", ".join(_projects())), encoding="utf-8")
    for number, project in enumerate(_projects()):
        names = range(number, topics, PROJECTS)
        entries = "".join(f"  - {{name: topic-{name:06}, project: {project}}}\n" for name in names)
        (folder / f"{project}.yaml").write_text(f"topics:\n{entries}", encoding="utf-8")
    return folder


def _plan(stack: Path) -> None:
    command = [sys.executable, "-m", "reconciler.cli", "plan", str(stack)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


_LIST = """
import sys
from benchmarks.plan import list_all
list_all(sys.argv[1])
"""


def _list(address: str) -> None:
    subprocess.run([sys.executable, "-c", _LIST, address], check=True)


def list_all(address: str) -> int:
    """The counterpart: every page of every project, decoded to names and sets of regions, 16 projects at a time."""
    channel = grpc.insecure_channel(address, [("grpc.max_receive_message_length", -1)])
    call: Any = channel.unary_unary(
        "/google.pubsub.v1.Publisher/ListTopics",
        request_serializer=pubsub.ListTopicsRequest.pb().SerializeToString,
        response_deserializer=pubsub.ListTopicsResponse.pb().FromString,
    )
    request = pubsub.ListTopicsRequest.pb()

    def of_project(project: str) -> int:
        found, token = {}, ""
        while True:
            page = call(request(project=f"projects/{project}", page_size=1000, page_token=token))
            for topic in page.topics:
                found[topic.name] = frozenset(topic.message_storage_policy.allowed_persistence_regions)
            token = page.next_page_token
            if not token:
                return len(found)

    with ThreadPoolExecutor(16) as pool:
        return sum(pool.map(of_project, _projects()))
