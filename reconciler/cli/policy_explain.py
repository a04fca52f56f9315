"""`hedgerow policy explain`: which node, rule and value admits or removes each region."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

import click

from reconciler.cli.output import as_json, data, format_option, say
from reconciler.cli.policy_sources import Source, snapshot_source, stack_source
from reconciler.cli.stacks import read_stack
from reconciler.errors import ExitCode, NotEvaluated, UsageError
from reconciler.model import Explicit, Fleet, Inherit, RegionSet, TopicSpec, Unmanaged, Within
from reconciler.orgpolicy import EffectivePolicy, Explanation, explain_policy
from reconciler.reconcile import desired
from reconciler.report import explanation_document, explanation_text
from reconciler.spec import locate


@click.command()
@click.argument("project", required=False)
@click.option("--region", "regions", multiple=True, help="Tell about this region only; may be given several times.")
@click.option("--topic", "topic_name", help="Tell about a declared topic: its id, or its full name.")
@click.option("--stack", help="The stack whose policy source is asked; left out where there is one.")
@click.option(
    "--snapshot",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A snapshot to ask.",
)
@click.option("-v", "--verbose", is_flag=True, help="Show every region.")
@format_option
def explain(
    project: str | None,
    regions: tuple[str, ...],
    topic_name: str | None,
    stack: str | None,
    file: Path | None,
    format_: str,
    *,
    verbose: bool,
) -> ExitCode:
    """Explain what the organization allows PROJECT: which node, rule and value admits or removes each region.

    Exits 4 where something is undecided, or the project is not known.
    """
    if (project is None) == (topic_name is None):
        raise UsageError("name a project, or a topic with --topic", hint="hedgerow policy explain acme-orders-prod")
    if file is not None and topic_name is None:
        source, topic = snapshot_source(file), None
    else:
        fleet = read_stack(stack, format_=format_).fleet
        topic = _topic(fleet, topic_name) if topic_name else None
        project = topic.name.project if topic else project
        assert project is not None  # noqa: S101 - one of the two is given
        source = snapshot_source(file) if file is not None else stack_source(fleet.stack, [project])
    assert project is not None  # noqa: S101 - one of the two is given
    project = source.snapshot.project_id(project)
    told = RegionSet.from_names(regions) if regions else _regions_of(topic)
    explanation = explain_policy(source.snapshot, project, source.catalogue, regions=told)
    if explanation is None:
        raise NotEvaluated(
            f"`{project}` is not in {source.name}", hint="capture it with `hedgerow policy snapshot`, or correct the id"
        )
    if format_ == "json":
        document = explanation_document(explanation)
        data(as_json({"formatVersion": "1", **({"topic": _topic_document(topic)} if topic else {}), **document}))
    else:
        story = _topic_text(topic, explanation.effective, source) if topic else ""
        data(story + explanation_text(explanation, verbose=verbose))
    say(f"explained from {source.name}")
    return ExitCode.NOT_EVALUATED if _is_open(explanation, told) else ExitCode.OK


def _is_open(explanation: Explanation, told: RegionSet | None) -> bool:
    """Whether something that was asked about is undecided."""
    if told is not None:
        return any(story.allowed is None for story in explanation.regions)
    return bool(explanation.effective.doubts)


def _topic(fleet: Fleet, name: str) -> TopicSpec:
    found = [topic for topic in fleet.topics if name in (str(topic.name), topic.name.topic)]
    if not found:
        raise UsageError(f"stack {fleet.stack.name} declares no topic `{name}`", hint="name it as its spec does")
    if len(found) > 1:
        names = ", ".join(str(topic.name) for topic in found)
        raise UsageError(f"`{name}` is {len(found)} topics: {names}", hint="give the full name")
    return found[0]


def _regions_of(topic: TopicSpec | None) -> RegionSet | None:
    """The regions that a topic's story is about: those that it declares, or all that the policies name."""
    return topic.policy.regions if topic and isinstance(topic.policy, Explicit) else None


def _topic_text(topic: TopicSpec, policy: EffectivePolicy, source: Source) -> str:
    lines = [f"{topic.name}  {locate(topic.policy_origin)}", f"  declared  {_declared(topic)}"]
    wanted = desired(topic, policy, source.catalogue)
    if wanted is None:
        lines.append("  wanted    nothing: somebody else owns its storage policy")
    elif wanted.problem:
        lines.append(f"  wanted    nothing: {wanted.problem}")
    else:
        undecided = wanted.regions.undecided
        more = f"; undecided: {undecided}" if undecided else ""
        flag = {True: ", enforced in transit", False: "", None: ", enforcement in transit undecided"}
        lines.append(f"  wanted    {wanted.regions.certain}{more}{flag[wanted.in_transit]}")
    return "".join(f"{line}\n" for line in lines)


def _declared(topic: TopicSpec) -> str:
    match topic.policy:
        case Inherit():
            return "inherit"
        case Explicit(regions=regions):
            return str(regions)
        case Within(groups=groups):
            return f"within {', '.join(groups)}"
        case Unmanaged():
            return "unmanaged"
        case _:
            assert_never(topic.policy)


def _topic_document(topic: TopicSpec) -> dict[str, object]:
    position = locate(topic.policy_origin)
    return {
        "name": str(topic.name),
        "declared": _declared(topic),
        "file": position.file,
        "line": position.line,
        "column": position.column,
    }
