"""The model behind `tests/pulumi/test_interleavings.py`, held against the real engine: many worlds, a topic each.

A stack is brought into a drawn selection of the model's worlds, then the tools take turns; after each, every topic and
Pulumi's state of it must be what the model says.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from reconciler.model import DeclaredPolicy, Explicit, Inherit, RegionSet, StoragePolicy, Within
from tests.engine.workshop import PROJECT, STACK, Workshop
from tests.pulumi.interleaved import (
    CAREFUL,
    REGIONS,
    SPECS,
    Nothing,
    Policy,
    Step,
    World,
    declaration,
    night,
    up,
    worlds,
)

pytestmark = [pytest.mark.engine, pytest.mark.network]

ALLOWED = REGIONS[:2]
POLICY = Policy(allowed=RegionSet.of(*ALLOWED))
DRAWN = 60


def drawn() -> dict[str, World]:
    """Worlds under one policy whose specs a program may declare, each with the name of its topic."""
    accepted = [declared for declared in SPECS if declaration(POLICY, declared) is not None]
    every = [world for declared in accepted for world in worlds(POLICY, declared)]
    chosen = random.Random(20261130).sample(every, DRAWN)  # noqa: S311 - repeatable, not secret
    return {f"topic-{number:02}": world for number, world in enumerate(chosen)}


def test_what_the_tools_do_to_a_topic_is_what_the_model_says(workshop: Workshop) -> None:
    expected = drawn()
    bring_about(workshop, expected)
    assert seen(workshop, expected) == told(expected)

    turns: list[tuple[Callable[[World], Step], Callable[[], int]]] = [
        (up, lambda: workshop.pulumi(*UP).code),
        (lambda world: night(world, CAREFUL), lambda: workshop.hedgerow(*NIGHT).code),
        (lambda world: up(world, refresh=True), lambda: workshop.pulumi(*UP, "--refresh").code),
        (lambda world: night(world, CAREFUL), lambda: workshop.hedgerow(*NIGHT).code),
        (up, lambda: workshop.pulumi(*UP).code),
    ]
    failed = []
    for predicted, carry_out in turns:
        steps = {topic: predicted(world) for topic, world in expected.items()}
        expected = {topic: step.after for topic, step in steps.items()}
        failed.append(any(step.failed for step in steps.values()))
        assert bool(carry_out()) is failed[-1]
        assert seen(workshop, expected) == told(expected)
    # Topics that exist and that Pulumi does not know; without a refresh, also those that are gone and that it knows.
    assert failed == [True, False, True, False, True]


UP = ("up", "--yes", "--skip-preview", "--continue-on-error")
NIGHT = ("reconcile", STACK, "--max-percent", "100")


def bring_about(workshop: Workshop, expected: Mapping[str, World]) -> None:
    """Makes the worlds: first what Pulumi's state has, then what is live, then what is declared and allowed."""
    workshop.allow(*REGIONS)
    states = {topic: world.state for topic, world in expected.items() if isinstance(world.state, StoragePolicy)}
    # The API stores no empty policy on creation; Pulumi sees one when it is refreshed.
    stored = {topic: state if state.regions else None for topic, state in states.items()}
    workshop.declare(*({"name": topic, **_spec(state)} for topic, state in stored.items()))
    workshop.pulumi(*UP).succeeded()
    for topic, state in states.items():
        _make_live(workshop, topic, state)
    workshop.pulumi("refresh", "--yes", "--skip-preview").succeeded()
    for topic, world in expected.items():
        _make_live(workshop, topic, world.live)
    workshop.allow(*ALLOWED)
    workshop.declare(*({"name": topic, **_spec(world.declared)} for topic, world in expected.items()))


def _make_live(workshop: Workshop, topic: str, live: StoragePolicy | Nothing) -> None:
    name = f"projects/{PROJECT}/topics/{topic}"
    exists = workshop.world.topic(name) is not None
    if isinstance(live, Nothing):
        if exists:
            workshop.world.delete_topic(name)
    elif exists:
        workshop.edit(topic, *live.regions, in_transit=live.enforce_in_transit)
    else:
        workshop.world.put_topic(name, live)


def _spec(declared: DeclaredPolicy | StoragePolicy | None) -> dict[str, Any]:
    match declared:
        case None | Inherit():
            return {}
        case (
            StoragePolicy(regions=regions, enforce_in_transit=flag) | Explicit(regions=regions, enforce_in_transit=flag)
        ):
            block: dict[str, Any] = {"allowedPersistenceRegions": list(regions)}
        case Within(groups=groups, enforce_in_transit=flag):
            block = {"within": [f"in:{region}-locations" for region in ALLOWED] if groups else []}
        case _:
            raise AssertionError(declared)
    return {"messageStoragePolicy": block | ({} if flag is None else {"enforceInTransit": flag})}


def told(expected: Mapping[str, World]) -> dict[str, tuple[Any, Any]]:
    """What the model says of each topic: live, and in Pulumi's state."""
    return {topic: (world.live, world.state) for topic, world in expected.items()}


def seen(workshop: Workshop, expected: Mapping[str, World]) -> dict[str, tuple[Any, Any]]:
    """What there is of each topic."""
    live, state = workshop.live(), workshop.state()
    known = {
        topic: StoragePolicy.from_json(state[f"{PROJECT}/{topic}"]["outputs"].get("messageStoragePolicy"))
        for topic in expected
        if f"{PROJECT}/{topic}" in state
    }
    return {topic: (live.get(topic, Nothing.NO_TOPIC), known.get(topic, Nothing.NO_TOPIC)) for topic in expected}
