"""A topic as any Pulumi program declares it: from a resource's properties to a `TopicSpec`, and what forbids that.

Property names are those of `pulumi_gcp.pubsub.TopicArgs` (10.2) in camel case, as the engine hands them to a policy
after the provider has checked them: defaults and generated names are filled in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Any, Final

from reconciler.errors import Position
from reconciler.model import (
    DeclaredPolicy,
    Explicit,
    Inherit,
    Origin,
    RegionSet,
    TopicName,
    TopicSpec,
    is_project_id,
    is_topic_id,
)
from reconciler.rules import Finding, Rule
from reconciler.rules.resource_rules import IN_TRANSIT_NOT_STATED, STORAGE_POLICY_EMPTY, TOPIC_FORM, VALUE_UNKNOWN
from reconciler.spec import Problem, Problems, ProblemSeverity, read_regions

TOPIC = "gcp:pubsub/topic:Topic"
"""The type token of the provider's topic."""

KEY = "kmsKeyName"
POLICY = "messageStoragePolicy"
REGIONS = "allowedPersistenceRegions"
FLAG = "enforceInTransit"
READ = ("name", "project", KEY, POLICY)
"""The properties that decide something here."""

_KEY_NAME = re.compile(r"projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+")


class _Unknown(Enum):
    UNKNOWN = "a value that is only known after the update"


