"""`pulumi up` and the night are at peace: whatever came before, they converge, and never write in turns.

Exhaustive over three regions: every policy, every declared policy, every live one and every state of Pulumi's, and from
each of these worlds every sequence of runs, with and without refreshing or adopting, however long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import product

import pytest

from reconciler.model import ALL_REGIONS, DeclaredPolicy, Explicit, Inherit, RegionSet, StoragePolicy, Within
from tests.pulumi.interleaved import (
    CAREFUL,
    CATALOGUE,
    EAGER,
    POLICIES,
    SPECS,
    Nothing,
    Policy,
    Settings,
    Step,
    World,
    computed,
    declaration,
    night,
    up,
    worlds,
)

MOST_WRITES = 2
"""Of one topic, between two doings of others: what is not allowed is taken away first, then the rest is put right."""

UNFLAGGED = tuple(policy for policy in POLICIES if not policy.required)
SNAPSHOT_SPECS = tuple(spec for spec in SPECS if getattr(spec, "enforce_in_transit", None) is None)


Tool = Callable[[World], Step]


def tools(settings: Settings) -> tuple[Tool, ...]:
    """Each tool, called in each way."""
    return (
        partial(night, settings=settings),
        up,
        partial(up, refresh=True),
        partial(up, refresh=True, adopt=True),
    )


def explored(starts: Iterable[World], each: Iterable[Tool]) -> Mapping[World, tuple[Step, ...]]:
    """All worlds that tools lead to, and what tools do there."""
    found: dict[World, tuple[Step, ...]] = {}
    to_do = list(starts)
    while to_do:
        world = to_do.pop()
        if world not in found:
            found[world] = tuple(tool(world) for tool in each)
            to_do += [step.after for step in found[world]]
    return found


def reachable(world: World, graph: Mapping[World, tuple[Step, ...]]) -> set[World]:
    found, to_do = {world}, [world]
    while to_do:
        for step in graph[to_do.pop()]:
            if step.after not in found:
                found.add(step.after)
                to_do.append(step.after)
    return found


def most_changes(world: World, graph: Mapping[World, tuple[Step, ...]], seen: dict[World, int]) -> int:
    """The most changes of the topic on any way from a world. Ends, as no live policy comes twice on a way."""
    if world not in seen:
        onward = {
            step.after for other in _resting(world, graph) for step in graph[other] if step.after.live != world.live
        }
        seen[world] = max((1 + most_changes(after, graph, seen) for after in onward), default=0)
    return seen[world]


def _resting(world: World, graph: Mapping[World, tuple[Step, ...]]) -> set[World]:
    """The worlds that can be reached without the topic being changed."""
    found, to_do = {world}, [world]
    while to_do:
        for step in graph[to_do.pop()]:
            if step.after not in found and step.after.live == world.live:
                found.add(step.after)
                to_do.append(step.after)
    return found


def never_in_turns(graph: Mapping[World, tuple[Step, ...]]) -> None:
    """That no way through the worlds leads back to a live policy that a tool has changed on it."""
    later: dict[World, set[object]] = {}
    counted: dict[World, int] = {}
    for world, taken in graph.items():
        for step in taken:
            if step.after.live != world.live:
                if step.after not in later:
                    later[step.after] = {other.live for other in reachable(step.after, graph)}
                assert world.live not in later[step.after], f"{world} comes back"
    for world in graph:
        creates = world.live is Nothing.NO_TOPIC
        assert most_changes(world, graph, counted) <= MOST_WRITES + creates, world


stacks = pytest.mark.parametrize("settings", [CAREFUL, EAGER], ids=lambda settings: settings.name)


@stacks
def test_no_tool_ever_brings_back_what_another_has_changed(settings: Settings) -> None:
    for policy, declared in product(POLICIES, SPECS):
        never_in_turns(explored(worlds(policy, declared), tools(settings)))


@stacks
def test_nor_does_one_where_the_snapshot_is_older_than_the_truth(settings: Settings) -> None:
    for policy, snapshot, declared in product(UNFLAGGED, UNFLAGGED, SNAPSHOT_SPECS):
        never_in_turns(explored(without_flags(policy, snapshot, declared), tools(settings)))


def without_flags(policy: Policy, snapshot: Policy, declared: DeclaredPolicy) -> list[World]:
    return [
        world
        for world in worlds(policy, declared, snapshot)
        if not any(isinstance(one, StoragePolicy) and one.enforce_in_transit for one in (world.live, world.state))
    ]


def test_a_program_that_spelled_out_what_is_inherited_would_be_found_to_fight_with_the_night() -> None:
    def spelled_out(world: World) -> Step:
        step = up(replace(world, declared=Explicit(regions=world.believed.allowed)), refresh=True)
        return replace(step, after=replace(step.after, declared=world.declared))

    wide, narrow = POLICIES[-2], POLICIES[2]
    live = StoragePolicy(regions=narrow.allowed)
    declared_wider = World(policy=wide, snapshot=narrow, declared=Inherit(), live=live, state=live)

    def unaware(world: World) -> Step:
        step = night(replace(world, snapshot=None), settings=EAGER)
        return replace(step, after=replace(step.after, snapshot=world.snapshot))

    with pytest.raises(AssertionError, match="comes back"):
        never_in_turns(explored([declared_wider], (unaware, spelled_out)))


@stacks
def test_after_two_rounds_nobody_has_anything_left_to_do(settings: Settings) -> None:
    for policy, declared in product(POLICIES, SPECS):
        for world in worlds(policy, declared):
            settled = rounds(world, settings)
            for tool in tools(settings):
                step = tool(settled)
                assert (step.after, step.wrote) == (settled, False), (world, tool)
                # What stays refused is told each time: the spec, or creating a topic where nothing is allowed.
                assert not step.failed or (settled.live is Nothing.NO_TOPIC and not policy.allowed)


@stacks
def test_what_they_come_to_is_what_is_declared_or_as_much_of_it_as_may_be_had(settings: Settings) -> None:
    for policy, declared in product(POLICIES, SPECS):
        wanted = declaration(policy, declared)
        for world in worlds(policy, declared):
            live = rounds(world, settings).live
            if isinstance(wanted, StoragePolicy):
                assert live == wanted
            elif wanted is Nothing.NO_BLOCK and settings is EAGER:
                assert live == computed(policy)
            elif wanted is Nothing.NO_BLOCK:
                assert isinstance(live, StoragePolicy)
                assert live.regions <= policy.allowed or not live.regions & policy.allowed
            elif live != world.live:  # refused with a finding; then a run takes away what is not allowed
                assert not isinstance(live, Nothing)
                assert live.regions <= policy.allowed
            elif isinstance(live, StoragePolicy) and not live.regions <= policy.allowed:
                assert not live.regions & policy.allowed & may_keep(declared), "an empty list is never written"


def may_keep(declared: DeclaredPolicy) -> RegionSet:
    """What a spec that is refused still says of the regions that a topic may keep."""
    match declared:
        case Explicit(regions=regions):
            return regions
        case Within(groups=(group,)):
            return CATALOGUE.expand(group).certain
        case _:
            return ALL_REGIONS


def rounds(world: World, settings: Settings) -> World:
    """The world after two rounds of a night and an `up` that refreshes and adopts."""
    for _ in range(2):
        world = up(night(world, settings).after, refresh=True, adopt=True).after
    return world
