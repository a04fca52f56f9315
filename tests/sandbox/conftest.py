from __future__ import annotations

from collections.abc import Iterator

import grpc
import pytest

from reconciler.sandbox import Sandbox, World
from tests.sandbox.builders import new_world


@pytest.fixture
def world() -> World:
    return new_world()


@pytest.fixture
def box(world: World) -> Iterator[Sandbox]:
    with Sandbox(world) as running:
        yield running


@pytest.fixture
def channel(box: Sandbox) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(box.grpc_address) as opened:
        yield opened
