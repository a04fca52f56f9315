"""`hedgerow schema`: the JSON Schemas, for editors and other tools."""

from __future__ import annotations

import click

from reconciler.cli.output import data
from reconciler.spec import SCHEMAS, schema_text


@click.command()
@click.argument("kind", type=click.Choice(sorted(SCHEMAS)))
def schema(kind: str) -> None:
    """Print the JSON Schema of a kind of file.

    `stack` is stack.yaml, `fleet` every other file of a stack, `organization` a snapshot of the organization's
    policies, `publisher-config` a rendered configuration file.
    """
    data(schema_text(kind))
