"""Running Pulumi's command line: every command is shown before it runs, with what is set for it."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import IO, TextIO

import click

from reconciler.cli.output import say
from reconciler.cli.signals import interrupted_by_sigterm
from reconciler.errors import Busy, HedgerowError

LOCKED = ("the stack is currently locked by", "[409] Conflict: Another update is currently in progress.")
"""What Pulumi says of a stack that somebody else works on (`pulumi/automation/errors.py` of pulumi 3.272)."""

_MISSING = re.compile("no stack named '(?P<name>[^']*)' found")

STREAMING = {"PULUMI_ENABLE_STREAMING_JSON_PREVIEW": "true"}
"""Makes `pulumi preview --json` print engine events, among them what a refresh found."""

NO_CHECKPOINTS = {"PULUMI_SKIP_CHECKPOINTS": "true"}
"""Has the state written once at the end. A preview records nothing, so there it only saves time (and a lot of it:
the engine builds a snapshot after every planned change)."""

QUIET = {"PULUMI_SKIP_UPDATE_CHECK": "true"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command line of Pulumi's.

    Attributes:
        arguments: after `pulumi`.
        settings: environment variables that are set for it, beside the user's own.
    """

    arguments: tuple[str, ...]
    settings: Mapping[str, str] = field(default_factory=lambda: QUIET)

    def __str__(self) -> str:
        settings = [f"{name}={shlex.quote(value)}" for name, value in self.settings.items()]
        return " ".join([*settings, shlex.join(["pulumi", *self.arguments])])


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def is_locked(self) -> bool:
        """Whether it could not begin because somebody else works on the Pulumi stack."""
        return self.code != 0 and any(words in self.err + self.out for words in LOCKED)

    @property
    def missing_stack(self) -> str | None:
        """The Pulumi stack that there is not, if it failed for that."""
        match = _MISSING.search(self.err)
        return match["name"] if match and self.code else None


def captured(command: Command) -> Ended:
    """Runs a command whose output is for hedgerow.

    Raises:
        HedgerowError: when there is no Pulumi on the path.
        click.Abort: when it was interrupted, once Pulumi has ended.
    """
    out, err = io.StringIO(), io.StringIO()
    return _run(command, out, err)


def shown(command: Command) -> Ended:
    """Runs a command whose output is for the user, who sees it as it comes.

    Raises:
        HedgerowError: when there is no Pulumi on the path.
        click.Abort: when it was interrupted, once Pulumi has ended.
    """
    return _run(command, sys.stdout, sys.stderr)


def _run(command: Command, out: TextIO, err: TextIO) -> Ended:
    program = shutil.which("pulumi")
    if program is None:
        raise HedgerowError(
            "the Pulumi command line is not installed: there is no `pulumi` on the path",
            hint="install it as https://www.pulumi.com/docs/iac/download-install/ says",
        )
    with (
        interrupted_by_sigterm(),
        subprocess.Popen(  # noqa: S603 - the user's own pulumi
            [program, *command.arguments],
            env={**os.environ, **command.settings},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            # A terminal's Ctrl-C must not reach it twice, once from here: at the second it leaves work half done.
            process_group=0,
        ) as running,
    ):
        kept: tuple[list[str], list[str]] = ([], [])
        threads = [
            Thread(target=_pass_on, args=(stream, into, lines))
            for stream, into, lines in zip((running.stdout, running.stderr), (out, err), kept, strict=True)
        ]
        for thread in threads:
            thread.start()
        interrupted = False
        while running.poll() is None:
            try:
                running.wait()
            except KeyboardInterrupt:
                interrupted = True
                say("interrupted: Pulumi finishes what is in flight and writes its state")
                running.send_signal(signal.SIGINT)
        for thread in threads:
            thread.join()
    if interrupted:
        raise click.Abort
    return Ended(code=running.returncode, out="".join(kept[0]), err="".join(kept[1]))


def explained(ended: Ended, command: Command) -> HedgerowError:
    """Why a command that failed did, with the way out."""
    if ended.is_locked:
        return Busy(
            "the Pulumi stack is locked: another update is running, or one was killed\n" + _indented(ended.err),
            hint="wait for it; where none is running, `pulumi cancel` takes the lock away, which hedgerow never does",
        )
    if ended.missing_stack:
        name = ended.missing_stack
        return HedgerowError(f"there is no Pulumi stack `{name}`", hint=f"pulumi stack init {name}")
    told = _indented(ended.err) or _indented(ended.out)
    return HedgerowError(f"`{' '.join(['pulumi', *command.arguments[:2]])}` ended with {ended.code}\n{told}")


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines() if line.strip())


def _pass_on(stream: IO[str] | None, into: TextIO, kept: list[str]) -> None:
    for line in stream or ():
        kept.append(line)
        # Where nobody reads it any more, the update goes on all the same: it must not block on a full pipe.
        with suppress(OSError, ValueError):
            into.write(line)
            into.flush()
