"""`hedgerow demo`: the whole job, done for real on a local Google Cloud, in one minute."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reconciler.cli.output import data
from reconciler.errors import ExitCode, HedgerowError

if TYPE_CHECKING:
    from reconciler.sandbox import World

_MISTAKE = """\
apiVersion: hedgerow/v1
topics:
  - name: projects/acme-orders-prod/topics/refunds
    messageStoragePolicy:
      allowedPersistenceRegions: [europe-west1, us-east1]
"""

_TIGHTER = {
    "name": "folders/456/policies/gcp.resourceLocations",
    "spec": {"rules": [{"values": {"allowedValues": ["in:europe-west1-locations", "in:europe-west4-locations"]}}]},
}


@click.command()
def demo() -> ExitCode:
    """See the whole job done in one minute, on a local Google Cloud.

    Needs no Google account: real servers on loopback, the real client libraries, a fleet with every kind of drift.
    Works in a folder of its own, cleans up, and prints the commands that it runs.
    """
    try:
        # Heavy, and an extra of the installation.
        from reconciler.sandbox import Sandbox, World, load_topics
        from reconciler.sandbox.example import ORGANIZATION, STACK, example_folder, example_topics
    except ModuleNotFoundError as error:
        raise HedgerowError(
            f"the demo needs the sandbox: {error.name} is missing", hint="pip install 'hedgerow[sandbox]'"
        ) from None
    from reconciler.spec import load_catalogue, load_snapshot  # reads package data

    with tempfile.TemporaryDirectory(prefix="hedgerow-demo-") as folder:
        shutil.copytree(example_folder() / STACK, Path(folder) / STACK)
        (Path(folder) / ORGANIZATION).parent.mkdir()
        shutil.copy(example_folder() / ORGANIZATION, Path(folder) / ORGANIZATION)
        world = World(catalogue=load_catalogue())
        world.load_snapshot(load_snapshot(Path(folder) / ORGANIZATION))
        for topic in load_topics(example_topics()):
            world.put_topic(topic.name, topic.policy, topic.labels, topic.fields)
        with Sandbox(world) as box, _inside(folder, box.environment()):
            codes = _tell(world)
            calls, writes = len(box.log.requests), len(box.log.writes())
    data(
        f"\nThe local cloud answered {calls} requests, {writes} of them writes. Everything is cleaned up.\n"
        "To look around by yourself, from a checkout:\n"
        "  hedgerow sandbox start --demo       # in one shell\n"
        '  eval "$(hedgerow sandbox env)"      # in another, then the commands above\n'
    )
    if codes != _EXPECTED:
        raise HedgerowError(f"the demo did not go as it should: exit codes {[int(code) for code in codes]}")
    return ExitCode.OK


_EXPECTED = [ExitCode.OK, ExitCode.INVALID, *[ExitCode.OK] * 6]


def _tell(world: World) -> list[ExitCode]:
    """The story; the exit codes of its commands, in order."""
    mistake = Path("stacks/demo/topics/refunds.yaml")
    _chapter("A fleet is declared in stacks/demo, and checked against the organization's policy.")
    codes = [_command("check demo")]
    _chapter("Somebody adds a topic with a region that the organization does not allow.")
    mistake.write_text(_MISTAKE, encoding="utf-8")
    codes.append(_command("check demo"))
    mistake.unlink()
    _chapter("The live topics were made under an older policy, and edited by hand since. What would have to change?")
    codes.append(_command("plan demo -o plan.json"))
    _chapter("Apply it: restrict, extend, recompute and enforce, each journalled, written and read back.")
    codes.append(_command("apply plan.json"))
    _chapter("Nothing is left to do; the rest is for people to decide.")
    codes.append(_command("plan demo"))
    _chapter("The organization stops allowing europe-west3. Existing topics stay as they are, until the nightly run.")
    world.set_policy(_TIGHTER)
    codes.append(_command("reconcile demo"))
    _chapter("Services get publisher configuration that their client libraries are known to accept.")
    codes.append(_command("render demo"))
    codes.append(_command("render demo --check"))
    if codes[-1] is ExitCode.OK:
        data("\n# dist/publishers/checkout.json\n")
        data(Path("dist/publishers/checkout.json").read_text(encoding="utf-8"))
    return codes


def _chapter(text: str) -> None:
    data(f"\n# {text}\n")


def _command(line: str) -> ExitCode:
    """Runs one command in this process, as a shell would show it."""
    from reconciler.cli.main import run  # `main` finds this module

    data(f"$ hedgerow {line}\n")
    code = run(shlex.split(line))
    if code is not ExitCode.OK:
        data(f"[exit code {int(code)}]\n")
    return code


@contextmanager
def _inside(folder: str, variables: Mapping[str, str]) -> Iterator[None]:
    """Works in a folder with environment variables set, and puts both back."""
    home, before = Path.cwd(), dict(os.environ)
    os.chdir(folder)
    # The emulator's variable is for other clients; hedgerow has its own.
    os.environ.update({name: value for name, value in variables.items() if name.startswith("HEDGEROW_")})
    try:
        yield
    finally:
        os.chdir(home)
        os.environ.clear()
        os.environ.update(before)
