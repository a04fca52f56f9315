"""`hedgerow sandbox`: the local Google Cloud, started, and how to point clients at it."""

from __future__ import annotations

import shlex
import signal
import threading
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reconciler.errors import HedgerowError

if TYPE_CHECKING:
    from reconciler.sandbox import World

# `reconciler.sandbox` loads grpc, starlette and the messages of three Google APIs, which `hedgerow --help` must not
# wait for: the functions import it, and the ports are repeated here and compared by a test.
_GRPC_PORT = 8681
_REST_PORT = 8682

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

_grpc_port = click.option(
    "--grpc-port", type=click.IntRange(0, 65535), default=_GRPC_PORT, show_default=True, help="0 takes any free port."
)
_rest_port = click.option(
    "--rest-port", type=click.IntRange(0, 65535), default=_REST_PORT, show_default=True, help="0 takes any free port."
)


@click.group()
def sandbox() -> None:
    """A local Google Cloud for trials: Pub/Sub, Organization Policy, Resource Manager, Cloud Asset."""


@sandbox.command()
@click.option(
    "--organization",
    "snapshot",
    type=_FILE,
    help="Snapshot with the resource tree and its policies.",
)
@click.option("--topics", type=_FILE, help="Topics that are already there.")
@click.option("--demo", is_flag=True, help="The demo's organization and topics, where none are named.")
@click.option("--faults", type=_FILE, help="What goes wrong, and when.")
@click.option(
    "--operations-per-minute",
    type=click.IntRange(1),
    help="Pub/Sub administrator quota of each project; Google's is 6000, here there is none by default.",
)
@_grpc_port
@_rest_port
def start(
    *,
    snapshot: Path | None,
    topics: Path | None,
    demo: bool,
    faults: Path | None,
    operations_per_minute: int | None,
    grpc_port: int,
    rest_port: int,
) -> None:
    """Serves until Ctrl-C or SIGTERM. State is in memory only."""
    _require_sandbox()
    from reconciler.sandbox import Sandbox, load_faults
    from reconciler.sandbox.example import ORGANIZATION, example_folder, example_topics

    if demo:
        snapshot, topics = snapshot or example_folder() / ORGANIZATION, topics or example_topics()
    world = _world(snapshot, topics, operations_per_minute)
    box = Sandbox(world, grpc_port=grpc_port, rest_port=rest_port)
    box.faults.add(*(load_faults(faults) if faults else ()))
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with box:
        click.echo(_greeting(box.grpc_address, box.rest_url, world), err=True)
        for name, value in sorted(box.environment().items()):
            click.echo(_export(name, value))
        while not stopped.wait(0.2):  # in slices: a wait without end is not interrupted by a signal everywhere
            pass
    click.echo(f"stopped after {len(box.log.requests):,} requests", err=True)


@sandbox.command()
@_grpc_port
@_rest_port
@click.option("--project", help="gcloud's default project.")
def env(grpc_port: int, rest_port: int, project: str | None) -> None:
    """Prints what points clients at a running sandbox, for `eval "$(hedgerow sandbox env)"`."""
    _require_sandbox()
    from reconciler.sandbox import environment

    variables = environment(f"127.0.0.1:{grpc_port}", f"http://127.0.0.1:{rest_port}", project)
    for name, value in sorted(variables.items()):
        click.echo(_export(name, value))


def _require_sandbox() -> None:
    try:
        import_module("reconciler.sandbox")
    except ModuleNotFoundError as error:
        raise HedgerowError(
            f"the sandbox is not installed: {error.name} is missing", hint="pip install 'hedgerow[sandbox]'"
        ) from None


def _world(snapshot: Path | None, topics: Path | None, operations_per_minute: int | None) -> World:
    from reconciler.sandbox import World, load_topics
    from reconciler.spec import load_catalogue, load_snapshot

    world = World(catalogue=load_catalogue(), administrator_operations_per_minute=operations_per_minute)
    if snapshot:
        world.load_snapshot(load_snapshot(snapshot))
    for topic in load_topics(topics) if topics else ():
        world.put_topic(topic.name, topic.policy, topic.labels, topic.fields)
    return world


def _greeting(grpc_address: str, rest_url: str, world: World) -> str:
    ports = ("" if grpc_address.endswith(f":{_GRPC_PORT}") else f" --grpc-port {grpc_address.rpartition(':')[2]}") + (
        "" if rest_url.endswith(f":{_REST_PORT}") else f" --rest-port {rest_url.rpartition(':')[2]}"
    )
    return (
        f"sandbox: gRPC on {grpc_address}, REST on {rest_url}; "
        f"{len(world.projects):,} projects, {len(world.topics()):,} topics\n"
        f'in another shell: eval "$(hedgerow sandbox env{ports})"\n'
        f"log and faults: {rest_url}/sandbox/v1/log, {rest_url}/sandbox/v1/faults; Ctrl-C stops"
    )


def _export(name: str, value: str) -> str:
    return f"export {name}={shlex.quote(value)}"
