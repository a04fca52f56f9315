"""A process that has loaded everything and forks runs from itself, so that killing a hundred of them takes seconds.

`Nursery` is the caller's side; run as a program, this is the nursery itself: a request is a line of JSON on stdin,
answers are lines on stdout.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).parents[2]


@dataclass
class Process:
    """A run in a process of its own. `status` is that of `subprocess`: negative for a signal."""

    output: Path
    pid: int = 0
    status: int | None = None
    _begun: threading.Event = field(default_factory=threading.Event)
    _ended: threading.Event = field(default_factory=threading.Event)

    def begun(self, pid: int) -> None:
        self.pid = pid
        self._begun.set()

    def ended(self, status: int) -> None:
        self.status = status
        self._ended.set()

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Sends a signal to the process, if it still is."""
        if self._begun.wait(30) and not self._ended.is_set():
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def wait(self, seconds: float | None = 60) -> int:
        """The exit status, when it has ended."""
        if not self._ended.wait(seconds):
            self.kill()
            raise TimeoutError(f"still at work: {self.err[-2000:]}")
        assert self.status is not None
        return self.status

    @property
    def is_over(self) -> bool:
        return self._ended.is_set()

    @property
    def err(self) -> str:
        """What it printed, on both streams."""
        return self.output.read_text("utf-8") if self.output.is_file() else ""


class Nursery:
    """Starts commands in forked processes. A context manager."""

    def __init__(self) -> None:
        self._program = subprocess.Popen(
            [sys.executable, "-m", "tests.nights.nursery"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        self._processes: list[Process] = []
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._program.stdin is not None
        self._program.stdin.close()
        self._program.wait(30)
        self._reader.join(30)
        assert self._program.stdout is not None
        self._program.stdout.close()

    def start(
        self,
        folder: Path,
        *arguments: str,
        environment: Mapping[str, str],
        output: Path,
        die: Mapping[str, Any] | None = None,
        largest_file: int | None = None,
    ) -> Process:
        """Starts `hedgerow ARGUMENTS` in a folder.

        `die` says at which record of the journal it kills itself, `largest_file` after how many bytes its disk is full.
        """
        process = Process(output=output)
        with self._lock:
            self._processes.append(process)
            request = {
                "number": len(self._processes) - 1,
                "folder": str(folder),
                "arguments": arguments,
                "environment": dict(environment),
                "output": str(output),
                "die": die,
                "largest_file": largest_file,
            }
            assert self._program.stdin is not None
            self._program.stdin.write(json.dumps(request) + "\n")
            self._program.stdin.flush()
        return process

    def _read(self) -> None:
        assert self._program.stdout is not None
        for line in self._program.stdout:
            told = json.loads(line)
            process = self._processes[told["number"]]
            if "pid" in told:
                process.begun(told["pid"])
            else:
                process.ended(told["status"])


def serve() -> None:
    """The nursery's loop: a watcher for each request, which forks the run and tells how it ended."""
    import reconciler.cli.main
    import reconciler.gcp  # noqa: F401 - loaded once, for all

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _watch(json.loads(line))
            os._exit(0)


def _watch(request: Mapping[str, Any]) -> None:
    pid = os.fork()
    if pid == 0:
        _run(request)
    _tell(number=request["number"], pid=pid)
    _, status = os.waitpid(pid, 0)
    _tell(number=request["number"], status=os.waitstatus_to_exitcode(status))


def _tell(**what: int) -> None:
    os.write(1, json.dumps(what).encode() + b"\n")


def _run(request: Mapping[str, Any]) -> None:
    from reconciler.cli.main import run

    output = os.open(request["output"], os.O_WRONLY | os.O_CREAT, 0o644)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(request["folder"])
    os.environ.update(request["environment"])
    if request["die"] is not None:
        _die_at(**request["die"])
    if request["largest_file"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["largest_file"], request["largest_file"]))
    code = 70
    try:
        code = run(request["arguments"])
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(code))


def _die_at(event: str, nth: int, moment: str) -> None:
    """Has the process kill itself at the n-th record of a kind: before it, in the middle of it, or after it."""
    from reconciler.apply.folder import FolderLog

    append, seen = FolderLog.append, 0

    def dying(log: FolderLog, record: bytes) -> None:
        nonlocal seen
        seen += json.loads(record)["event"] == event
        is_it = json.loads(record)["event"] == event and seen == nth
        if is_it and moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        if is_it and moment == "amid":
            os.write(log._file, record[: len(record) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        append(log, record)
        if is_it and moment == "after":
            os.kill(os.getpid(), signal.SIGKILL)

    setattr(FolderLog, append.__name__, dying)


if __name__ == "__main__":
    serve()
