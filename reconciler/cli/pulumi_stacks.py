"""`hedgerow pulumi stacks`: the Pulumi stacks that a stack is declared by."""

from __future__ import annotations

from typing import Any

import click

from reconciler.cli.output import as_json, data, say
from reconciler.cli.stacks import read_stack, stack_argument
from reconciler.errors import UsageError
from reconciler.model import Fleet, OneStack, Stack, StackPerProject, StackPerShard, pulumi_stacks, shards
from reconciler.report import counted
from reconciler.spec import Loaded

pulumi_stack_option = click.option(
    "--pulumi-stack",
    metavar="NAME",
    help="This Pulumi stack alone: one of a split stack, or one that is not named like the folder.",
)


def chosen_parts(loaded: Loaded, name: str | None) -> dict[str, Fleet]:
    """The parts of a stack that a command is about, by Pulumi stack.

    Raises:
        UsageError: for a name that is none of those that a split stack has.
    """
    parts = dict(shards(loaded.fleet))
    if name is None or name in parts:
        return parts if name is None else {name: parts[name]}
    if isinstance(loaded.fleet.stack.pulumi.split, OneStack):
        return {name: loaded.fleet}
    raise UsageError(
        f"`{name}` is no Pulumi stack of `{loaded.fleet.stack.name}`",
        hint=f"list them: hedgerow pulumi stacks {loaded.fleet.stack.name}",
    )


@click.command()
@stack_argument
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "names"]),
    default="text",
    help="Form of the data on stdout; `names` is one name a line, for scripts.",
)
def stacks(stack: str | None, format_: str) -> None:
    """List the Pulumi stacks that declare a stack, with their numbers of topics.

    A stack that is not split is declared by one, of its own name; `pulumi.shards` in stack.yaml splits it.
    """
    fleet = read_stack(stack, format_="json" if format_ == "json" else "text").fleet
    if format_ == "names":
        data("".join(f"{name}\n" for name in pulumi_stacks(fleet.stack)))
        return
    parts = shards(fleet)
    if format_ == "json":
        data(as_json(_document(fleet, parts)))
    else:
        width = max(map(len, parts))
        data("".join(f"{name:{width}}  {_content(part)}\n" for name, part in parts.items()))
    say(f"{counted(len(fleet.topics), 'topic')} in {counted(len(parts), 'Pulumi stack')}: {_how(fleet.stack)}")


def _content(part: Fleet) -> str:
    projects = len({topic.name.project for topic in part.topics})
    return f"{counted(len(part.topics), 'topic'):>12}  {counted(projects, 'project'):>11}"


def _how(stack: Stack) -> str:
    match stack.pulumi.split:
        case OneStack():
            return "the stack is not split"
        case StackPerProject():
            return "one for each project"
        case StackPerShard(count):
            return f"{count} shards, each topic in the one that its name's hash says"


def _document(fleet: Fleet, parts: Any) -> dict[str, Any]:
    return {
        "formatVersion": "1",
        "stack": fleet.stack.name,
        "topics": len(fleet.topics),
        "pulumiStacks": [
            {
                "name": name,
                "topics": len(part.topics),
                "projects": sorted({topic.name.project for topic in part.topics}),
                "specs": part.fingerprint,
            }
            for name, part in parts.items()
        ],
    }
