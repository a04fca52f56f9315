"""The REST side: every service and the control endpoint on one port, plain HTTP."""

from __future__ import annotations

import asyncio
import socket
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

_VERBS = ["GET", "PUT", "POST", "PATCH", "DELETE"]


class RestServer:
    """A server on 127.0.0.1 in a thread of its own, started by `start`, ended by `stop`."""

    def __init__(self, gateway: Gateway, port: int) -> None:
        self._socket = socket.create_server(("127.0.0.1", port))
        self.port: int = self._socket.getsockname()[1]
        self._pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="sandbox-rest")
        self._stopping = Event()
        self._in_work: set[Event] = set()
        app = Starlette(
            routes=[*control_routes(gateway), Route("/{path:path}", self._endpoint(gateway), methods=_VERBS)]
        )
        config = uvicorn.Config(app, lifespan="off", ws="none", log_config=None, access_log=False)
        self._server = uvicorn.Server(config)
        self._thread = Thread(target=self._server.run, args=([self._socket],), name="sandbox-rest", daemon=True)

    def start(self) -> None:
        """Takes requests from now on."""
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            self._stopping.wait(0.005)

    def stop(self) -> None:
        """Cuts every request in work off, and returns when the port is closed."""
        self._stopping.set()
        for gone in tuple(self._in_work):
            gone.set()
        self._server.should_exit = self._server.force_exit = True
        if self._thread.is_alive():
            self._thread.join()
        self._socket.close()
        self._pool.shutdown(wait=True)

    def _endpoint(self, gateway: Gateway) -> Any:
        routes = Routes()

        def carry_out(verb: str, path: str, query: Any, body: bytes, call: Call) -> Response:
            try:
                method, request = routes.request(verb, path, query, body)
                return Response(MessageToJson(gateway.answer(method, request, call)), media_type="application/json")
            except ApiError as error:
                return JSONResponse(error.to_json(), status_code=error.code.http_status)
            except Gone:
                return Response(status_code=499)

        async def endpoint(request: Request) -> Response:
            gone = Event()
            self._in_work.add(gone)
            try:
                call = Call.of(Transport.REST, dict(request.headers), gone=gone)
                body = await request.body()
                query = request.query_params.multi_items()
                work = asyncio.get_running_loop().run_in_executor(
                    self._pool, carry_out, request.method, request.url.path, query, body, call
                )
                return await self._answer(request, work, gone)
            finally:
                self._in_work.discard(gone)

        return endpoint

    async def _answer(self, request: Request, work: asyncio.Future[Response], gone: Event) -> Response:
        """The answer of a thread, which is told when the client goes away first."""
        done, _ = await asyncio.wait({work}, timeout=_PATIENCE)
        while not done:
            if self._stopping.is_set() or await request.is_disconnected():
                gone.set()
            done, _ = await asyncio.wait({work}, timeout=_PATIENCE)
        return work.result()
