"""`hedgerow plan` against Cloud Custodian listing the same topics, both from the sandbox.

Custodian asks the REST endpoint, page by page and project by project, as `custodian run` does with a policy of no
filter on `gcp.pubsub-topic`. It lists all projects in one process here; it compares nothing. Its releases pin versions
of Google's clients that are not ours, so it gets an environment of its own, in the cache folder.
"""

from __future__ import annotations

import subprocess
import tempfile
import venv
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import median

from benchmarks.cloud import Cloud, cloud
from benchmarks.comparison import Comparison, Skipped, cache, run
from benchmarks.plan import LATENCY, plan

REQUIREMENTS = ("c7n==0.9.53", "c7n-gcp==0.4.52")

TOPICS_A_PROJECT = 500
CASES = ((1_000, 0.0, 3), (10_000, 0.0, 3), (10_000, LATENCY, 3), (100_000, LATENCY, 1))
"""Topics, seconds that each call takes, and rounds."""

RUNNER = """\
import sys

import google.auth
from google.auth.credentials import AnonymousCredentials
from googleapiclient import discovery

endpoint, folder, *projects = sys.argv[1:]
google.auth.default = lambda *args, **named: (AnonymousCredentials(), None)
build = discovery.build
discovery.build = lambda *args, **named: build(*args, **named, client_options={"api_endpoint": endpoint})

from c7n.config import Config
from c7n.policy import PolicyCollection
from c7n.resources import load_resources
from c7n.utils import reset_session_cache

load_resources(("gcp.pubsub-topic",))
wanted = {"policies": [{"name": "topics", "resource": "gcp.pubsub-topic"}]}
for project in projects:
    reset_session_cache()
    options = Config.empty(account_id=project, output_dir=f"{folder}/{project}", log_group=None, cache=None)
    for policy in PolicyCollection.from_data(wanted, options):
        policy.run()
"""
"""Points Custodian at an endpoint without credentials; it leaves PROJECT/topics/resources.json in a folder."""


def measure() -> Iterator[Comparison | Skipped]:
    """Both at each size; Custodian's time holds its start, as ours does."""
    python = find_custodian()
    for topics, latency, rounds in CASES:
        work = f"plan, {topics:,} topics in {topics // TOPICS_A_PROJECT} projects"
        work += f", {latency * 1000:.0f} ms a call" if latency else ""
        against = "Cloud Custodian listing them"
        if isinstance(python, str):
            yield Skipped(work=work, against=against, reason=python)
            continue
        with tempfile.TemporaryDirectory() as name, _cloud(topics, latency) as served:
            stack, listed = Path(name) / "stack", Path(name) / "listed"
            stack.mkdir()
            served.write_stack(stack)
            pairs = [(plan(served, stack).seconds, list_by_custodian(python, served, listed)) for _ in range(rounds)]
        yield Comparison(
            work=work,
            seconds=median(own for own, _ in pairs),
            against=against,
            against_seconds=median(other for _, other in pairs),
            target="at most 0.1",
        )


def _cloud(topics: int, latency: float) -> AbstractContextManager[Cloud]:
    return cloud(topics, projects=topics // TOPICS_A_PROJECT, latency=latency)


def list_by_custodian(python: Path, served: Cloud, folder: Path) -> float:
    """Seconds that Custodian takes; what it found lies in a folder for each project."""
    program: list[str | Path] = [python, "-c", RUNNER, served.rest, folder, *served.projects]
    return run(program, Path.cwd()).seconds


def _environment() -> Path:
    return cache() / "-".join(REQUIREMENTS)


def present_custodian() -> Path | None:
    """The Python of an environment that holds Custodian, from an earlier run."""
    python = _environment() / "bin" / "python"
    return python if (_environment() / "complete").is_file() else None


def find_custodian() -> Path | str:
    """The same, made in `$XDG_CACHE_HOME/hedgerow-benchmarks` where needed; else why there is none."""
    if present := present_custodian():
        return present
    python = _environment() / "bin" / "python"
    command: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    try:
        venv.create(_environment(), with_pip=True, clear=True)
        subprocess.run([*command, *REQUIREMENTS], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"`pip install {' '.join(REQUIREMENTS)}` in an environment of its own: {error}"
    (_environment() / "complete").touch()
    return python
