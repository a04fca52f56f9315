"""Runs programs against a monitor that takes every resource, and returns what they asked for, as on the wire.

Pulumi's own mock monitor starts an event loop for each thread and never closes it, so resources are registered here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pytest
from google.protobuf.empty_pb2 import Empty
from google.protobuf.json_format import MessageToDict
from pulumi.runtime import mocks, settings, stack
from pulumi.runtime.proto import resource_pb2

STACK = "pulumi:pulumi:Stack"
TOPIC = "gcp:pubsub/topic:Topic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """One resource that a program registered."""

    urn: str
    type: str
    name: str
    inputs: dict[str, Any]
    protect: bool
    import_id: str = ""
    provider: str = ""


@dataclass(slots=True, kw_only=True)
class Ran:
    """What a program did: the resources that it registered, and the outputs that it exported."""

    registered: list[Registered] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)

    @property
    def topics(self) -> dict[str, dict[str, Any]]:
        """The declared inputs of each topic, by the resource's name."""
        return {resource.name: resource.inputs for resource in self.registered if resource.type == TOPIC}

    @property
    def by_name(self) -> dict[str, Registered]:
        """The registered resources."""
        return {resource.name: resource for resource in self.registered}


class _NoAnswers(mocks.Mocks):
    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        raise AssertionError(f"`{args.name}` did not go to the monitor")

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[Any, Any], list[tuple[str, str]] | None]:
        raise AssertionError(f"a program asks the cloud nothing, and this one called `{args.token}`")


class _Monitor(mocks.MockMonitor):
    def __init__(self, ran: Ran) -> None:
        super().__init__(_NoAnswers())
        self.ran = ran

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - the protocol's name
        urn = self.make_urn(request.parent, request.type, request.name)
        if request.type != STACK:
            self.ran.registered.append(
                Registered(
                    urn=urn,
                    type=request.type,
                    name=request.name,
                    inputs=MessageToDict(request.object),
                    protect=request.protect,
                    import_id=request.importId,
                    provider=request.provider,
                )
            )
        return resource_pb2.RegisterResourceResponse(urn=urn, id=f"{request.name}-id", object=request.object)

    def RegisterResourceOutputs(self, request: Any) -> Empty:  # noqa: N802 - the protocol's name
        if STACK in request.urn:
            self.ran.outputs.update(MessageToDict(request.outputs))
        return Empty()


RunProgram = Callable[..., Ran]


@pytest.fixture
def run_program() -> Iterator[RunProgram]:
    """Runs a program as the Pulumi stack `demo` of the project `hedgerow`; `ran` also shows what a failing one did."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)

    def run(program: Callable[[], object], *, config: dict[str, str] | None = None, ran: Ran | None = None) -> Ran:
        ran = ran or Ran()
        mocks.set_mocks(_NoAnswers(), project="hedgerow", stack="demo", preview=False, monitor=_Monitor(ran))
        pulumi.runtime.set_all_config(config or {})
        settings.set_root_resource(None)  # type: ignore[arg-type]  # each run has its own stack

        def discarding() -> None:
            program()

        loop.run_until_complete(stack.run_in_stack(discarding))
        return ran

    yield run
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()
    asyncio.set_event_loop(None)
