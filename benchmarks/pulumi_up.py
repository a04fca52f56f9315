"""`pulumi up` of a stack, against a minimal hand-written program that declares the same topics; and how it grows.

All run on the real engine, with the stand-ins of `tests/engine` for the language host and the provider, and without
checkpoints: with them the engine's own work grows with the square of the topics and hides ours.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median

from benchmarks.comparison import Comparison, Skipped
from tests.engine import cli
from tests.engine.workshop import PROJECT, Workshop, explicit, finish, open_workshop

SIZE = 1_000
ROUNDS = 3
GROWTH = (2_000, 5_000)
"""Topics of one Pulumi stack, against as many times a thousand."""
SHARDS = 10
"""Pulumi stacks of the largest fleet, of about a thousand topics each."""
PATIENCE = 3_600
"""Seconds after which a large fleet that does not end fails the benchmark."""
REGIONS = ("europe-west1", "europe-west4")

MINIMAL = f"""\
import pulumi
import pulumi_gcp as gcp

for number in range({{size}}):
    gcp.pubsub.Topic(
        f"topic-{{{{number}}}}",
        name=f"topic-{{{{number}}}}",
        project="{PROJECT}",
        deletion_policy="PREVENT",
        message_storage_policy=gcp.pubsub.TopicMessageStoragePolicyArgs(
            allowed_persistence_regions={list(REGIONS)}, enforce_in_transit=False
        ),
        opts=pulumi.ResourceOptions(protect=True),
    )
"""
"""The counterpart; `size` is to be filled in."""

_AGAINST = "a minimal program that declares the same topics"
_COMMANDS = {
    "creating them": ("up", "--yes", "--skip-preview"),
    "nothing to do": ("up", "--yes", "--skip-preview", "--expect-no-changes"),
    "preview, nothing to do": ("preview", "--expect-no-changes"),
}


def measure() -> Iterator[Comparison | Skipped]:
    """Creates the topics, then has nothing to do."""
    reason = cli.missing()
    if reason is not None:
        yield Skipped(work=f"pulumi up, {SIZE:,} topics", against=_AGAINST, reason=f"no Pulumi CLI: {reason}")
        return
    rounds = [(timed(SIZE, declared), timed(SIZE, spelled_out)) for _ in range(ROUNDS)]
    for work in _COMMANDS:
        yield Comparison(
            work=f"pulumi up, {SIZE:,} topics, {work}",
            seconds=median(ours[work] for ours, _ in rounds),
            against=_AGAINST,
            against_seconds=median(bare[work] for _, bare in rounds),
            target="at most 1.1",
        )

    yield from _growth()


def _growth() -> Iterator[Comparison]:
    """One Pulumi stack of several sizes, and ten times the topics in ten; one round each, as they take minutes."""
    creating = "creating them"
    thousand = timed(SIZE, declared, works=(creating,))[creating]
    for size in GROWTH:
        yield Comparison(
            work=f"pulumi up, {size:,} topics in one Pulumi stack, {creating}",
            seconds=timed(size, declared, works=(creating,))[creating],
            against=f"{size // SIZE} times {SIZE:,}",
            against_seconds=size / SIZE * thousand,
            target="",
        )
    yield Comparison(
        work=f"hedgerow pulumi up, {SHARDS * SIZE:,} topics in {SHARDS} Pulumi stacks: preview, guard, update",
        seconds=wrapped(SHARDS * SIZE, shards=SHARDS),
        against=f"{SHARDS} times {SIZE:,} topics in one",
        against_seconds=SHARDS * wrapped(SIZE, shards=1),
        target="linear: about 1.0",
    )


def wrapped(size: int, *, shards: int) -> float:
    """Seconds in which `hedgerow pulumi up` creates the topics of a stack in several Pulumi stacks."""
    with tempfile.TemporaryDirectory() as folder, open_workshop(Path(folder)) as workshop:
        declared(workshop, size)
        if shards > 1:
            stack = workshop.root / "stacks/production/stack.yaml"
            stack.write_text(f"{stack.read_text('utf-8')}pulumi: {{shards: {shards}}}\n", encoding="utf-8")
        for name in workshop.hedgerow("pulumi", "stacks", "production", "--format", "names").succeeded().out.split():
            workshop.pulumi("stack", "init", name).succeeded()
        begun = time.perf_counter()
        finish(workshop.start("hedgerow", "pulumi", "up", "production", "--checkpoints", "never"), PATIENCE).succeeded()
        return time.perf_counter() - begun


def timed(size: int, program: Callable[[Workshop, int], None], works: Iterable[str] = _COMMANDS) -> dict[str, float]:
    """Seconds of each command, in a workshop of its own."""
    with tempfile.TemporaryDirectory() as folder, open_workshop(Path(folder)) as workshop:
        program(workshop, size)
        workshop.pulumi("stack", "init", "production").succeeded()
        return {work: _seconds(workshop, _COMMANDS[work]) for work in works}


def declared(workshop: Workshop, size: int) -> None:
    """A stack of specs, which the program of the repository declares."""
    workshop.declare(*({"name": f"topic-{number}", **explicit(*REGIONS)} for number in range(size)))


def spelled_out(workshop: Workshop, size: int) -> None:
    """The counterpart in the place of the repository's program."""
    workshop.write("stacks/__main__.py", MINIMAL.format(size=size))


def _seconds(workshop: Workshop, arguments: tuple[str, ...]) -> float:
    begun = time.perf_counter()
    workshop.pulumi(*arguments, "--suppress-progress", PULUMI_SKIP_CHECKPOINTS="true").succeeded()
    return time.perf_counter() - begun
