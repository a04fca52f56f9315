"""`hedgerow apply` of a saved plan, unlimited and at a rate, against bare loops that do the same get, patch, get.

Ours loads the specs, reads the policies and every topic, journals each step to the disk and reports; the loops do the
calls and nothing else.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.field_mask_pb2 import FieldMask
from google.pubsub_v1 import types as pubsub

from benchmarks.cloud import Cloud, cloud, project_ids, topic_id, world
from benchmarks.comparison import Comparison, run
from reconciler.sandbox import Sandbox
from reconciler.spec import load_catalogue

SIZE = 10_000
PROJECTS = 20
THREADS = 16

RATE = 3_000
"""Operations a minute, where they are limited."""
LIMITED_SIZE = 250
"""Changes of the limited run: three operations each, which take 15 seconds at the rate."""
SPAN = 10.0
"""Seconds in which the most operations are counted."""

_CALLS = ("GetTopic", "UpdateTopic")


def measure() -> Iterator[Comparison]:
    """Every topic has drifted; each side begins with a cloud of its own."""
    yield _unlimited()
    yield _limited()


def _unlimited() -> Comparison:
    seconds = []
    for side in (ours, bare):
        with tempfile.TemporaryDirectory() as name, cloud(SIZE, projects=PROJECTS, drifted_one_in=1) as served:
            seconds.append(side(served, Path(name), rate=None))
    return Comparison(
        work=f"apply, {SIZE:,} changes, unlimited",
        seconds=seconds[0],
        against=f"get, patch, get in {THREADS} threads",
        against_seconds=seconds[1],
        target="under 1.5",
    )


def _limited() -> Comparison:
    spans, most = [], []
    for side in (ours, bare):
        times = limited(side)
        spans.append(times[-1] - times[0])
        most.append(most_within(times, SPAN))
    used = f"{(3 * LIMITED_SIZE - 1) / spans[0] * 60 / RATE:.1%} of the rate, at most {most[0]} in any {SPAN:.0f} s"
    return Comparison(
        work=f"apply, {LIMITED_SIZE} changes at {RATE:,} operations a minute: {used}",
        seconds=spans[0],
        against=f"get, patch, get at the same rate: at most {most[1]} in any {SPAN:.0f} s",
        against_seconds=spans[1],
        target="95 to 100 % of the rate",
    )


def limited(side: Callable[..., float], size: int = LIMITED_SIZE, rate: int = RATE) -> list[float]:
    """When the calls of a limited run arrived at the sandbox, in seconds."""
    projects = project_ids(1)
    with tempfile.TemporaryDirectory() as name, Sandbox(world(size, projects, drifted_one_in=1)) as box:
        side(Cloud(grpc=box.grpc_address, rest=box.rest_url, projects=projects, topics=size), Path(name), rate=rate)
        return sorted(request.time.timestamp() for request in box.log.requests if request.method in _CALLS)


def most_within(times: Sequence[float], seconds: float) -> int:
    """The most of some sorted times that lie in any span of so many seconds, its end left out."""
    return max(bisect_left(times, start + seconds) - index for index, start in enumerate(times))


def ours(served: Cloud, folder: Path, *, rate: int | None) -> float:
    """Seconds of `hedgerow apply` of a plan that was saved before."""
    settings = (
        f"{{operationsPerMinute: {rate or 10**9}, waves: ['100%'], settle: 0s, journal: {folder}/runs, "
        "limits: {topics: 1000000, percent: 100}}"
    )
    stack = folder / "stack"
    stack.mkdir()
    served.write_stack(stack, reconcile=settings)
    command, saved = [sys.executable, "-m", "reconciler.cli"], folder / "plan.json"
    subprocess.run(
        [*command, "plan", stack, "-o", saved], env=served.environment, check=True, capture_output=True, timeout=300
    )
    return run([*command, "apply", saved], Path.cwd(), served.environment).seconds


def bare(served: Cloud, folder: Path, *, rate: int | None) -> float:
    """Seconds of the loop in a process of its own, which needs no folder."""
    del folder
    program = [sys.executable, "-m", "benchmarks.apply", served.grpc, str(served.topics), str(rate or 0)]
    return run([*program, *served.projects], Path.cwd()).seconds


def get_patch_get(address: str, topics: int, rate: int, projects: Sequence[str]) -> None:
    """The counterpart: reads, writes and reads back every topic; a rate of 0 is none."""
    channel = grpc.insecure_channel(address)
    get = _call(channel, "GetTopic", pubsub.GetTopicRequest)
    update = _call(channel, "UpdateTopic", pubsub.UpdateTopicRequest)
    regions = sorted(load_catalogue().group("eu-locations").certain.names)
    policy = pubsub.MessageStoragePolicy.pb()(allowed_persistence_regions=regions)
    mask = FieldMask(paths=["message_storage_policy"])
    begun, slots = time.monotonic(), iter(range(3 * topics))

    def paced(call: Callable[[Any], Any], request: Any) -> None:
        if rate:
            time.sleep(max(0.0, begun + next(slots) * 60 / rate - time.monotonic()))
        call(request)

    def change(index: int) -> None:
        name = f"projects/{projects[index % len(projects)]}/topics/{topic_id(index)}"
        topic = pubsub.Topic.pb()(name=name, message_storage_policy=policy)
        paced(get, pubsub.GetTopicRequest.pb()(topic=name))
        paced(update, pubsub.UpdateTopicRequest.pb()(topic=topic, update_mask=mask))
        paced(get, pubsub.GetTopicRequest.pb()(topic=name))

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(change, range(topics)))


def _call(channel: grpc.Channel, method: str, request: Any) -> Any:
    return channel.unary_unary(
        f"/google.pubsub.v1.Publisher/{method}",
        request_serializer=request.pb().SerializeToString,
        response_deserializer=pubsub.Topic.pb().FromString,
    )


if __name__ == "__main__":
    get_patch_get(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
