"""SIGTERM and Ctrl-C, before and while writes are in hand."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

from reconciler.cli.output import say


@contextmanager
def interrupted_by_sigterm() -> Iterator[Event]:
    """Lets SIGTERM end what has written nothing yet as Ctrl-C does, so that a lease is given back.

    Python drops the exception where the signal meets a destructor, so whoever is about to write asks the event too.
    """
    interrupted = Event()

    def interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        interrupted.set()
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield interrupted
        return
    previous = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGTERM, previous)


@contextmanager
def stopped_by_signals() -> Iterator[Event]:
    """An event that SIGTERM and Ctrl-C set: the writes in hand are finished, journalled and reported."""
    stop = Event()

    def request_stop(number: int, frame: FrameType | None) -> None:
        del frame
        say(f"{signal.Signals(number).name}: finishing the writes in hand")
        stop.set()

    if threading.current_thread() is not threading.main_thread():
        # Python delivers signals to the main thread alone, and lets no other ask for them.
        yield stop
        return
    previous = {number: signal.signal(number, request_stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
