"""A Python language host: runs programs and policy packs for the engine, as pulumi-language-python does.

Only what the engine calls for a program and for a pack (`pulumi.runtime.proto.language_pb2`). No environment is ever
made: the interpreter is that of the `virtualenv` option, a folder relative to Pulumi.yaml (or PulumiPolicy.yaml), or
else `python3` from the path.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

from tests.engine.standin.plugin import serve
from tests.engine.standin.program import LOGGED

PROGRAM = Path(__file__).with_name("program.py")


class LanguageHost(language_pb2_grpc.LanguageRuntimeServicer):
    """Runs what it is asked to, each in a session of its own: the engine's SIGINT is for the host alone."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._children: set[subprocess.Popen[bytes]] = set()

    def GetPluginInfo(self, request: Any, context: Any) -> Any:  # noqa: N802
        return plugin_pb2.PluginInfo(version="0.0.0")

    def About(self, request: Any, context: Any) -> Any:  # noqa: N802
        return language_pb2.AboutResponse(executable=sys.executable, version=sys.version.split()[0])

    def GetRequiredPackages(self, request: Any, context: Any) -> Any:  # noqa: N802
        """None: providers are found when a resource first asks for one."""
        return language_pb2.GetRequiredPackagesResponse()

    def Run(self, request: Any, context: Any) -> Any:  # noqa: N802
        arguments = {
            "project": request.project,
            "stack": request.stack,
            "monitor": request.monitor_address,
            "engine": self._engine,
            "pwd": request.pwd,
            "organization": request.organization or "organization",
            "root_directory": request.info.root_directory,
            "parallel": request.parallel,
        }
        given = [word for name, value in arguments.items() for word in (f"--{name}", str(value))]
        if request.dryRun:
            given.append("--dry_run")
        child = self._start(
            [interpreter(request.info), "-u", str(PROGRAM), *given, request.info.entry_point],
            cwd=request.info.program_directory,
            env={
                "PULUMI_CONFIG": json.dumps(dict(request.config)),
                "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(request.configSecretKeys)),
            },
        )
        code = child.wait()
        self._children.discard(child)
        if code == LOGGED:
            return language_pb2.RunResponse(bail=True)
        return language_pb2.RunResponse(error=f"Program exited with non-zero exit code: {code}" if code else "")

    def RunPlugin(self, request: Any, context: Any) -> Iterator[Any]:  # noqa: N802
        folder = request.info.program_directory
        what = ["-m", "pulumi.policy", *request.args, folder] if request.kind == "analyzer" else [folder, *request.args]
        child = self._start(
            [interpreter(request.info), "-u", *what],
            cwd=folder,
            env=dict(variable.split("=", 1) for variable in request.env),
            output=subprocess.PIPE,
        )
        context.add_callback(lambda: _end(child))
        assert child.stdout is not None
        assert child.stderr is not None
        said: SimpleQueue[Any] = SimpleQueue()
        for stream, answer in (
            (child.stdout, lambda line: language_pb2.RunPluginResponse(stdout=line)),
            (child.stderr, lambda line: language_pb2.RunPluginResponse(stderr=line)),
        ):
            threading.Thread(target=_pass_on, args=(stream, answer, said), daemon=True).start()
        for _ in ("stdout", "stderr"):
            yield from iter(said.get, None)
        code = child.wait()
        self._children.discard(child)
        yield language_pb2.RunPluginResponse(exitcode=code)

    def Cancel(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.end()
        return Empty()

    def end(self) -> None:
        """Ends whatever is running."""
        for child in tuple(self._children):
            _end(child)

    def _start(
        self, command: list[str], *, cwd: str, env: dict[str, str], output: int | None = None
    ) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        self._children.add(child)
        return child


def interpreter(info: Any) -> str:
    """The Python of a program."""
    if "virtualenv" in info.options.fields:
        return str(Path(info.root_directory, info.options["virtualenv"], "bin", "python"))
    return shutil.which("python3") or sys.executable


def _pass_on(stream: IO[bytes], answer: Callable[[bytes], Any], said: SimpleQueue[Any]) -> None:
    for line in stream:
        said.put(answer(line))
    said.put(None)  # this stream has ended


def _end(child: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGTERM)


def main() -> None:
    """Serves until the engine is done; its address is the last argument."""
    host = LanguageHost(sys.argv[-1])
    serve(lambda server: language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server), end=host.end)


if __name__ == "__main__":
    main()
