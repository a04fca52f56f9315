"""`hedgerow schema`: the JSON Schemas, for editors and other tools."""

from __future__ import annotations

from importlib.resources import files

import click

from reconciler import report
from reconciler.cli.output import data
from reconciler.spec import SCHEMAS, schema_text

_PUBLISHER_CONFIG = "publisher-config"


@click.command()
@click.argument("kind", type=click.Choice(sorted([*SCHEMAS, *report.SCHEMAS, _PUBLISHER_CONFIG])))
def schema(kind: str) -> None:
    """Print the JSON Schema of a kind of file.

    `stack` is stack.yaml, `fleet` every other file of a stack, `organization` a snapshot of the organization's
    policies, `publisher-config` a rendered configuration file, `plan` what `plan -o` saves, `baseline` what
    `check --baseline` accepts; `findings`, `guard` and `pulumi-drift` what `check`, `guard` and `pulumi drift` print as
    JSON.
    """
    if kind == _PUBLISHER_CONFIG:
        data(files("reconciler.hedging").joinpath("publisher-config.schema.json").read_text("utf-8"))
    elif kind in report.SCHEMAS:
        data(report.schema_text(kind))
    else:
        data(schema_text(kind))
