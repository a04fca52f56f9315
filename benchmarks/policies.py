"""Evaluating the policies of 2,000 projects, against reading the snapshot that holds them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.comparison import Comparison, medians
from benchmarks.fleets import organization
from reconciler.spec import load_catalogue, load_snapshot

SIZES = (200, 2_000)
ROUNDS = 5


def measure() -> Iterator[Comparison]:
    """How much the evaluation costs beside taking in its input."""
    for size in SIZES:
        projects = [f"acme-{number:04}-prod" for number in range(size)]
        text = json.dumps(organization(projects))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "organization.yaml"
            path.write_text(text, encoding="utf-8")
            snapshot, catalogue = load_snapshot(path), load_catalogue()

            def evaluate() -> None:
                for project in projects:  # noqa: B023 - called in this round only
                    snapshot.effective_policy(project, catalogue)  # noqa: B023

            def read() -> None:
                load_snapshot(path)  # noqa: B023

            seconds, against_seconds = medians(evaluate, read, rounds=ROUNDS)
        yield Comparison(
            work=f"effective policies of {size:,} projects",
            seconds=seconds,
            against="reading and validating the snapshot",
            against_seconds=against_seconds,
            target="under 1,000 ms" if size == SIZES[-1] else "",
        )
