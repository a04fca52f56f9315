"""Problems of one published topic, and how equal ones of a service become one finding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reconciler.model import NO_EXEMPTIONS, Exemption, Exemptions, Origin, PublishedTopic, Publisher
from reconciler.rules.findings import Finding, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What a rule has against the way in which a service publishes to one topic.

    Attributes:
        text: the finding's message after the service's name.
        origin: where the offending value was written.
    """

    rule: Rule
    text: str
    origin: Origin
    details: tuple[str, ...] = ()
    hint: str | None = None


def findings_of(
    publisher: Publisher, problems: Iterable[tuple[PublishedTopic, Problem]], exemptions: Exemptions = NO_EXEMPTIONS
) -> list[Finding]:
    """One finding for each different problem, placed where it occurs first, with the topics that have it.

    A service's retry settings or profile usually come from one place; the same sentence once for each of its topics
    would hide the others. Topics that are exempt never share a finding with those that are not.
    """
    topics: dict[tuple[object, ...], list[str]] = {}
    first: dict[tuple[object, ...], tuple[Problem, Exemption | None]] = {}
    for published, problem in problems:
        exemption = problem.rule.exemption(exemptions, published.topic)
        key = (problem.rule.code, problem.text, problem.details, problem.hint, exemption)
        first.setdefault(key, (problem, exemption))
        topics.setdefault(key, []).append(published.topic.topic)
    return [
        problem.rule.finding(
            subject=publisher.service,
            origin=problem.origin,
            message=f"`{publisher.service}`: {problem.text}",
            details=(listing("topic", topics[key]), *problem.details),
            hint=problem.hint,
            exemption=exemption,
        )
        for key, (problem, exemption) in first.items()
    ]


def listing(noun: str, names: Iterable[str]) -> str:
    """`topic: orders`, `topics: audit, orders`, or the first three and how many more."""
    distinct = sorted(set(names))
    return f"{noun if len(distinct) == 1 else f'{noun}s'}: {enumeration(distinct)}"


def enumeration(names: Iterable[str], most: int = 3) -> str:
    """`a, b`, or the first names and `and N more`; the order is the caller's."""
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def layers_of(published: PublishedTopic, group: str) -> dict[str, str]:
    """In which layer each setting of a group (`retry`) was declared, as messages say it."""
    return {
        key.removeprefix(f"{group}."): layer_of(origin)
        for key, origin in published.origins
        if key.startswith(f"{group}.")
    }


def layer_of(origin: Origin) -> str:
    """`for the topic`, `for the service` or ``in `defaults` ``: the layer that something was written in."""
    if "defaults" in origin.path[:1]:
        return "in `defaults`"
    return "for the topic" if "topics" in origin.path else "for the service"


def written_at(origin: Origin) -> str:
    """Where a value stands, as a detail tells it: the file, and the keys that lead there."""
    keys = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in origin.path)
    return f"{origin.file}, `{keys.removeprefix('.')}`" if keys else origin.file
