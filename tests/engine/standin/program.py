"""Runs a Python program for the language host, in the program's own interpreter.

The protocol between the two is the real host's: exit code 0, or 32 for an error that has been logged, or another.
Written after `pulumi.automation._server`, which does the same in one process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import runpy
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

import grpc
import pulumi
from pulumi import runtime

LOGGED = 32
"""The exit code for an error that the user has been told."""


def main() -> int:
    """Runs the program; returns the exit code."""
    given = _arguments()
    os.chdir(given.pwd)
    runtime.configure(
        runtime.Settings(
            project=given.project,
            stack=given.stack,
            monitor=given.monitor,
            engine=given.engine,
            parallel=given.parallel,
            dry_run=given.dry_run,
            organization=given.organization,
            root_directory=given.root_directory,
        )
    )
    config = json.loads(os.environ.get("PULUMI_CONFIG") or "{}")
    runtime.set_all_config(config, json.loads(os.environ.get("PULUMI_CONFIG_SECRET_KEYS") or "[]"))
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # the engine tells of failed resources itself
    loop = asyncio.new_event_loop()
    loop.set_default_executor(ThreadPoolExecutor(max(given.parallel, 1) * 4))
    loop.set_exception_handler(_stop_on_lost_engine)

    def program() -> None:
        runpy.run_path(given.program, run_name="__main__")

    try:
        loop.run_until_complete(runtime.run_in_stack(program))
    except pulumi.RunError as error:
        pulumi.log.error(str(error))
        return LOGGED
    except grpc.RpcError as error:
        if error.code() is grpc.StatusCode.UNAVAILABLE:  # the engine is shutting down, and says why
            return LOGGED
        pulumi.log.error(f"RPC error: {error.details()}")
        return LOGGED
    except Exception:
        pulumi.log.error(f"Program failed with an unhandled exception:\n{traceback.format_exc()}")
        return LOGGED
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name in ("project", "stack", "monitor", "engine", "pwd", "organization", "root_directory"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--parallel", type=int, required=True)
    parser.add_argument("--dry_run", action="store_true")
    parser.add_argument("program")
    return parser.parse_args()


def _stop_on_lost_engine(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    if isinstance(context.get("exception"), grpc.RpcError):
        loop.stop()
    else:
        loop.default_exception_handler(context)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # threads that still wait for the engine must not hold the process
