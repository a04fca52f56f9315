"""Both servers in front of one world."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from reconciler.errors import HedgerowError
from reconciler.sandbox.environment import environment
from reconciler.sandbox.faults import Faults
from reconciler.sandbox.gateway import Bystander, Gateway
from reconciler.sandbox.grpc_server import GrpcServer
from reconciler.sandbox.log import RequestLog
from reconciler.sandbox.rest_server import RestServer
from reconciler.sandbox.world import World


class Sandbox:
    """A local Google Cloud on 127.0.0.1: a context manager, or `start` and `stop`.

    Attributes:
        world: what exists; it outlives the servers.
        log: the requests received.
        faults: the weather.
        grpc_address: `127.0.0.1:PORT`, after the start.
        rest_url: `http://127.0.0.1:PORT`, after the start.
    """

    def __init__(self, world: World, *, grpc_port: int = 0, rest_port: int = 0) -> None:
        """Port 0 takes any free port."""
        self.world = world
        self._gateway = Gateway(world)
        self._ports = (grpc_port, rest_port)
        self._servers: tuple[GrpcServer, RestServer] | None = None

    @property
    def log(self) -> RequestLog:
        """The requests received."""
        return self._gateway.log

    @property
    def faults(self) -> Faults:
        """The faults in force."""
        return self._gateway.faults

    def stand_by(self, bystander: Bystander) -> None:
        """Has somebody stand by whenever a request is carried out: to check it, or to give another answer."""
        self._gateway.stand_by(bystander)

    @property
    def grpc_address(self) -> str:
        """Where gRPC clients connect."""
        return f"127.0.0.1:{self._running()[0].port}"

    @property
    def rest_url(self) -> str:
        """The base of REST requests, without a slash at the end."""
        return f"http://127.0.0.1:{self._running()[1].port}"

    def environment(self) -> dict[str, str]:
        """The environment variables that point clients here; gcloud's project is the first of the world."""
        return environment(self.grpc_address, self.rest_url, next(iter(self.world.projects), None))

    def start(self) -> None:
        """Opens both ports.

        Raises:
            HedgerowError: when a port is taken.
        """
        grpc_port, rest_port = self._ports
        try:
            rest = RestServer(self._gateway, rest_port)
        except OSError as error:
            raise _taken(rest_port) from error
        try:
            grpc = GrpcServer(self._gateway, grpc_port)
        except RuntimeError as error:
            rest.stop()
            raise _taken(grpc_port) from error
        grpc.start()
        rest.start()
        self._servers = (grpc, rest)

    def stop(self) -> None:
        """Closes both ports and cuts off whatever is in work, as if the network had gone."""
        if self._servers is not None:
            for server in self._servers:
                server.stop()
            self._servers = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _running(self) -> tuple[GrpcServer, RestServer]:
        if self._servers is None:
            raise RuntimeError("the sandbox is not running")
        return self._servers


def _taken(port: int) -> HedgerowError:
    return HedgerowError(
        f"port {port} on 127.0.0.1 is taken",
        hint="stop what uses it, or choose others with `--grpc-port` and `--rest-port`",
    )
