"""Exemptions: a rule that does not count for some topics until a day, because somebody answers for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Self

from reconciler.model.names import TopicName
from reconciler.model.topics import Origin

DISALLOWED_REGIONS = "region-not-allowed"
"""The rule whose exemptions also hold for the nightly job: it reports such a topic, and takes no region from it."""

IN_TRANSIT_REQUIRED = "in-transit-required"
"""The rule whose exemptions also hold for the nightly job and the program: neither switches enforcement on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exemption:
    """An exception from a rule, as declared.

    Attributes:
        topics: the topics, sorted; in a topic id `*` stands for any characters, or none.
        rule: the rule's code.
        reason: why the rule is broken on purpose, for those who read the report.
        owner: who answers for it.
        expires: the last day, in UTC, on which it counts.
    """

    topics: tuple[TopicName, ...]
    rule: str
    reason: str
    owner: str
    expires: date
    origin: Origin

    def is_in_force(self, today: date) -> bool:
        """Whether it counts on a day."""
        return today <= self.expires

    def covers(self, name: TopicName) -> bool:
        """Whether a topic is one of its topics."""
        return any(matches(pattern, name) for pattern in self.topics)

    def __str__(self) -> str:
        return f"exempt until {self.expires} ({self.owner})"


def matches(pattern: TopicName, name: TopicName) -> bool:
    """Whether a topic is the one that a name of an exemption names, or one of those."""
    if pattern.project != name.project or not is_pattern(pattern):
        return pattern == name
    parts = map(re.escape, pattern.topic.split("*"))
    return re.fullmatch(".*".join(parts), name.topic) is not None


def is_pattern(name: TopicName) -> bool:
    """Whether a name of an exemption may stand for several topics."""
    return "*" in name.topic


@dataclass(frozen=True, slots=True, kw_only=True)
class Exemptions:
    """The exemptions that count on a day, found by rule and topic without looking at all of them.

    Attributes:
        by_name: those that name a topic in full.
        by_pattern: the others, by rule and project, the longest-lived first.
    """

    by_name: Mapping[tuple[str, TopicName], Exemption] = field(default_factory=dict)
    by_pattern: Mapping[tuple[str, str], tuple[Exemption, ...]] = field(default_factory=dict)

    @classmethod
    def in_force(cls, exemptions: Iterable[Exemption], today: date) -> Self:
        """Those of some exemptions that count on a day; of two for the same topic, the one that lives longer."""
        by_name: dict[tuple[str, TopicName], Exemption] = {}
        by_pattern: dict[tuple[str, str], dict[Exemption, None]] = {}
        for exemption in sorted(exemptions, key=lambda exemption: exemption.expires, reverse=True):
            if not exemption.is_in_force(today):
                continue
            for name in exemption.topics:
                if is_pattern(name):
                    by_pattern.setdefault((exemption.rule, name.project), {})[exemption] = None
                else:
                    by_name.setdefault((exemption.rule, name), exemption)
        return cls(by_name=by_name, by_pattern={key: tuple(found) for key, found in by_pattern.items()})

    def of(self, rule: str, name: TopicName) -> Exemption | None:
        """The exemption of a topic from a rule, if there is one; of several, the one that lives longest."""
        exact = self.by_name.get((rule, name))
        wider = (e for e in self.by_pattern.get((rule, name.project), ()) if e.covers(name))
        found = next(wider, None)
        if exact is None or found is None:
            return exact or found
        return exact if exact.expires >= found.expires else found


NO_EXEMPTIONS = Exemptions()
