"""A stack's folder to a `Fleet`: every file read, every problem of all of them reported at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reconciler.errors import Position
from reconciler.model import LIVE, Fleet, Origin, Stack, TopicName
from reconciler.spec.defaults import scopes
from reconciler.spec.exemptions import read_exemptions
from reconciler.spec.files import Document, read_document, spec_files, stack_file
from reconciler.spec.placeholders import may_hold_placeholders
from reconciler.spec.positions import locate
from reconciler.spec.problems import InvalidSpecs, Problem, Problems
from reconciler.spec.publishers import PublisherReader
from reconciler.spec.pulumi import check_expendable
from reconciler.spec.remainder import remainder
from reconciler.spec.schema import fits
from reconciler.spec.stack import read_stack
from reconciler.spec.topics import TopicReader


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A stack that could be read.

    Attributes:
        fleet: what it declares.
        warnings: what is odd about the files, but not wrong.
        files: every file that was read, as messages show them, `stack.yaml` first.
        folder: where the stack is.
    """

    fleet: Fleet
    warnings: tuple[Problem, ...]
    files: tuple[str, ...]
    folder: Path

    def locate(self, origin: Origin) -> Position:
        """The line and column of something in this stack."""
        return _locate(origin, self.folder, self.fleet.stack.folder)

    def place_of(self, topic: TopicName | None) -> Position:
        """The line that declares a topic; for one that no spec declares, `stack.yaml`."""
        spec = self.fleet.by_name.get(topic) if topic else None
        return self.locate(spec.origin if spec else self.fleet.stack.origin)


def load_fleet(folder: Path, *, display: str | None = None) -> Loaded:
    """Reads a stack.

    Args:
        folder: the folder that holds `stack.yaml`.
        display: how messages and origins show the folder, if not as it is.

    Raises:
        InvalidSpecs: with every problem of every file.
        InvalidInput: when the folder is not a stack.
    """
    shown = (display or str(folder)).rstrip("/")
    problems = Problems()
    main = stack_file(folder)
    origin = Origin(f"{shown}/{main.name}")
    stack_document = _read(main, origin.file, "stack", problems)
    stack = None
    if stack_document and not problems.error_count:
        stack = read_stack(stack_document, folder, shown, problems)
    documents = {
        path: document
        for path in spec_files(
            folder, without=[main, *(_other_content(stack) if stack else _likely_other_content(stack_document, folder))]
        )
        if (document := _read(folder / path, f"{shown}/{path}", "fleet", problems))
    }
    fleet = _build(stack or _stand_in(origin, shown), documents, problems)
    if not problems.error_count:
        check_expendable(fleet, problems)
    found = problems.located(lambda origin: _locate(origin, folder, shown))
    if problems.error_count:
        raise InvalidSpecs(found)
    files = (origin.file, *(document.file for document in documents.values()))
    return Loaded(fleet=fleet, warnings=found, files=files, folder=folder)


def _locate(origin: Origin, folder: Path, shown: str) -> Position:
    return locate(origin, file=folder / origin.file.removeprefix(f"{shown}/"))


def _other_content(stack: Stack) -> list[Path]:
    """Places that `stack.yaml` names and that hold no specs, should they lie in the stack's folder."""
    places = [Path(stack.publisher_output), Path(stack.reconcile.journal)]
    return places if stack.policy_source == LIVE else [*places, Path(stack.policy_source)]


def _likely_other_content(document: Document | None, folder: Path) -> list[Path]:
    """The same where `stack.yaml` is wrong: what is right in it counts, so that its mistakes are not drowned."""
    body: Mapping[str, Any] = document.body if document else {}
    named = {"publishers": ("output", "dist/publishers"), "reconcile": ("journal", "runs")}
    places = [body.get(group, {}).get(key, default) for group, (key, default) in named.items()]
    return [folder / place for place in (*places, body.get("policySource", LIVE))]


def _read(path: Path, file: str, schema: str, problems: Problems) -> Document | None:
    """A file, or what fits its schema in it; what does not is noted."""
    document = read_document(path, file, problems)
    if document is None or fits(schema, document.body):
        return document
    from reconciler.spec.explain import explain  # noqa: PLC0415 - its library is worth loading for a mistake only

    failures = explain(schema, document.body, file, problems)
    return replace(document, body=remainder(document.body, failures)) if failures else document


def _stand_in(main: Origin, shown: str) -> Stack:
    """A stack for checking the other files although `stack.yaml` is wrong."""
    return Stack(name="", folder=shown, organization="", policy_source=LIVE, projects=(), origin=main)


def _build(stack: Stack, documents: Mapping[str, Document], problems: Problems) -> Fleet:
    # What did not fit its schema is not here: whatever else looks missing because of that is no mistake.
    complete = problems.error_count == 0
    topics = TopicReader(stack=stack, problems=problems, complete=complete)
    publishers = PublisherReader(problems=problems, complete=complete)
    scope_of = scopes(documents, problems)
    for document in documents.values():
        publishers.read_profiles(document.body.get("hedgingProfiles", {}), document.file)
    for path, document in documents.items():
        defaults: Mapping[str, Any] = document.body.get("defaults", {})
        at_defaults = Origin(document.file, ("defaults",))
        topics.check_defaults(defaults, at_defaults)
        publishers.check_defaults(defaults, at_defaults)
        topics.read(
            document.body.get("topics", ()),
            document.file,
            scope_of[path],
            check_placeholders=may_hold_placeholders(document.text),
        )
    publishers.all_topics_read = complete and problems.error_count == 0
    if any("publishers" in document.body for document in documents.values()):
        publishers.declared = _projects_by_topic(topics)
    for path, document in documents.items():
        publishers.read(document.body.get("publishers", ()), document.file, scope_of[path])
    exemptions = [
        exemption
        for document in documents.values()
        for exemption in read_exemptions(document.body.get("exemptions", ()), document.file, stack, problems)
    ]
    return Fleet.of(stack, topics.topics, publishers.publishers, publishers.profiles.values(), exemptions)


def _projects_by_topic(topics: TopicReader) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in topics.origins:
        found.setdefault(name.topic, []).append(name.project)
    return found
