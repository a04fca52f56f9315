"""The REST side: every service and the control endpoint on one port, plain HTTP."""

from __future__ import annotations

import asyncio
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from typing import Any

import uvicorn
from google.protobuf.json_format import MessageToJson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from reconciler.sandbox.calls import Call, Transport
from reconciler.sandbox.control import control_routes
from reconciler.sandbox.errors import ApiError, Gone
from reconciler.sandbox.gateway import Gateway
from reconciler.sandbox.transcoding import Routes

_WORKERS = 64
_PATIENCE = 0.05
"""Seconds after which a request in work is watched for its client going away; watching each one would cost time."""

_GRACE = 1
"""Seconds that requests in work get to notice the end."""

_VERBS = ["GET", "PUT", "POST", "PATCH", "DELETE"]


class RestServer:
    """A server on 127.0.0.1 in a thread of its own, started by `start`, ended by `stop`."""

    def __init__(self, gateway: Gateway, port: int) -> None:
        self._gateway = gateway
        self._routes = Routes()
        self._socket = socket.create_server(("127.0.0.1", port))
        # asyncio sets this only on sockets that name their protocol; without it every answer waits 40 ms for an
        # acknowledgement. Accepted sockets inherit it.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port: int = self._socket.getsockname()[1]
        self._pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="sandbox-rest")
        self._stopping = False
        self._in_work: set[Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        app = Starlette(routes=[*control_routes(gateway), Route("/{path:path}", self._endpoint, methods=_VERBS)])
        self._server = uvicorn.Server(
            uvicorn.Config(
                app, lifespan="off", ws="none", log_config=None, access_log=False, timeout_graceful_shutdown=_GRACE
            )
        )
        self._thread = Thread(target=lambda: asyncio.run(self._serve()), name="sandbox-rest", daemon=True)

    def start(self) -> None:
        """Takes requests from now on."""
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.005)

    def stop(self) -> None:
        """Cuts every request in work off, and returns when the port is closed."""
        self._server.should_exit = True
        if self._loop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._give_up)
            self._thread.join()
        self._socket.close()
        self._pool.shutdown(wait=True)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        await self._server.serve([self._socket])

    def _give_up(self) -> None:
        self._stopping = True
        for gone in self._in_work:
            gone.set()

    async def _endpoint(self, request: Request) -> Response:
        gone = Event()
        self._in_work.add(gone)
        try:
            call = Call.of(Transport.REST, dict(request.headers), gone=gone)
            body = await request.body()
            if self._stopping:
                gone.set()
            query, path = request.query_params.multi_items(), str(request.scope["path"])
            work = asyncio.get_running_loop().run_in_executor(
                self._pool, self._carry_out, request.method, path, query, body, call
            )
            return await _answer(request, work, gone)
        finally:
            gone.set()
            self._in_work.discard(gone)

    def _carry_out(self, verb: str, path: str, query: Any, body: bytes, call: Call) -> Response:
        try:
            method, request = self._routes.request(verb, path, query, body)
            return Response(MessageToJson(self._gateway.answer(method, request, call)), media_type="application/json")
        except ApiError as error:
            return JSONResponse(error.to_json(), status_code=error.code.http_status)
        except Gone:
            return Response(status_code=499)


async def _answer(request: Request, work: asyncio.Future[Response], gone: Event) -> Response:
    """The answer of a thread, which is told when the client goes away first."""
    done, _ = await asyncio.wait({work}, timeout=_PATIENCE)
    while not done:
        if await request.is_disconnected():
            gone.set()
        done, _ = await asyncio.wait({work}, timeout=_PATIENCE)
    return work.result()
