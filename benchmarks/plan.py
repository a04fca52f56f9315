"""`hedgerow plan` against a bare loop that lists and decodes the same pages, both over gRPC from the sandbox.

The sandbox runs in a process of its own. Without latency it is the hardest case: nothing hides what we do ourselves.
With some, both wait for the same pages, as they do with a network in between.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

import grpc
from google.pubsub_v1 import types as pubsub

from benchmarks.cloud import Cloud, cloud
from benchmarks.comparison import Comparison, Ended, run

PROJECTS = 200
LATENCY = 0.05
CASES = ((1_000, 0.0), (10_000, 0.0), (100_000, 0.0), (100_000, LATENCY))
"""Topics, and seconds that each call takes."""

ROUNDS = 3


def measure() -> Iterator[Comparison]:
    """Plans at each size; one topic in ten has drifted."""
    for topics, latency in CASES:
        with tempfile.TemporaryDirectory() as name, cloud(topics, projects=PROJECTS, latency=latency) as served:
            folder = served.write_stack(Path(name))
            rounds = [(plan(served, folder), list_apart(served)) for _ in range(ROUNDS)]
        peak = max(ours.memory for ours, _ in rounds) / 2**20
        waiting = f", {latency * 1000:.0f} ms a call" if latency else ""
        yield Comparison(
            work=f"plan, {topics:,} topics in {PROJECTS} projects{waiting}, {peak:.0f} MiB at most",
            seconds=median(ours.seconds for ours, _ in rounds),
            against="listing and decoding the same pages",
            against_seconds=median(bare.seconds for _, bare in rounds),
            target="under 2; under 400 MiB" if topics == CASES[-1][0] else "",
        )


def plan(served: Cloud, stack: Path) -> Ended:
    """The whole command: reading specs, policies and topics, checking, comparing, printing."""
    return run([sys.executable, "-m", "reconciler.cli", "plan", stack], Path.cwd(), served.environment)


def list_apart(served: Cloud) -> Ended:
    """The counterpart in a process of its own."""
    return run([sys.executable, "-m", "benchmarks.plan", served.grpc, *served.projects], Path.cwd())


def list_all(address: str, projects: Sequence[str]) -> dict[str, frozenset[str]]:
    """The counterpart: every page of every project, decoded to names and sets of regions, 16 projects at a time."""
    channel = grpc.insecure_channel(address, [("grpc.max_receive_message_length", -1)])
    call: Any = channel.unary_unary(
        "/google.pubsub.v1.Publisher/ListTopics",
        request_serializer=pubsub.ListTopicsRequest.pb().SerializeToString,
        response_deserializer=pubsub.ListTopicsResponse.pb().FromString,
    )
    request = pubsub.ListTopicsRequest.pb()

    def of_project(project: str) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        token = ""
        while True:
            page = call(request(project=f"projects/{project}", page_size=1000, page_token=token))
            for topic in page.topics:
                found[topic.name] = frozenset(topic.message_storage_policy.allowed_persistence_regions)
            token = page.next_page_token
            if not token:
                return found

    with ThreadPoolExecutor(16) as pool:
        return {name: regions for found in pool.map(of_project, projects) for name, regions in found.items()}


if __name__ == "__main__":
    list_all(sys.argv[1], sys.argv[2:])
