"""`hedgerow policy`: capture, explain, compare and try out organization policies."""

from __future__ import annotations

import click

from reconciler.cli.policy_diff import diff
from reconciler.cli.policy_explain import explain
from reconciler.cli.policy_snapshot import snapshot
from reconciler.cli.policy_what_if import what_if


@click.group()
def policy() -> None:
    """Capture, explain, compare and try out organization policies."""


for _command in (snapshot, explain, diff, what_if):
    policy.add_command(_command)
