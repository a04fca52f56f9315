"""`hedgerow pulumi up`: Pulumi's own preview, the guard on it, and Pulumi's own update, for each part of a stack."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import click

from reconciler.cli.guard import allow_delete_option, allow_replace_option, allowed, failure_of
from reconciler.cli.output import data, say, show_problems
from reconciler.cli.pulumi_engine import NO_CHECKPOINTS, QUIET, STREAMING, Command, captured, explained, shown
from reconciler.cli.pulumi_stacks import chosen_parts, pulumi_stack_option
from reconciler.cli.stacks import all_stacks, load_stack, stack_argument
from reconciler.cli.surroundings import note_result, now
from reconciler.errors import ExitCode, HedgerowError
from reconciler.model import TopicName
from reconciler.preview import Preview, losses, read_preview, refused
from reconciler.pulumi import load_declaration
from reconciler.report import (
    changed_steps,
    counted,
    counts_text,
    diagnostics_text,
    guard_diagnostics,
    preview_text,
)
from reconciler.spec import InvalidSpecs, Loaded

CHECKPOINTS_UP_TO = 300
"""Resources that may change with checkpoints on, each of which writes the whole state twice.

Measured with Pulumi 3.274 and a state in a folder: creating 300 topics takes 14 s with them and 5 s without, 1,000 take
11 s without, and took 147 s with them on a busy machine.
"""

PARALLEL = 16
"""Operations at a time. Google is reported to take 6,000 administrator operations a minute and project; a creation is
three of them."""

_FURTHER = "hedgerow.further"

_MADE = re.compile(r"^\s*\S* ?[0-9,]+ (created|updated|deleted|replaced|imported)\b", re.MULTILINE)
_CONFLICT = re.compile(r"Error 409|already exists", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the command line asks for.

    Attributes:
        checkpoints: `auto`, `always` or `never`.
        further: flags for both commands of Pulumi's.
    """

    preview_only: bool
    dry_run: bool
    parallel: int
    checkpoints: str
    allow_delete: tuple[TopicName, ...]
    allow_replace: tuple[TopicName, ...]
    further: tuple[str, ...]

    def preview(self, pulumi_stack: str) -> Command:
        """The command that looks."""
        arguments = ("preview", "--json", "--stack", pulumi_stack, "--parallel", str(self.parallel), *self.further)
        return Command(arguments=arguments, settings={**QUIET, **NO_CHECKPOINTS, **STREAMING})

    def update(self, pulumi_stack: str, preview: Preview | None = None) -> Command:
        """The command that changes what a preview shows; without one, a few things.

        An update in which a topic is replaced stops at the first error: Pulumi 3.274.1 never ends when the deletion of
        a replacement fails and it is to go on.
        """
        changes = len(changed_steps(preview)) if preview else 0
        skips = self.checkpoints == "never" or (self.checkpoints == "auto" and changes > CHECKPOINTS_UP_TO)
        checkpoints = NO_CHECKPOINTS if skips else {}
        if self.checkpoints == "always":  # whatever the user's environment says
            checkpoints = dict.fromkeys(NO_CHECKPOINTS, "false")
        replaces = preview is not None and any("replace" in step.op for step in preview.steps)
        goes_on = () if replaces else ("--continue-on-error",)
        arguments = ("up", "--yes", "--skip-preview", *goes_on, "--stack", pulumi_stack)
        return Command(
            arguments=(*arguments, "--parallel", str(self.parallel), *self.further),
            settings={**QUIET, **checkpoints},
        )


