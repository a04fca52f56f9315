"""`hedgerow guard`: no topic is deleted or replaced that nobody named."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from reconciler.cli.formats import Format, Output, emit, outputs_option, rendered
from reconciler.cli.output import as_json, read_file, say
from reconciler.cli.stacks import read_stack
from reconciler.cli.surroundings import note_result
from reconciler.errors import ExitCode, HedgerowError, Position, UsageError
from reconciler.model import TopicName
from reconciler.preview import Allowance, Loss, Preview, Refused, UnreadablePreview, losses, read_preview, refused
from reconciler.report import GUARD_RULES, Results, guard_diagnostics, guard_document, guard_summary
from reconciler.spec import Loaded


class _TopicType(click.ParamType[TopicName]):
    name = "TOPIC"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> TopicName:
        if isinstance(value, TopicName):
            return value
        try:
            return TopicName.parse(str(value))
        except HedgerowError as error:
            self.fail(f"{error.message}; {error.hint}", param, ctx)


allow_delete_option = click.option(
    "--allow-delete", multiple=True, type=_TopicType(), help="Let this topic be deleted; may be given several times."
)
allow_replace_option = click.option(
    "--allow-replace", multiple=True, type=_TopicType(), help="Let this topic be replaced; may be given several times."
)


@click.command()
@click.argument(
    "preview", default="-", metavar="[FILE]", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True)
)
@click.option("--stack", help="Let topics go that this stack names in `pulumi.mayDelete` and `mayReplace`.")
@allow_delete_option
@allow_replace_option
@outputs_option
def guard(
    preview: Path,
    stack: str | None,
    allow_delete: tuple[TopicName, ...],
    allow_replace: tuple[TopicName, ...],
    outputs: tuple[Output, ...],
) -> ExitCode:
    """Refuse a Pulumi preview that would delete or replace Pub/Sub topics.

    FILE is what `pulumi preview --json` printed, in either form (one document, or one event a line); without it, or
    for `-`, that is read from stdin. Any program's topics count, not only those of hedgerow's. Exits 5 when a topic
    would be lost that nobody named, and 4 for a preview that failed or cannot be read, which is never "no changes".
    """
    try:
        found = read_preview(_read(preview))
        loaded = None if stack is None else read_stack(stack)
        judged = refused(losses(found), allowed(loaded, allow_delete, allow_replace))
    except HedgerowError as error:
        note_result(error.exit_code)
        failed = Results(failure=error)
        emit(outputs, lambda format_: rendered(failed, format_, GUARD_RULES))
        raise
    failure = failure_of(found)
    diagnostics = guard_diagnostics(judged.refused, lambda loss: _place(loss, loaded, preview))
    results = Results(diagnostics=tuple(diagnostics), failure=failure, error_code=ExitCode.REFUSED)
    note_result(results.exit_code)

    def form(format_: Format) -> str:
        if format_ is Format.JSON:
            return as_json(guard_document(found, judged, results.exit_code))
        return rendered(results, format_, GUARD_RULES)

    emit(outputs, form)
    say(*guard_summary(found, judged), *unused(judged, allow_delete, allow_replace))
    if failure is not None:
        say(str(failure))
    return results.exit_code


def failure_of(preview: Preview) -> UnreadablePreview | None:
    """Why a preview does not tell all that an update would do, if it failed.

    What it did tell still counts: a protected topic fails the preview, in the words of the engine, which name no
    property.
    """
    if not preview.errors:
        return None
    told = "\n".join(f"  {line}" for error in preview.errors for line in error.splitlines())
    return UnreadablePreview(f"the preview failed, so nobody knows what else an update would do\n{told}")


def allowed(loaded: Loaded | None, delete: Sequence[TopicName], replace: Sequence[TopicName]) -> Allowance:
    """The topics that may go: those that a stack names, and those of the command line."""
    settings = loaded.fleet.stack.pulumi if loaded else None
    return Allowance(
        may_delete={*(settings.may_delete if settings else ()), *delete},
        may_replace={*(settings.may_replace if settings else ()), *replace},
    )


def unused(judged: Refused, delete: Sequence[TopicName], replace: Sequence[TopicName]) -> list[str]:
    """Warnings about names on the command line that allowed nothing: a slip, or no longer needed."""
    used = {(loss.topic, f"--allow-{str(loss.fate).removesuffix('d')}") for loss in judged.allowed}
    named = [*((name, "--allow-delete") for name in delete), *((name, "--allow-replace") for name in replace)]
    return [f"warning: {option} {name} allowed nothing" for name, option in named if (name, option) not in used]


def _read(path: Path) -> str:
    if str(path) != "-":
        return read_file(path)
    if sys.stdin.isatty():
        raise UsageError("no preview was given", hint="pulumi preview --json | hedgerow guard")
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise UnreadablePreview("the preview is not UTF-8") from None


def _place(loss: Loss, loaded: Loaded | None, preview: Path) -> Position:
    if loaded is not None:
        return loaded.place_of(loss.topic)
    return Position("stdin" if str(preview) == "-" else str(preview))
