"""`hedgerow pulumi adopt` and `import-file`: topics that are there and that Pulumi does not know."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click

from reconciler.cli.output import as_json, data, format_option, say, write_file
from reconciler.cli.pulumi_engine import Command, captured, explained
from reconciler.cli.pulumi_stacks import chosen_parts, pulumi_stack_option
from reconciler.cli.stacks import read_stack, stack_argument
from reconciler.cli.surroundings import connection, now
from reconciler.errors import ExitCode, UsageError
from reconciler.model import TopicName
from reconciler.preview import Adoption, PulumiState, adoptions, import_file, read_state
from reconciler.pulumi import load_declaration
from reconciler.reconcile import all_available
from reconciler.report import adoption_document, adoption_text, counted
from reconciler.spec import Loaded

_NO_STATE = PulumiState(topics={})


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What is to be taken over by one Pulumi stack.

    Attributes:
        found: the topics.
        state: what it has already.
        declared: how many topics it declares.
        is_there: whether there is such a Pulumi stack.
    """

    found: tuple[Adoption, ...]
    state: PulumiState
    declared: int
    is_there: bool


@click.command()
@stack_argument
@pulumi_stack_option
@format_option
def adopt(stack: str | None, pulumi_stack: str | None, format_: str) -> None:
    """List declared topics that are live and not in the Pulumi stack, and what taking them over would change.

    Writes nothing. An import puts right at once what the program declares otherwise: read the list before.
    """
    loaded = read_stack(stack, format_=format_)
    parts = _parts(loaded, pulumi_stack)
    found = {name: part.found for name, part in parts.items()}
    name = loaded.fleet.stack.name
    data(as_json(adoption_document(name, found)) if format_ == "json" else adoption_text(found))
    total = sum(map(len, found.values()))
    changing = sum(bool(one.changes) for several in found.values() for one in several)
    looked_at = counted(sum(part.declared for part in parts.values()), "declared topic")
    say(f"{looked_at} in {counted(len(parts), 'Pulumi stack')}: {total:,} to take over, {changing:,} would change")
    for one, part in parts.items():
        if not part.is_there:
            say(f"next: pulumi stack init {one}, because there is no such Pulumi stack yet")
        if part.found:
            say(f"next: pulumi config set hedgerow:adopt true --stack {one}")
    if total:
        say(f"then: hedgerow pulumi up {name}; leaving `hedgerow:adopt` on changes nothing")


@click.command("import-file")
@stack_argument
@pulumi_stack_option
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write it here.")
def import_file_command(stack: str | None, pulumi_stack: str | None, output: Path | None) -> ExitCode:
    """Write the file by which `pulumi import` takes over the declared topics that are live.

    The way without the program: it brings the topics into the state, under the component that declares them, and
    changes nothing about them; the next `pulumi up` does.
    """
    loaded = read_stack(stack)
    parts = _parts(loaded, pulumi_stack)
    if len(parts) > 1:
        raise UsageError(
            f"{loaded.fleet.stack.name} is declared by {len(parts)} Pulumi stacks, and each has a file of its own",
            hint=f"name one with --pulumi-stack: {', '.join(parts)}",
        )
    [(name, part)] = parts.items()
    if not part.found:
        say(f"`{name}` has every declared topic that is live already; there is nothing to import")
        return ExitCode.OK
    text = as_json(import_file(part.found, part.state, _provider_version()))
    if output is None:
        data(text)
    else:
        write_file(output, text)
    say(
        f"{counted(len(part.found), 'topic')} to import",
        f"next: pulumi import --file {output or 'FILE'} --stack {name} --generate-code=false --yes",
    )
    return ExitCode.OK


def _parts(loaded: Loaded, pulumi_stack: str | None) -> dict[str, Part]:
    chosen = chosen_parts(loaded, pulumi_stack)
    projects = {topic.name.project for part in chosen.values() for topic in part.topics}
    live = _live(loaded, projects)
    folder = loaded.folder.resolve()
    today, parts = now().date(), {}
    for name in chosen:
        declaration = load_declaration(folder.parent, name, folder=folder.name, today=today, environment=os.environ)
        state = _state(name)
        declared = {topic.name: topic.properties for topic in declaration.topics}
        parts[name] = Part(
            found=adoptions(declared, live, state or _NO_STATE),
            state=state or _NO_STATE,
            declared=len(declared),
            is_there=state is not None,
        )
    return parts


def _live(loaded: Loaded, projects: set[str]) -> dict[TopicName, Mapping[str, Any]]:
    """The live topics of some projects.

    Raises:
        NotEvaluated: when a project's could not be listed: a topic that is not seen is not one that is not there.
    """
    link = connection(loaded.fleet.stack)
    from reconciler.gcp import PubsubTopics, read_whole_topics  # see `connection`

    read = all_available(read_whole_topics(projects, PubsubTopics(link)))
    return {name: topic for topics in read.values() for name, topic in topics.items()}


def _state(pulumi_stack: str) -> PulumiState | None:
    """What a Pulumi stack has; `None` where there is no such stack.

    Raises:
        HedgerowError: when that cannot be told.
    """
    command = Command(arguments=("stack", "export", "--stack", pulumi_stack))
    say(f"$ {command}")
    ended = captured(command)
    if ended.missing_stack:
        return None
    if ended.code:
        raise explained(ended, command)
    return read_state(ended.out)


def _provider_version() -> str | None:
    try:
        return version("pulumi-gcp")
    except PackageNotFoundError:
        return None
