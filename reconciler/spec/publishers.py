"""Publisher entries and hedging profiles to the model."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

from reconciler.model import (
    Batching,
    FlowControl,
    HedgingProfile,
    Origin,
    PublishedTopic,
    Publisher,
    RetrySettings,
    TopicName,
    is_project_id,
    is_topic_id,
)
from reconciler.spec.defaults import Scope
from reconciler.spec.placeholders import unresolved
from reconciler.spec.problems import Problems
from reconciler.spec.quantities import parse_duration, parse_size
from reconciler.spec.regions import read_regions

_T = TypeVar("_T")

OFF = "off"
"""What `hedging` says for none."""


@dataclass(slots=True, kw_only=True)
class PublisherReader:
    """Reads hedging profiles and publishers; first `read_profiles` of every file, then `read` of every file.

    Attributes:
        declared: projects of the declared topics, by topic id: a publisher may name a topic by its id alone where
            that is clear.
        complete: whether every file could be read; else a profile that is not there is no mistake here.
        all_topics_read: the same for declared topics.
    """

    problems: Problems
    declared: Mapping[str, list[str]] = field(default_factory=dict)
    complete: bool = True
    all_topics_read: bool = True
    profiles: dict[str, HedgingProfile] = field(default_factory=dict)
    publishers: list[Publisher] = field(default_factory=list)
    _origins: dict[str, Origin] = field(default_factory=dict)
    _broken_profiles: set[str] = field(default_factory=set)

    def read_profiles(self, declared: Mapping[str, Mapping[str, Any]], file: str) -> None:
        """Reads the profiles of one file. Whether the clients accept their values is a rule's question."""
        for name, body in declared.items():
            origin = Origin(file, ("hedgingProfiles", name))
            if name == OFF:
                message = "`off` is no name for a profile: it means that hedging is off"
                self.problems.error("profile-name", origin, message, hint="choose another name")
                continue
            if name in self.profiles:
                message = f"`{name}`: the hedging profile is declared twice"
                first = self.profiles[name].origin
                self.problems.error("profile-duplicate", origin, message, hint="keep one of them", first=first)
                continue
            delay = self._duration(body["hedgeDelay"], origin.at("hedgeDelay"), f"`{name}`: ")
            if delay is None or self._note_placeholders(body, origin, f"`{name}`: "):
                self._broken_profiles.add(name)
                continue
            self.profiles[name] = HedgingProfile(
                name=name,
                hedge_delay=delay,
                max_tokens=body["maxTokens"],
                refill_ratio=body["refillRatio"],
                origin=origin,
            )

    def read(self, entries: Iterable[Mapping[str, Any] | None], file: str, scope: Scope) -> None:
        """Reads the publishers of one file under the defaults that hold there."""
        for index, entry in enumerate(entries):
            if entry is None:
                continue
            origin = Origin(file, ("publishers", index))
            lead = f"`{entry['service']}`: "
            if first := self._origins.get(entry["service"]):
                message = f"{lead}the service is declared twice"
                self.problems.error("publisher-duplicate", origin, message, hint="keep one of them", first=first)
                continue
            self._origins[entry["service"]] = origin
            if publisher := self._read_one(entry, origin, scope, lead):
                self.publishers.append(publisher)

    def check_defaults(self, values: Mapping[str, Any], origin: Origin) -> None:
        """Notes what is wrong with a `defaults` mapping's own values for publishers, once and not for each service."""
        read_regions(values.get("regions", ()), origin.at("regions"), "", self.problems)
        self._settings(Scope(), values, origin, "", self.problems)
        hedging = values.get("hedging")
        if hedging is not None:
            self._profile(hedging, origin.at("hedging"), "")

    def _read_one(self, entry: Mapping[str, Any], origin: Origin, scope: Scope, lead: str) -> Publisher | None:
        errors = self.problems.error_count
        if self._note_placeholders(entry, origin, lead):
            return None
        language = scope.get("language", entry)
        if language is None and self.complete:
            hint = "write `language: java` (or go, rust, python, node, ...) here or in `defaults`"
            self.problems.error("spec-missing-key", origin, f"{lead}the entry has no `language`", hint=hint)
        regions = scope.get("regions", entry) or ()
        at_regions = scope.origin("regions", entry, origin)
        read = read_regions(regions, at_regions, lead, self.problems if "regions" in entry else Problems())
        rate = scope.get("expectedRequestsPerSecond", entry)
        if rate is not None and not math.isfinite(rate):
            at = scope.origin("expectedRequestsPerSecond", entry, origin)
            self.problems.error("spec-range", at, f"{lead}`expectedRequestsPerSecond` is {rate}, not a finite number")
        give_up_after, lifetime = (self._span(key, entry, scope, origin, lead) for key in ("giveUpAfter", "lifetime"))
        inner = scope.over({key: value for key, value in entry.items() if key != "topics"}, origin)
        topics: dict[TopicName, PublishedTopic] = {}
        for index, body in enumerate(entry["topics"]):
            topic = self._published(body, origin.at("topics", index), inner, lead)
            if topic is None:
                continue
            if first := topics.get(topic.topic):
                message = f"{lead}topic `{topic.topic.topic}` is listed twice"
                self.problems.error(
                    "published-twice", topic.origin, message, hint="keep one of them", first=first.origin
                )
            topics.setdefault(topic.topic, topic)
        if language is None or self.problems.error_count > errors:
            return None
        return Publisher(
            service=entry["service"],
            language=language,
            client_version=scope.get("clientVersion", entry),
            adapter=scope.get("adapter", entry),
            regions=read,
            duplicates_tolerated=bool(scope.get("duplicatesTolerated", entry)),
            expected_requests_per_second=rate,
            give_up_after=give_up_after,
            lifetime=lifetime,
            topics=tuple(topics[name] for name in sorted(topics)),
            origin=origin,
        )

    def _span(self, key: str, entry: Mapping[str, Any], scope: Scope, origin: Origin, lead: str) -> timedelta | None:
        text = scope.get(key, entry)
        try:
            return None if text is None else parse_duration(text)
        except ValueError as error:
            self.problems.error("spec-value", scope.origin(key, entry, origin), f"{lead}`{key}`: {error}")
            return None

    def _published(self, body: Mapping[str, Any], origin: Origin, scope: Scope, lead: str) -> PublishedTopic | None:
        name = self._topic(body["topic"], origin.at("topic"), scope, lead)
        chosen = scope.get("hedging", body)
        hedging_origin = scope.origin("hedging", body, origin)
        profile = None
        if chosen is not None:
            profile = self._profile(chosen, hedging_origin, lead)
        retry, batching, flow_control = self._settings(scope, body, origin, lead, self.problems)
        ordering = bool(scope.get("messageOrdering", body))
        if name is None:
            return None
        return PublishedTopic(
            topic=name,
            hedging=profile,
            hedging_origin=hedging_origin,
            retry=retry,
            batching=batching,
            flow_control=flow_control,
            message_ordering=ordering,
            ordering_origin=scope.origin("messageOrdering", body, origin) if ordering else None,
            endpoint=scope.get("endpoint", body),
            origins=tuple(sorted(scope.over(body, origin).origins_of("endpoint", "retry", "batching", "flowControl"))),
            origin=origin,
        )

    def _topic(self, written: str, origin: Origin, scope: Scope, lead: str) -> TopicName | None:
        """The topic that a publisher names; by its id alone, it is looked for among the declared ones."""
        project, topic = scope.values.get("project"), written
        if written.startswith("projects/"):
            parts = written.split("/")
            if len(parts) != 4 or parts[2] != "topics":
                message = f"{lead}`{written}` is not a topic name"
                self.problems.error("topic-name", origin, message, hint="write `projects/PROJECT/topics/TOPIC`")
                return None
            project, topic = parts[1], parts[3]
        if not is_topic_id(topic):
            self.problems.error("topic-name", origin, f"{lead}`{topic}` is not a topic id")
            return None
        if project is None:
            projects = self.declared.get(topic, [])
            if len(projects) == 1:
                return TopicName(projects[0], topic)
            if not projects and not self.all_topics_read:
                return None
            several = f"several projects have a topic `{topic}`: {', '.join(sorted(projects))}"
            message = f"{lead}{several if projects else f'no topic `{topic}` is declared'}"
            hint = "write its full name, or `project` beside `service`"
            self.problems.error("topic-project", origin, message, hint=hint)
            return None
        if not is_project_id(project):
            self.problems.error("topic-project", origin, f"{lead}`{project}` is not a project id")
            return None
        return TopicName(project, topic)

    def _profile(self, name: str, origin: Origin, lead: str) -> HedgingProfile | None:
        if name == OFF or name in self._broken_profiles:
            return None
        if name not in self.profiles and self.complete:
            close = difflib.get_close_matches(name, self.profiles, n=1)
            hint = f"write `{close[0]}`" if close else "declare it under `hedgingProfiles`, or write `off`"
            self.problems.error("profile-unknown", origin, f"{lead}there is no hedging profile `{name}`", hint=hint)
        return self.profiles.get(name)

    def _settings(
        self, scope: Scope, body: Mapping[str, Any], origin: Origin, lead: str, problems: Problems
    ) -> tuple[RetrySettings, Batching | None, FlowControl | None]:
        def quantity(group: str, key: str, read: Callable[[Any], _T]) -> _T | None:
            values = scope.get(group, body) or {}
            if key not in values:
                return None
            try:
                return read(values[key])
            except ValueError as error:
                at = origin.at(group, key) if key in body.get(group, {}) else scope.origin(group, body, origin)
                problems.error("spec-value", at, f"{lead}`{key}`: {error}")
                return None

        retry = RetrySettings(
            initial_rpc_timeout=quantity("retry", "initialRpcTimeout", parse_duration),
            max_rpc_timeout=quantity("retry", "maxRpcTimeout", parse_duration),
            rpc_timeout_multiplier=quantity("retry", "rpcTimeoutMultiplier", float),
            total_timeout=quantity("retry", "totalTimeout", parse_duration),
        )
        batching = flow_control = None
        if scope.get("batching", body) is not None:
            batching = Batching(
                max_messages=quantity("batching", "maxMessages", int),
                max_bytes=quantity("batching", "maxBytes", parse_size),
                max_latency=quantity("batching", "maxLatency", parse_duration),
            )
        if (declared := scope.get("flowControl", body)) is not None:
            flow_control = FlowControl(
                max_outstanding_messages=quantity("flowControl", "maxOutstandingMessages", int),
                max_outstanding_bytes=quantity("flowControl", "maxOutstandingBytes", parse_size),
                limit_exceeded=declared.get("limitExceededBehavior", "block"),
            )
        return retry, batching, flow_control

    def _duration(self, text: str, origin: Origin, lead: str) -> timedelta | None:
        try:
            return parse_duration(text)
        except ValueError as error:
            self.problems.error("spec-value", origin, f"{lead}`hedgeDelay`: {error}")
            return None

    def _note_placeholders(self, value: Mapping[str, Any], origin: Origin, lead: str) -> bool:
        found = list(unresolved(value, origin))
        for place, text in found:
            message = f"{lead}nothing fills in the placeholder `{text}`"
            self.problems.error("spec-placeholder", place, message, hint="write the value out")
        return bool(found)