class _WithFurtherFlags(click.Command):
    """A command that leaves what stands behind `--` to another; click would take it for arguments of its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        ctx.meta[_FURTHER] = tuple(args[end + 1 :])
        return super().parse_args(ctx, args[:end])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "[-- PULUMI FLAGS]"]


@click.command(cls=_WithFurtherFlags)
@stack_argument
@click.pass_context
@click.option("--all", "everything", is_flag=True, help="Every stack under stacks/, one after the other.")
@pulumi_stack_option
@click.option("--preview", is_flag=True, help="Only preview, and judge the preview.")
@click.option("--dry-run", is_flag=True, help="Print the commands and run none.")
@click.option("--parallel", type=click.IntRange(1), default=PARALLEL, show_default=True, help="Operations at a time.")
@click.option(
    "--checkpoints",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help=f"Write the state after each change; auto does up to {CHECKPOINTS_UP_TO} changes. Without, what was made is "
    "not recorded if Pulumi is killed.",
)
@allow_delete_option
@allow_replace_option
def up(
    ctx: click.Context,
    stack: str | None,
    pulumi_stack: str | None,
    parallel: int,
    checkpoints: str,
    allow_delete: tuple[TopicName, ...],
    allow_replace: tuple[TopicName, ...],
    *,
    everything: bool,
    preview: bool,
    dry_run: bool,
) -> ExitCode:
    """Preview a stack, refuse what would lose a topic, and bring it up.

    Prints every command before it runs it. A stack that is split is brought up part by part; one that fails does not
    stop the others. Exits 3 when the specs break a rule, 5 when the guard refuses a preview, 6 when some changes
    failed, 8 when a Pulumi stack is locked. Further flags of Pulumi's go behind `--`, and to both of its commands.
    """
    if everything and (stack is not None or pulumi_stack is not None):
        raise click.UsageError("--all and a stack exclude each other")
    wishes = Wishes(
        preview_only=preview,
        dry_run=dry_run,
        parallel=parallel,
        checkpoints=checkpoints,
        allow_delete=allow_delete,
        allow_replace=allow_replace,
        further=ctx.meta[_FURTHER],
    )
    results: dict[str, ExitCode] = {}
    for name in all_stacks() if everything else [stack]:
        try:
            loaded = load_stack(name)
        except InvalidSpecs as error:
            show_problems(error.problems, format_="text")
            results[str(name)] = error.exit_code
            continue
        parts = chosen_parts(loaded, pulumi_stack)
        for index, (one, part) in enumerate(parts.items(), start=1):
            place = f" ({index} of {len(parts)})" if len(parts) > 1 else ""
            say(f"{one}{place}: {counted(len(part.topics), 'topic')}")
            results[one] = _told(one, loaded, wishes)
    code = ExitCode.severest(*results.values())
    if len(results) > 1 and not dry_run:
        say(*_summary(results))
    note_result(code)
    return code


def _told(pulumi_stack: str, loaded: Loaded, wishes: Wishes) -> ExitCode:
    """How one Pulumi stack went. What ended it is told, and does not end the others."""
    if wishes.dry_run:
        data(f"{wishes.preview(pulumi_stack)}\n")
        if not wishes.preview_only:
            note = f"  # with PULUMI_SKIP_CHECKPOINTS=true above {CHECKPOINTS_UP_TO} changes"
            data(f"{wishes.update(pulumi_stack)}{note if wishes.checkpoints == 'auto' else ''}\n")
        return ExitCode.OK
    try:
        return _bring_up(pulumi_stack, loaded, wishes)
    except HedgerowError as error:
        say(str(error))
        return error.exit_code


def _bring_up(pulumi_stack: str, loaded: Loaded, wishes: Wishes) -> ExitCode:
    # What the program will refuse anyway, with its own code and without waiting for Pulumi.
    folder = loaded.folder.resolve()
    load_declaration(folder.parent, pulumi_stack, folder=folder.name, today=now().date(), environment=os.environ)
    preview, code = _previewed(pulumi_stack, loaded, wishes)
    if code is not ExitCode.OK or wishes.preview_only:
        return code
    command = wishes.update(pulumi_stack, preview)
    say(f"$ {command}")
    ended = shown(command)
    if ended.code == 0:
        return ExitCode.OK
    if ended.is_locked or ended.missing_stack:
        raise explained(ended, command)
    if _CONFLICT.search(ended.out + ended.err):
        say(
            "some topics are there already, and not in the Pulumi stack",
            f"  hint: hedgerow pulumi adopt {loaded.fleet.stack.name}",
        )
    return ExitCode.PARTIAL if _MADE.search(ended.out) else ExitCode.FAILED


def _previewed(pulumi_stack: str, loaded: Loaded, wishes: Wishes) -> tuple[Preview, ExitCode]:
    """What Pulumi would do, and whether the guard and Pulumi itself let it."""
    command = wishes.preview(pulumi_stack)
    say(f"$ {command}")
    ended = captured(command)
    if ended.code and not ended.out.strip():
        raise explained(ended, command)
    preview = read_preview(ended.out)
    judged = refused(losses(preview), allowed(loaded, wishes.allow_delete, wishes.allow_replace))
    if wishes.preview_only:
        data(preview_text(preview))
    say(f"preview: {counts_text(preview.counts)}")
    if judged.refused:
        found = guard_diagnostics(judged.refused, lambda loss: loaded.place_of(loss.topic))
        say(diagnostics_text(found).rstrip("\n"), f"refused: {counted(len(found), 'topic')} would be lost")
    failure = failure_of(preview)
    if failure is not None:
        say(str(failure))
    elif ended.code:
        raise explained(ended, command)
    return preview, ExitCode.severest(
        ExitCode.REFUSED if judged.refused else ExitCode.OK,
        ExitCode.FAILED if failure is not None and not judged.refused else ExitCode.OK,
    )


def _summary(results: dict[str, ExitCode]) -> list[str]:
    failed = {name: code for name, code in results.items() if code is not ExitCode.OK}
    lines = [f"  {name}: {code.name.lower()} ({int(code)})" for name, code in failed.items()]
    return [
        f"{counted(len(results), 'Pulumi stack')}: {len(results) - len(failed)} done, {len(failed)} not",
        *lines,
    ]
