"""Topic entries to the model: names, storage policies, labels, resolutions and the fields that are carried through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reconciler.model import (
    DeclaredPolicy,
    Origin,
    Resolutions,
    Stack,
    Subscriber,
    TopicName,
    TopicSpec,
    is_project_id,
    is_topic_id,
)
from reconciler.spec.defaults import Scope
from reconciler.spec.fields import check_fields
from reconciler.spec.labels import check_labels
from reconciler.spec.placeholders import expand, unresolved
from reconciler.spec.problems import Problems
from reconciler.spec.quantities import retention
from reconciler.spec.regions import read_regions
from reconciler.spec.stack import read_resolutions
from reconciler.spec.storage import StoragePolicies

CARRIED = (
    "messageRetentionDuration",
    "kmsKeyName",
    "schemaSettings",
    "messageTransforms",
    "ingestionDataSourceSettings",
    "tags",
)
"""Fields of the API's Topic that are declared under their REST names and carried through as they are."""


@dataclass(slots=True, kw_only=True)
class TopicReader:
    """Reads the topics of a stack, file by file; `topics` and `origins` hold what was read so far.

    An entry with something wrong is noted in `problems` and left out.

    Attributes:
        stack: for its scope and its resolutions; one without projects stands in for one that could not be read.
        complete: whether every file could be read; else what is missing is no mistake.
    """

    stack: Stack
    problems: Problems
    complete: bool = True
    topics: list[TopicSpec] = field(default_factory=list)
    origins: dict[TopicName, Origin] = field(default_factory=dict)
    _projects: frozenset[str] = frozenset()
    _policies: StoragePolicies = field(default_factory=StoragePolicies)
    _subscribers: dict[tuple[tuple[str | None, ...], ...], tuple[Subscriber, ...]] = field(default_factory=dict)
    _resolutions: dict[tuple[tuple[str, str], ...], Resolutions] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._projects = frozenset(self.stack.projects)

    def read(
        self, entries: Sequence[dict[str, Any] | None], file: str, scope: Scope, *, check_placeholders: bool
    ) -> None:
        """Reads the entries of one file under the defaults that hold there."""
        inherited = scope.values.get("messageStoragePolicy", "inherit")
        # What is wrong with a default is noted where it stands, by `check_defaults`.
        default = self._policies.read(inherited, Origin(file), "", Problems())
        for index, entry in enumerate(entries):
            if entry is None:
                continue
            origin = Origin(file, ("topics", index))
            if "forEach" in entry:
                self._read_expanded(entry, origin, scope, default)
                continue
            lead = f"`{entry['name'].rpartition('/')[2]}`: "
            if check_placeholders and self._note_placeholders(entry, origin, lead):
                continue
            self._read_one(entry, origin, scope, default, lead)

    def check_defaults(self, values: Mapping[str, Any], origin: Origin) -> None:
        """Notes what is wrong with the values of a `defaults` mapping itself, once and not for each topic."""
        if self._note_placeholders(values, origin, ""):
            return
        if "project" in values:
            self._check_project(values["project"], origin.at("project"), "")
        if "messageStoragePolicy" in values:
            self._policies.read(values["messageStoragePolicy"], origin.at("messageStoragePolicy"), "", self.problems)
        check_labels(values.get("labels", {}), origin, "", self.problems)
        check_fields(values, origin, "", self.problems)
        self._check_retention(values, origin, "")
        self._read_subscribers(values.get("subscribers", ()), origin.at("subscribers"), "")

    def _read_expanded(
        self, entry: Mapping[str, Any], origin: Origin, scope: Scope, default: DeclaredPolicy | None
    ) -> None:
        names: set[str] = set()
        for one in expand(entry):
            name = one["name"]
            lead = f"`{name.rpartition('/')[2]}`: "
            if self._note_placeholders(one, origin, lead):
                return
            if f"{one.get('project')}/{name}" in names:
                keys = "`, `".join(f"{{{key}}}" for key in entry["forEach"])
                message = f"{lead}several topics of this `forEach` have this name"
                self.problems.error("topic-duplicate", origin.at("name"), message, hint=f"use `{keys}` in the name")
                return
            names.add(f"{one.get('project')}/{name}")
            self._read_one(one, origin, scope, default, lead)

    def _note_placeholders(self, value: Mapping[str, Any], origin: Origin, lead: str) -> bool:
        found = [(place, text) for place, text in unresolved(value, origin) if "forEach" not in place.path]
        for place, text in found:
            hint = "declare it in the entry's `forEach`, or write the value out"
            self.problems.error(
                "spec-placeholder", place, f"{lead}nothing fills in the placeholder `{text}`", hint=hint
            )
        return bool(found)

    def _read_one(
        self, entry: Mapping[str, Any], origin: Origin, scope: Scope, default: DeclaredPolicy | None, lead: str
    ) -> None:
        errors = self.problems.error_count
        values = scope.applied(entry)
        name = self._name(entry, values, origin, lead)
        policy, policy_origin = default, scope.origins.get("messageStoragePolicy", origin)
        if "messageStoragePolicy" in entry:
            policy_origin = origin.at("messageStoragePolicy")
            policy = self._policies.read(entry["messageStoragePolicy"], policy_origin, lead, self.problems)
        labels = values.get("labels") or {}
        if "labels" in entry:
            check_labels(entry["labels"], origin, lead, self.problems, total=len(labels))
        fields = {key: values[key] for key in CARRIED if key in values}
        if fields:
            check_fields(entry, origin, lead, self.problems)
        if "messageRetentionDuration" in fields:
            if "messageRetentionDuration" in entry and not self._check_retention(entry, origin, lead):
                return
            fields["messageRetentionDuration"] = _retention(fields["messageRetentionDuration"])
        subscribers: tuple[Subscriber, ...] = ()
        subscribers_origin = None
        if declared := values.get("subscribers"):
            subscribers_origin = scope.origin("subscribers", entry, origin)
            subscribers = self._read_subscribers(declared, subscribers_origin, lead, quiet="subscribers" not in entry)
        resolutions = self.stack.reconcile.resolutions
        if overrides := values.get("resolutions"):
            resolutions = self._resolve(overrides)
        if name is None or policy is None or self.problems.error_count > errors:
            return
        self.topics.append(
            TopicSpec(
                name=name,
                policy=policy,
                labels=labels,
                resolutions=resolutions,
                fields=fields,
                subscribers=subscribers,
                origin=origin,
                policy_origin=policy_origin,
                subscribers_origin=subscribers_origin,
                field_origins={key: scope.origin(key, entry, origin) for key in fields},
            )
        )

    def _name(self, entry: Mapping[str, Any], values: Mapping[str, Any], origin: Origin, lead: str) -> TopicName | None:
        written = entry["name"]
        if written.startswith("projects/"):
            parts = written.split("/")
            if len(parts) != 4 or parts[2] != "topics":
                message = f"`{written}` is not a topic name"
                self.problems.error(
                    "topic-name", origin.at("name"), message, hint="write `projects/PROJECT/topics/TOPIC`"
                )
                return None
            if "project" in entry:
                message = f"{lead}the full name and `project` both say where the topic is"
                self.problems.error("topic-project", origin.at("project"), message, hint="leave `project` out")
                return None
            project, topic, place = parts[1], parts[3], origin.at("name")
        else:
            project, topic = values.get("project"), written
            place = origin.at("project") if "project" in entry else origin
            if project is None and not self.complete:
                return None
            if project is None:
                hint = "write `project: ...` here or in `defaults`, or the topic's full name"
                self.problems.error("topic-project", origin, f"{lead}no project is given", hint=hint)
                return None
        if not is_topic_id(topic):
            message = f"`{topic}` is not a topic id"
            hint = "write 3 to 255 letters, digits and `-._~+%`, starting with a letter, but not with `goog`"
            self.problems.error("topic-name", origin.at("name"), message, hint=hint)
            return None
        if self._projects and project not in self._projects:
            # A wrong project in `defaults` is noted there.
            if "project" in entry or place == origin.at("name"):
                self._check_project(project, place, lead)
            return None
        name = TopicName(project, topic)
        first = self.origins.setdefault(name, origin)
        if first is not origin:
            message = f"{lead}the topic `{name}` is declared twice"
            self.problems.error("topic-duplicate", origin, message, hint="keep one of the entries", first=first)
            return None
        return name

    def _check_project(self, project: str, place: Origin, lead: str) -> None:
        if project in self._projects:
            return
        if not is_project_id(project):
            message = f"{lead}`{project}` is not a project id"
            hint = "write the id: 6 to 30 lower-case letters, digits and hyphens; not the display name, not the number"
            self.problems.error("topic-project", place, message, hint=hint)
            return
        if not self._projects:
            return
        message = f"{lead}project `{project}` is not in the stack's scope"
        hint = f"add it to `projects` in `{self.stack.origin.file}`, or declare the topic in another stack"
        self.problems.error("topic-project", place, message, hint=hint)

    def _resolve(self, overrides: Mapping[str, str]) -> Resolutions:
        key = tuple(overrides.items())
        if key not in self._resolutions:
            self._resolutions[key] = read_resolutions(overrides, self.stack.reconcile.resolutions)
        return self._resolutions[key]

    def _check_retention(self, values: Mapping[str, Any], origin: Origin, lead: str) -> bool:
        try:
            retention(values.get("messageRetentionDuration", "600s"))
        except ValueError as error:
            at = origin.at("messageRetentionDuration")
            self.problems.error("spec-range", at, f"{lead}`messageRetentionDuration`: {error}")
            return False
        return True

    def _read_subscribers(
        self, declared: Sequence[Mapping[str, Any]], origin: Origin, lead: str, *, quiet: bool = False
    ) -> tuple[Subscriber, ...]:
        written = tuple((one["name"], one.get("delivery"), *one.get("regions", ())) for one in declared)
        if written in self._subscribers:
            return self._subscribers[written]
        problems = Problems() if quiet else self.problems
        notes = len(problems)
        subscribers = tuple(
            Subscriber(
                name=one["name"],
                regions=read_regions(one.get("regions", ()), origin.at(index, "regions"), lead, problems),
                delivery=one.get("delivery", "pull"),
            )
            for index, one in enumerate(declared)
        )
        if len(problems) == notes:
            self._subscribers[written] = subscribers
        return subscribers


def _retention(text: str) -> str:
    """The shortest form; what is out of range stays as it is, and was noted where it was written."""
    try:
        return retention(text)
    except ValueError:
        return text
