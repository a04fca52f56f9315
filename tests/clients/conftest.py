from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from reconciler.model import RegionSet, StoragePolicy
from reconciler.orgpolicy import Resource, Snapshot
from reconciler.sandbox import Sandbox, World
from reconciler.spec import load_catalogue
from tests.clients.driver import Driver
from tests.clients.services import ORDERS, PAYMENTS
from tests.clients.toolchains import TOOLCHAINS, Toolchain
from tests.hedging.builders import PROJECT

Drivers = Callable[[str], Driver]


def built(toolchain: Toolchain) -> Toolchain:
    """Skips a test whose client or service is not built; in CI it must be."""
    reason = toolchain.missing
    if reason is not None:
        (pytest.fail if "CI" in os.environ else pytest.skip)(f"{toolchain.name}: {reason}")
    return toolchain


@pytest.fixture(scope="session")
def drivers() -> Iterator[Drivers]:
    """The driver of a language, started when it is first asked for."""
    running: dict[str, Driver] = {}
    with ExitStack() as stack:

        def driver(language: str) -> Driver:
            toolchain = built(TOOLCHAINS[language])
            if language not in running:
                running[language] = stack.enter_context(Driver(toolchain.program("driver")))
            return running[language]

        yield driver


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox with the topics of the example service, which no policy constrains."""
    world = World(catalogue=load_catalogue())
    organization = "organizations/123456789012"
    resources = (Resource(name=organization), Resource(name=f"projects/{PROJECT}", parent=organization, number="111"))
    world.load_snapshot(
        Snapshot(organization=organization, resources={resource.name: resource for resource in resources})
    )
    for topic in (ORDERS, PAYMENTS):
        world.put_topic(topic, StoragePolicy(regions=RegionSet.of("europe-west1"), enforce_in_transit=False))
    with Sandbox(world) as running:
        yield running


@pytest.fixture
def calm(sandbox: Sandbox) -> Sandbox:
    """The sandbox, without weather and with an empty log."""
    sandbox.faults.clear()
    sandbox.log.clear()
    return sandbox
