"""Exemptions to the model: which topics, from which rule, until when, and who answers for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from reconciler.errors import Position
from reconciler.model import LIVE, Exemption, Origin, Stack, TopicName, is_topic_id
from reconciler.spec.placeholders import unresolved
from reconciler.spec.problems import InvalidSpecs, Problems
from reconciler.spec.schema import fits


def parse_exemptions(entries: Sequence[Any], shown: str) -> tuple[Exemption, ...]:
    """The exemptions of a list that is not part of a stack's files, in the form that they have there.

    Args:
        entries: as a spec file has them under `exemptions`.
        shown: how messages call the place where they were written.

    Raises:
        InvalidSpecs: with everything that is wrong with them.
    """
    problems = Problems()
    body = {"exemptions": list(entries)}
    if not fits("fleet", body):
        from reconciler.spec.explain import explain  # noqa: PLC0415 - as for the files of a stack

        explain("fleet", body, shown, problems)
    nowhere = Stack(name="", folder="", organization="", policy_source=LIVE, projects=(), origin=Origin(shown))
    exemptions = () if problems.error_count else tuple(read_exemptions(body["exemptions"], shown, nowhere, problems))
    if problems.error_count:
        raise InvalidSpecs(problems.located(lambda origin: Position(origin.file)))
    return exemptions


def read_exemptions(
    entries: Iterable[Mapping[str, Any] | None], file: str, stack: Stack, problems: Problems
) -> Iterator[Exemption]:
    """The exemptions of one file; those with something wrong are noted and left out.

    Whether there is such a rule, and whether it allows exemptions, is for the rules to say.

    Args:
        entries: as they fit the schema; `None` for those that do not.
        file: the file that holds them.
        stack: for its scope; one without projects stands in for one that could not be read.
        problems: where to note what is wrong.
    """
    for index, entry in enumerate(entries):
        if entry is None:
            continue
        origin = Origin(file, ("exemptions", index))
        lead = f"`exemptions[{index}]`: "
        errors = problems.error_count
        for place, text in unresolved(entry, origin):
            message = f"{lead}nothing fills in the placeholder `{text}`"
            problems.error("spec-placeholder", place, message, hint="write the value out")
        names = [
            _name(text, origin.at("topics", number), lead, stack, problems)
            for number, text in enumerate(entry["topics"])
        ]
        expires = _day(entry["expires"], origin.at("expires"), lead, problems)
        if expires is None or problems.error_count > errors:
            continue
        yield Exemption(
            topics=tuple(sorted(name for name in names if name is not None)),
            rule=entry["rule"],
            reason=entry["reason"],
            owner=entry["owner"],
            expires=expires,
            origin=origin,
        )


def _name(text: str, origin: Origin, lead: str, stack: Stack, problems: Problems) -> TopicName | None:
    name = TopicName.parse(text)
    # A pattern is an id with holes in it: with the holes filled, it has to be one.
    if not is_topic_id(name.topic.replace("*", "xxx")):
        hint = "write a topic id, in which `*` stands for any characters"
        problems.error("topic-name", origin, f"{lead}`{name.topic}` is not a topic id", hint=hint)
        return None
    if stack.projects and name.project not in stack.projects:
        hint = f"name a topic of the stack, or add the project to `projects` in `{stack.origin.file}`"
        message = f"{lead}project `{name.project}` is not in the stack's scope"
        problems.error("topic-project", origin, message, hint=hint)
        return None
    return name


def _day(text: str, origin: Origin, lead: str, problems: Problems) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        problems.error("spec-value", origin, f"{lead}`expires`: there is no day `{text}`")
        return None
