"""The policy pack over 1,000 topics, against a pack with one policy that does nothing.

Both are driven as the engine does it, over the analyzer protocol and one resource after the other: Remediate and
Analyze for each, then AnalyzeStack for all. A pack without any policy is refused by Pulumi's SDK.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pulumi.runtime.proto import analyzer_pb2

from benchmarks.comparison import Comparison, Skipped, medians
from reconciler.pulumi.pack.topics import TOPIC
from tests.pack.server import PACK, PYTHON, running, structure

SIZES = (1_000, 10_000)
ROUNDS = 5

EMPTY = """\
from pulumi_policy import PolicyPack, ResourceValidationPolicy

PolicyPack("empty", [ResourceValidationPolicy("nothing", "Nothing is demanded", lambda args, report: None)])
"""


def measure() -> Iterator[Comparison | Skipped]:
    """What the pack adds to a topic beside what any pack costs."""
    against = "a pack with one policy that does nothing"
    if not PYTHON.exists():
        yield Skipped(work="policy pack", against=against, reason="`make pack` makes its environment")
        return
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "__main__.py").write_text(EMPTY, encoding="utf-8")
        with running(PACK) as ours, running(Path(name)) as empty:
            for size in SIZES:
                requests = [topic(number) for number in range(size)]
                stack = analyzer_pb2.AnalyzeStackRequest(resources=[output(request) for request in requests])
                judge(ours.stub, requests[:50], stack)
                judge(empty.stub, requests[:50], stack)
                before = ours.processor_seconds - empty.processor_seconds
                seconds, against_seconds = medians(
                    lambda: judge(ours.stub, requests, stack),  # noqa: B023 - called in this round only
                    lambda: judge(empty.stub, requests, stack),  # noqa: B023
                    rounds=ROUNDS,
                )
                more = (seconds - against_seconds) / size * 1000
                work = (ours.processor_seconds - empty.processor_seconds - before) / ROUNDS / size * 1000
                yield Comparison(
                    work=f"policy pack, {size:,} topics: {more:.2f} ms a topic more, {work:.2f} of it processor time",
                    seconds=seconds,
                    against=against,
                    against_seconds=against_seconds,
                    target="at most 0.2 ms a topic more",
                )


def judge(stub: Any, requests: list[Any], stack: Any) -> int:
    """Asks a pack about every topic and about all together; how many violations there are."""
    found = 0
    for request in requests:
        stub.Remediate(request)
        found += len(stub.Analyze(request).diagnostics)
    return found + len(stub.AnalyzeStack(stack).diagnostics)


def topic(number: int) -> Any:
    """A topic without a mistake, as the engine sends it: of ten, four list regions and six follow the organization."""
    name = f"orders-{number:06}"
    properties: dict[str, Any] = {
        "name": name,
        "project": "acme-orders-prod",
        "deletionPolicy": "PREVENT",
        "labels": {"team": f"team-{number % 40}", "component": f"component-{number % 300}", "tier": "gold"},
        "messageRetentionDuration": "604800s",
    }
    if number % 10 < 4:
        regions = ["europe-west1", f"europe-west{3 + number % 2}"]
        properties["messageStoragePolicy"] = {"allowedPersistenceRegions": regions, "enforceInTransit": False}
    return analyzer_pb2.AnalyzeRequest(
        type=TOPIC,
        properties=structure(properties),
        urn=f"urn:pulumi:production::hedgerow::hedgerow:pubsub:TopicFleet${TOPIC}::acme-orders-prod/{name}",
        name=f"acme-orders-prod/{name}",
        provider=analyzer_pb2.AnalyzerProviderResource(
            type="pulumi:providers:gcp", properties=structure({"version": "10.2.0"}), urn="urn", name="default"
        ),
    )


def output(request: Any) -> Any:
    """The same topic as the service has it."""
    made = analyzer_pb2.AnalyzerResource(
        type=request.type, properties=request.properties, urn=request.urn, name=request.name
    )
    regions = ["europe-west1", "europe-west3", "europe-west4"]
    if "messageStoragePolicy" not in made.properties.fields:
        made.properties.update({"messageStoragePolicy": {"allowedPersistenceRegions": regions}})
    return made
