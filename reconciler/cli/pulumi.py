"""`hedgerow pulumi`: Pulumi's command line, run for a stack."""

from __future__ import annotations

import click

from reconciler.cli.pulumi_adopt import adopt, import_file_command
from reconciler.cli.pulumi_drift import drift
from reconciler.cli.pulumi_stacks import stacks
from reconciler.cli.pulumi_up import up


@click.group()
def pulumi() -> None:
    """Run Pulumi for a stack: up, drift, adoption, and its Pulumi stacks.

    Everything here is a thin wrapper: it prints each command before it runs it. `pulumi` itself works as always.
    """


for _command in (up, drift, adopt, import_file_command, stacks):
    pulumi.add_command(_command)
