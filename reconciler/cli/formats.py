"""`--format`: in which forms a command tells its results, and where each goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import click

from reconciler.cli.output import as_json, data, write_file
from reconciler.errors import ExitCode
from reconciler.report import (
    Results,
    annotations_text,
    diagnostics_text,
    results_document,
    sarif_document,
)
from reconciler.rules import Rule

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Format(StrEnum):
    """A form of the same results."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    """For code scanning services."""
    GITHUB = "github"
    """Annotations, as commands in the log of GitHub Actions."""


_SHARING = frozenset({Format.TEXT, Format.GITHUB})
"""The forms that are made of lines; a JSON document needs a stream for itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A form of the results, and the file for it; `None` is stdout."""

    format: Format
    file: Path | None = None


class _OutputType(click.ParamType[Output]):
    name = "FORMAT[=FILE]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Output:
        name, has_file, file = str(value).partition("=")
        if name not in tuple(Format):
            self.fail(f"`{name}` is no format; choose from {', '.join(Format)}", param, ctx)
        if has_file and not file:
            self.fail(f"`{value}` names no file", param, ctx)
        return Output(format=Format(name), file=Path(file) if file else None)


def outputs_option(command: _Command) -> _Command:
    """`--format FORMAT[=FILE]`, any number of times; passes `outputs`.

    Text goes to stdout unless another form does.
    """
    option = click.option(
        "--format",
        "outputs",
        type=_OutputType(),
        multiple=True,
        callback=_checked,
        help="text, json, sarif or github, on stdout or in a file; may be given several times.  [default: text]",
    )
    return option(command)


def _checked(ctx: click.Context, param: click.Parameter, outputs: Sequence[Output]) -> tuple[Output, ...]:
    printed = [output.format for output in outputs if output.file is None]
    files = [output.file for output in outputs if output.file is not None]
    if len(printed) > 1 and not set(printed) <= _SHARING:
        document = next(one for one in printed if one not in _SHARING)
        message = f"`{document}` cannot share stdout with another format; give one of them a file: {document}=FILE"
        raise click.BadParameter(message, ctx, param)
    if len(set(files)) < len(files):
        raise click.BadParameter("two formats would be written to the same file", ctx, param)
    return tuple(outputs) if printed else (Output(format=Format.TEXT), *outputs)


def emit(outputs: Sequence[Output], render: Callable[[Format], str]) -> None:
    """Writes the results in every form that is asked for: files first, so that a closed pipe loses none of them.

    Raises:
        HedgerowError: when a file cannot be written.
    """
    texts = [(output, render(output.format)) for output in outputs]
    for output, text in texts:
        if output.file is not None:
            write_file(output.file, text)
    for output, text in texts:
        if output.file is None:
            data(text)


def rendered(results: Results, format_: Format, rules: Sequence[Rule], *, exit_code: ExitCode | None = None) -> str:
    """Results in one form. See `sarif_document` for the arguments."""
    match format_:
        case Format.TEXT:
            return diagnostics_text(results.diagnostics)
        case Format.JSON:
            return as_json(results_document(results))
        case Format.SARIF:
            return as_json(sarif_document(results, rules, exit_code=exit_code))
        case Format.GITHUB:
            return annotations_text(results)
