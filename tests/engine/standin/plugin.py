"""Serving the engine as a plugin: print the port, answer until the engine says so or is gone."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import grpc

LARGEST_MESSAGE = 400 * 1024 * 1024
"""Bytes of a message, as everywhere in Pulumi."""

PATIENCE = 4.0
"""Seconds that calls in work get to end in; the engine kills a plugin after five."""

WATCH = 0.2
"""Seconds between two looks at whether the engine is still there."""


def serve(add: Callable[[grpc.Server], None], *, end: Callable[[], None] = lambda: None) -> None:
    """Serves on a free port of 127.0.0.1 until SIGINT, SIGTERM or the death of the engine; never returns.

    Calls in work are finished, unless the engine is dead, to whom nobody could answer.

    Args:
        add: adds the service to the server.
        end: runs when the end has come, before the calls in work are waited for.
    """
    engine = os.getppid()
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.set())
    server = grpc.server(
        ThreadPoolExecutor(64),
        options=[
            ("grpc.max_receive_message_length", LARGEST_MESSAGE),
            ("grpc.max_send_message_length", LARGEST_MESSAGE),
        ],
    )
    add(server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    # An engine that was killed cannot send signals: its plugins would stay for ever.
    while not over.is_set() and os.getppid() == engine:
        time.sleep(WATCH)
    end()
    if over.is_set():
        server.stop(PATIENCE).wait()
    sys.stdout.flush()
    os._exit(0)  # a program's thread that still waits for the engine must not hold the process
