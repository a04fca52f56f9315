from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pack.server import PYTHON, Server, running
from tests.rules.examples import SNAPSHOT


@pytest.fixture(scope="session")
def pack_environment() -> None:
    """Skips a test where the pack's environment is not made; in CI it must be."""
    if not PYTHON.exists():
        (pytest.fail if "CI" in os.environ else pytest.skip)("the policy pack's environment: run `make pack`")


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The organization of the manual's examples."""
    path = tmp_path_factory.mktemp("organization") / "organization.yaml"
    path.write_text(SNAPSHOT, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def _running(pack_environment: None) -> Iterator[Server]:  # noqa: ARG001 - for the skip
    with running() as server:
        yield server


@pytest.fixture
def pack(_running: Server, snapshot: Path) -> Server:
    """The pack, at the organization of the manual's examples."""
    _running.configure(organization={"snapshot": str(snapshot)})
    return _running
