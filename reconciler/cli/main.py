"""The `hedgerow` command: finds a command's module when it is needed, and turns errors into exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

import click

from reconciler import __version__
from reconciler.errors import ExitCode, HedgerowError

_COMMANDS = {
    "check": "Check specs against schema, rules and the organization's policy.",
    "plan": "Compare live topics with what is desired and allowed; propose changes.",
    "apply": "Carry out a saved plan, or plan and apply a stack.",
    "reconcile": "The nightly job: plan, guardrails, apply in waves, verify, report.",
    "guard": "Refuse a Pulumi preview that would delete or replace topics.",
    "pulumi": "Run Pulumi for a stack: up, drift, adoption, and its Pulumi stacks.",
    "policy": "Capture, explain, compare and try out organization policies.",
    "runs": "List the runs of a stack, or show one.",
    "revert": "Plan the way back from a run, and take it.",
    "render": "Write publisher configuration files, or compare them.",
    "schema": "Print the JSON Schema of a kind of file.",
    "sandbox": "Run a local Google Cloud.",
    "demo": "See the whole job done in one minute, on a local Google Cloud.",
}

_EXIT_CODES = """\b
Exit codes:
  0   done; nothing wrong (drift and pending changes included, unless --exit-code)
  1   failed for another reason than those below
  2   with --exit-code or --check: drift, pending changes, or files that differ
  3   the specs are invalid or break a rule
  4   something could not be evaluated; the rest was, and is reported
  5   a guardrail refused the plan; nothing was written
  6   some changes failed; the report says which were made
  7   the plan is stale: what it was computed from has changed
  8   another run holds the lease, or the Pulumi stack is locked
  64  wrong command line"""


class _Commands(click.Group):
    """Commands by name; a module is imported only when its command runs, so that `--help` starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        command = getattr(import_module(f"reconciler.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)  # noqa: S101 - our own module
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, epilog=_EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hedgerow")
def hedgerow() -> None:
    """Keep Pub/Sub topics inside the allowed regions, and publishers on settings that their clients accept."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command line and ends the process with its exit code."""
    sys.exit(int(run(arguments)))


def run(arguments: Sequence[str] | None = None) -> ExitCode:
    """Runs a command line and returns its exit code; errors of the user are printed, bugs keep their traceback."""
    try:
        code = hedgerow.main(args=arguments, prog_name="hedgerow", standalone_mode=False)
    except click.exceptions.Exit as end:
        return ExitCode(end.exit_code)
    except click.Abort:
        _tell("error: interrupted")
        return ExitCode.FAILED
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE
    except HedgerowError as error:
        _tell(str(error))
        return error.exit_code
    return code if isinstance(code, ExitCode) else ExitCode.OK


def _tell(error: str) -> None:
    # The exit code tells it too, where stderr takes nothing.
    with suppress(OSError):
        click.echo(error, err=True)