UNKNOWN: Final = _Unknown.UNKNOWN
"""Stands for a value that cannot be known during a preview."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicResource:
    """A topic resource of a program, or of a state.

    Attributes:
        urn: the resource's.
        name: the resource's own name, which says nothing about the topic's.
        properties: those in `READ` that it has, as plain values; `UNKNOWN` where one is only known later.
        default_project: the provider's project, for a topic that names none.
    """

    urn: str
    name: str
    properties: Mapping[str, Any]
    default_project: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTopic:
    """What a resource says about a topic.

    Attributes:
        lead: the topic as messages name it.
        origin: the resource.
        spec: `None` where the project or the storage policy cannot be told, which is among the findings.
        is_named: whether the topic's id is known; if not, the spec's is made up from the resource's name.
        findings: what is wrong with what it says, whatever the organization allows.
    """

    lead: str
    origin: Origin
    spec: TopicSpec | None
    is_named: bool = True
    findings: tuple[Finding, ...] = ()


@dataclass(slots=True)
class _Reader:
    """Reads one resource and notes what is wrong with it."""

    resource: TopicResource
    ids: Mapping[str, str]
    origin: Origin
    findings: list[Finding] = field(default_factory=list)

    def read(self) -> ReadTopic:
        project, topic = self._name()
        policy = self._policy()
        key = self._key()
        lead, spec = topic or self.resource.name, None
        if project is not None and policy is not None:
            spec = TopicSpec(
                name=TopicName(project, lead),
                policy=policy,
                fields={} if key is None else {KEY: key},
                origin=self.origin,
                policy_origin=self.origin,
            )
        return ReadTopic(
            lead=lead, origin=self.origin, spec=spec, is_named=topic is not None, findings=tuple(self.findings)
        )

    def _name(self) -> tuple[str | None, str | None]:
        """The project's id and the topic's, each `None` where it cannot be told. An unknown name decides nothing."""
        name = self.resource.properties.get("name")
        project = self.resource.properties.get("project")
        if project is None:
            project = self.resource.default_project
        if isinstance(name, str) and name.startswith("projects/") and name.count("/") == 3:
            _, project, _, name = name.split("/")
        topic = name if isinstance(name, str) else None
        if topic is not None and not is_topic_id(topic):
            self._note(
                TOPIC_FORM,
                f"`{topic}` is not a topic id",
                "write 3 to 255 letters, digits and `-._~+%`, starting with a letter, but not with `goog`",
            )
        if project is UNKNOWN:
            self._note_unknown("project")
            return None, topic
        if project is None:
            hint = "set `project`, or the project of the provider (`gcp:project`)"
            self._note(TOPIC_FORM, "no project is given, so it is not known what the organization allows", hint)
            return None, topic
        if isinstance(project, float):  # as numbers arrive from the engine
            project = int(project)
        project = self.ids.get(str(project), str(project))
        if not is_project_id(project):
            hint = "write the id: 6 to 30 lower-case letters, digits and hyphens; not the display name"
            self._note(TOPIC_FORM, f"`{project}` is not a project id", hint)
            return None, topic
        return project, topic

    def _policy(self) -> DeclaredPolicy | None:
        block = self.resource.properties.get(POLICY)
        if block is None:
            return Inherit()
        if block is UNKNOWN:
            self._note_unknown(POLICY)
            return None
        if not isinstance(block, Mapping):
            self._note(TOPIC_FORM, f"`{POLICY}` is not an object", f"write `{{{REGIONS}: [...], {FLAG}: ...}}`")
            return None
        flag = block.get(FLAG)
        if flag is UNKNOWN:
            self._note_unknown(f"{POLICY}.{FLAG}")
        elif flag is None:
            self._note(
                IN_TRANSIT_NOT_STATED,
                f"`{FLAG}` is left out beside `{REGIONS}`",
                f"write `{FLAG}: true` where the organization requires it, else `{FLAG}: false`",
            )
        elif not isinstance(flag, bool):
            self._note(TOPIC_FORM, f"`{FLAG}` is `{flag}`, neither true nor false", "write `true` or `false`")
        regions = self._regions(block.get(REGIONS))
        if regions is None or flag is UNKNOWN:
            return None
        return Explicit(regions=regions, enforce_in_transit=flag if isinstance(flag, bool) else None)

    def _regions(self, listed: Any) -> RegionSet | None:
        """The listed regions; `None` where nothing can be said about them but what was noted."""
        if listed is UNKNOWN or (isinstance(listed, list) and UNKNOWN in listed):
            self._note_unknown(f"{POLICY}.{REGIONS}")
            return None
        if not listed:
            hint = f"list at least one region, or leave `{POLICY}` out to follow the organization"
            self._note(STORAGE_POLICY_EMPTY, f"`{REGIONS}` is empty: every publish would fail", hint)
            return None
        if not isinstance(listed, list) or not all(isinstance(region, str) for region in listed):
            self._note(TOPIC_FORM, f"`{REGIONS}` is not a list of regions", "write a list, of one region too")
            return None
        regions, wrong = _parsed(tuple(listed))
        for problem in wrong:
            self._note(TOPIC_FORM, problem.message, problem.hint)
        return None if wrong else regions

    def _key(self) -> str | None:
        key = self.resource.properties.get(KEY)
        if key is UNKNOWN:
            self._note_unknown(KEY)
            return None
        if not key:
            return None
        if not isinstance(key, str) or not _KEY_NAME.fullmatch(key):
            hint = "write `projects/P/locations/L/keyRings/R/cryptoKeys/K`"
            self._note(TOPIC_FORM, f"`{KEY}` is `{key}`, not the name of a key", hint)
            return None
        return key

    def _note_unknown(self, path: str) -> None:
        hint = "write a plain value, or take it from one that is known before the update"
        self._note(VALUE_UNKNOWN, f"`{path}` is not known in a preview, so what hangs on it is not checked", hint)

    def _note(self, rule: Rule, message: str, hint: str | None) -> None:
        name = self.resource.properties.get("name")
        lead = name.rpartition("/")[2] if isinstance(name, str) else self.resource.name
        self.findings.append(rule.finding(subject=lead, origin=self.origin, message=f"`{lead}`: {message}", hint=hint))


def read_topic(resource: TopicResource, ids: Mapping[str, str]) -> ReadTopic:
    """What a resource says about a topic, with everything that is wrong with it.

    Args:
        resource: of the type `TOPIC`.
        ids: the ids of projects by their numbers, since a program may name a project by either.
    """
    return _Reader(resource, ids, Origin(resource.urn)).read()


@lru_cache(maxsize=4096)
def _parsed(listed: tuple[str, ...]) -> tuple[RegionSet, tuple[Problem, ...]]:
    """The regions of a list, and what in it is no region; remembered, since a fleet repeats few different ones."""
    problems = Problems()
    regions = read_regions(listed, Origin(""), "", problems)
    found = problems.located(lambda origin: Position(origin.file))
    return RegionSet.from_names(regions), tuple(p for p in found if p.severity is ProblemSeverity.ERROR)
