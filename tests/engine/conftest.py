from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine import cli
from tests.engine.workshop import Workshop, open_workshop


@pytest.fixture(scope="session")
def engine() -> None:
    """Skips a test where there is no Pulumi CLI; in CI there must be one."""
    reason = cli.missing()
    if reason is not None:
        (pytest.fail if "CI" in os.environ else pytest.skip)(f"the Pulumi engine: {reason}")


@pytest.fixture
def bare_workshop(engine: None, tmp_path: Path) -> Iterator[Workshop]:  # noqa: ARG001 - for the skip
    """A workshop in which no Pulumi stack has been made."""
    with open_workshop(tmp_path) as workshop:
        yield workshop


@pytest.fixture
def workshop(bare_workshop: Workshop) -> Workshop:
    """A workshop with the Pulumi stack `production`."""
    bare_workshop.pulumi("stack", "init", "production").succeeded()
    return bare_workshop
