"""The gRPC side: every service on one port, plain text."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import grpc

from reconciler.sandbox.calls import Call, Transport
from reconciler.sandbox.errors import ApiError, Gone
from reconciler.sandbox.gateway import Gateway
from reconciler.sandbox.methods import Method
from reconciler.sandbox.surface import METHODS

_WORKERS = 128
"""Threads are made as they are needed; a stalled request keeps one."""

_OPTIONS = (("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))


class GrpcServer:
    """A server on 127.0.0.1, started by `start`, ended by `stop`."""

    def __init__(self, gateway: Gateway, port: int) -> None:
        self._pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="sandbox-grpc")
        self._server = grpc.server(self._pool, options=_OPTIONS)
        self._server.add_generic_rpc_handlers(_handlers(gateway))
        self.port = self._server.add_insecure_port(f"127.0.0.1:{port}")

    def start(self) -> None:
        """Takes requests from now on."""
        self._server.start()

    def stop(self) -> None:
        """Cuts every request in work off, and returns when the port is closed."""
        self._server.stop(grace=None).wait()
        self._pool.shutdown(wait=True)


def _handlers(gateway: Gateway) -> list[grpc.GenericRpcHandler[Any, Any]]:
    services: dict[str, dict[str, grpc.RpcMethodHandler[Any, Any]]] = {}
    for method in METHODS:
        services.setdefault(method.service, {})[method.name] = grpc.unary_unary_rpc_method_handler(
            _behaviour(gateway, method),
            request_deserializer=method.request.FromString,
            response_serializer=method.response.SerializeToString,
        )
    return [grpc.method_handlers_generic_handler(service, handlers) for service, handlers in services.items()]


def _behaviour(gateway: Gateway, method: Method) -> Callable[[Any, grpc.ServicerContext], Any]:
    def answer(request: Any, context: grpc.ServicerContext) -> Any:
        gone = Event()
        if not context.add_callback(gone.set):
            gone.set()
        headers = {name: value for name, value in context.invocation_metadata() if isinstance(value, str)}
        try:
            return gateway.answer(method, request, Call.of(Transport.GRPC, headers, gone=gone))
        except ApiError as error:
            details = error.to_status().SerializeToString()
            if error.reason is not None:
                context.set_trailing_metadata((("grpc-status-details-bin", details),))
            context.abort(_STATUS[error.code.number], error.message)
        except Gone:
            context.abort(grpc.StatusCode.CANCELLED, "nobody waits for the answer")

    return answer


_STATUS = {code.value[0]: code for code in grpc.StatusCode}
