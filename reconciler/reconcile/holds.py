"""Holds: guardrails that keep single changes of a plan from being made, while the others are.

A hold is never lifted by `--force`: it says what has to happen first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from reconciler.model import (
    ALL_REGIONS,
    GLOBAL,
    Coordinates,
    PublishedTopic,
    Publisher,
    TopicName,
    endpoint_inside,
    regions_of,
)
from reconciler.reconcile.history import History
from reconciler.reconcile.resolve import Change

STANDS_AFTER = 24
"""So many times `settle` a policy that came back must stand before a topic repaired in between is changed again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Why a proposed change is not made.

    Attributes:
        code: stable, for scripts: `settle`, `flip`, `ordered-endpoint`, `widening`.
        reason: what stands against it. Holds no distance from now, so that equal inputs give equal plans.
        hint: what lifts it.
    """

    code: str
    reason: str
    hint: str


WIDENING = Hold(
    code="widening",
    reason="it would widen",
    hint="allow it with `widening: allow` in stack.yaml or `--allow-widening`",
)


def holds(
    changes: Iterable[Change],
    publishers: Iterable[Publisher],
    history: History,
    *,
    now: datetime,
    settle: timedelta,
    coordinates: Coordinates,
    loaded: Mapping[tuple[str, TopicName], str] = MappingProxyType({}),
) -> dict[TopicName, Hold]:
    """What holds each of the changes, for those that something holds.

    Args:
        changes: what a plan proposes.
        publishers: the stack's services.
        history: with the policies that the plan was computed from already observed.
        now: the time of the run.
        settle: how long a policy must have stood.
        coordinates: of the catalogue, to tell which region is nearest to a service.
        loaded: the region through which a service publishes to a topic by its last file, where there is one.
    """
    ordered = _ordered(publishers)
    found = {}
    for change in changes:
        hold = (
            _unsettled(change, history, now, settle)
            or _flipped(change, history, now, settle)
            or _leaving(change, ordered.get(change.name, ()), coordinates, loaded)
        )
        if hold is not None:
            found[change.name] = hold
    return found


def _unsettled(change: Change, history: History, now: datetime, settle: timedelta) -> Hold | None:
    tenure = history.projects.get(change.name.project)
    if tenure is None or tenure.since is None or now - tenure.since >= settle:
        return None
    return Hold(
        code="settle",
        reason=f"the policy of {change.name.project} changed, seen first at {_clock(tenure.since)}, "
        f"and has to stand until {_clock(tenure.since + settle)}",
        hint="run again then, or shorten `reconcile.settle` in stack.yaml",
    )


def _flipped(change: Change, history: History, now: datetime, settle: timedelta) -> Hold | None:
    tenure, repair = history.projects.get(change.name.project), history.repairs.get(change.name)
    if tenure is None or tenure.since is None or repair is None or repair.fingerprint == tenure.fingerprint:
        return None
    due = tenure.since + STANDS_AFTER * settle
    if now >= due or not tenure.held_before(repair.at):
        return None
    return Hold(
        code="flip",
        reason=f"the policy of {change.name.project} is back to what it was before the topic was changed at "
        f"{_clock(repair.at)}; it may flip again",
        hint=f"settle the policy; the change is made once it has stood until {_clock(due)}",
    )


def _ordered(publishers: Iterable[Publisher]) -> Mapping[TopicName, list[tuple[Publisher, PublishedTopic]]]:
    """The services that publish in order, by topic."""
    found: dict[TopicName, list[tuple[Publisher, PublishedTopic]]] = {}
    for publisher in publishers:
        for published in publisher.topics:
            if published.message_ordering:
                found.setdefault(published.topic, []).append((publisher, published))
    return found


def _leaving(
    change: Change,
    ordered: Iterable[tuple[Publisher, PublishedTopic]],
    coordinates: Coordinates,
    loaded: Mapping[tuple[str, TopicName], str],
) -> Hold | None:
    """A message with an ordering key fails where its endpoint lies outside the topic's regions, so none may leave them.

    The rule `ordering-endpoint` names the source. Where no spec declares an endpoint, it is the one of the service's
    last file; and the one that follows from the regions before the change, as nobody knows which of them is in use.
    """
    before, after = regions_of(change.before), regions_of(change.after)
    for publisher, published in ordered:
        service = publisher.service
        if published.endpoint is not None:
            endpoints = [published.endpoint]
        else:
            derived = endpoint_inside(publisher.regions, before, coordinates)
            endpoints = [loaded.get((service, published.topic), derived), derived]
        for endpoint in endpoints:
            if endpoint != GLOBAL and endpoint in before and endpoint not in after:
                instead = "`global`" if after == ALL_REGIONS else f"one of {after}"
                return Hold(
                    code="ordered-endpoint",
                    reason=f"`{service}` publishes in order through {endpoint}, which would leave the topic's regions: "
                    "its messages would fail",
                    hint=f"set the `endpoint` of `{service}` to {instead}, and roll that out first",
                )
    return None


def _clock(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
