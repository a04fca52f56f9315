"""A small world in which `pulumi up`, the night, an administrator and a person act on one topic, in any order.

What each tool wants comes from the product's own functions. What is modelled here, and held against the real engine by
`tests/engine`, is what surrounds them: which writes the API takes, and which of a program's declarations Pulumi turns
into a write. It compares them with the outputs in its state, which are what it last saw of the topic; a block that is
left out is never a difference.

Nights see no history: a policy's settling time and the flips that it damps are left out, so runs here write whenever
they ever would.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum, auto
from functools import cache
from itertools import combinations, product

from reconciler.model import (
    DeclaredPolicy,
    Explicit,
    Fleet,
    Inherit,
    LiveTopic,
    Origin,
    ReconcileSettings,
    RegionSet,
    Resolution,
    Resolutions,
    Stack,
    StoragePolicy,
    TopicName,
    TopicSpec,
    Within,
)
from reconciler.orgpolicy import Catalogue, EffectivePolicy, RegionBounds
from reconciler.pulumi import declare
from reconciler.reconcile import ProjectPolicy, make_plan
from reconciler.rules import Severity, check

REGIONS = ("europe-west1", "europe-west3", "europe-west4")
SUBSETS = tuple(RegionSet.of(*chosen) for size in range(4) for chosen in combinations(REGIONS, size))
NAME = TopicName("acme-orders-prod", "orders")
HERE = Origin("topics.yaml", ("topics", 0))
TODAY = date(2026, 11, 30)
CATALOGUE = Catalogue(
    as_of="2026-10-27",
    regions=RegionSet.of(*REGIONS),
    groups={"eu-core-locations": RegionBounds.exactly(RegionSet.of(*REGIONS[:2]))},
)
SPECS: tuple[DeclaredPolicy, ...] = (
    Inherit(),
    *(Explicit(regions=subset) for subset in SUBSETS if subset),
    Explicit(regions=SUBSETS[4], enforce_in_transit=True),
    Explicit(regions=SUBSETS[4], enforce_in_transit=False),
    Within(groups=("in:eu-core-locations",)),
)


class Nothing(Enum):
    """What is there instead of a storage policy."""

    NO_TOPIC = auto()
    """There is no such topic, in the cloud or in Pulumi's state."""
    NO_BLOCK = auto()
    """The program leaves the block out."""
    NO_WRITE = auto()
    """A run leaves the topic alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the organization allows and requires."""

    allowed: RegionSet
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything that somebody can change.

    Attributes:
        policy: what the API enforces.
        snapshot: what the stack is declared against; `None` for one that asks the API.
        declared: the topic's spec.
        live: its storage policy in the cloud.
        state: what Pulumi last saw of it.
    """

    policy: Policy
    snapshot: Policy | None = None
    declared: DeclaredPolicy
    live: StoragePolicy | Nothing = Nothing.NO_TOPIC
    state: StoragePolicy | Nothing = Nothing.NO_TOPIC

    @property
    def believed(self) -> Policy:
        """The policy that a program works with."""
        return self.policy if self.snapshot is None else self.snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one tool did: the world after it, and how it went.

    Attributes:
        wrote: whether a write of the topic was carried out.
        refused: whether the program was refused with findings, before anything was registered.
        failed: whether the API refused a write.
    """

    after: World
    wrote: bool = False
    refused: bool = False
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the stack's nights go about drift: of topics that inherit, and of those with a policy of their own."""

    name: str
    inherited: Resolutions = field(default_factory=Resolutions)
    own: Resolutions = field(default_factory=Resolutions)
    widening: bool = False

    def of(self, declared: DeclaredPolicy) -> Resolutions:
        """The resolutions of a topic."""
        return self.inherited if isinstance(declared, Inherit) else self.own


CAREFUL = Settings(name="careful")
EAGER = Settings(
    name="eager",
    inherited=Resolutions(missing=Resolution.EXTEND, mixed=Resolution.RECOMPUTE, empty=Resolution.RECOMPUTE),
    own=Resolutions(empty=Resolution.ENFORCE),
    widening=True,
)


def night(world: World, settings: Settings) -> Step:
    """`hedgerow reconcile`."""
    if isinstance(world.live, Nothing):
        return Step(after=world)
    wanted = _repair(world.policy, world.snapshot, world.declared, world.live, settings)
    return Step(after=world) if isinstance(wanted, Nothing) else _written(world, wanted)


def up(world: World, *, refresh: bool = False, adopt: bool = False) -> Step:
    """`pulumi up`: with `--refresh`, and with existing topics imported, if asked for."""
    wanted = declaration(world.believed, world.declared)
    if wanted is None:
        return Step(after=world, refused=True)
    if (refresh and isinstance(world.state, StoragePolicy)) or (adopt and world.state is Nothing.NO_TOPIC):
        world = replace(world, state=world.live)
    if world.state is Nothing.NO_TOPIC:
        return _created(world, wanted)
    if isinstance(wanted, Nothing) or wanted == world.state:
        return Step(after=world)
    step = _written(world, wanted)
    return step if step.failed else replace(step, after=replace(step.after, state=wanted))


def _created(world: World, wanted: StoragePolicy | Nothing) -> Step:
    live = computed(world.policy) if isinstance(wanted, Nothing) else wanted
    if world.live is not Nothing.NO_TOPIC or live.is_empty or not live.regions <= world.policy.allowed:
        return Step(after=world, failed=True)
    return Step(after=replace(world, live=live, state=live), wrote=True)


def _written(world: World, wanted: StoragePolicy) -> Step:
    if world.live is Nothing.NO_TOPIC or not wanted.regions <= world.policy.allowed:
        return Step(after=world, failed=True)
    return Step(after=replace(world, live=wanted), wrote=True)


def computed(policy: Policy) -> StoragePolicy:
    """What the server computes."""
    return StoragePolicy(regions=policy.allowed, enforce_in_transit=policy.required)


@cache
def declaration(believed: Policy, declared: DeclaredPolicy) -> StoragePolicy | Nothing | None:
    """What the program declares; `None` where it is refused."""
    fleet, policies = _fleet(declared, CAREFUL), {NAME.project: _effective(believed)}
    findings = check(fleet, policies, CATALOGUE, today=TODAY)
    if any(finding.severity in (Severity.ERROR, Severity.UNDECIDED) for finding in findings):
        return None
    (topic,) = declare(fleet, policies, CATALOGUE)
    return topic.storage_policy or Nothing.NO_BLOCK


@cache
def _repair(
    policy: Policy, snapshot: Policy | None, declared: DeclaredPolicy, live: StoragePolicy, settings: Settings
) -> StoragePolicy | Nothing:
    """What a run writes, if it writes."""
    known = ProjectPolicy(live=_effective(policy), declared=_effective(snapshot) if snapshot else None)
    plan = make_plan(
        _fleet(declared, settings),
        {NAME.project: [LiveTopic(name=NAME, policy=live)]},
        {NAME.project: known},
        CATALOGUE,
    )
    if not plan.changes:
        return Nothing.NO_WRITE
    (change,) = plan.changes
    assert change.after is not None, "every policy here is a list"
    return computed(policy) if change.resolution is Resolution.RECOMPUTE else change.after


def _effective(policy: Policy) -> EffectivePolicy:
    return EffectivePolicy(
        project=NAME.project, allowed=RegionBounds.exactly(policy.allowed), in_transit=policy.required
    )


def _fleet(declared: DeclaredPolicy, settings: Settings) -> Fleet:
    stack = Stack(
        name="small",
        folder="stacks/small",
        organization="organizations/1",
        policy_source="live",
        projects=(NAME.project,),
        reconcile=ReconcileSettings(widening=settings.widening),
        origin=Origin("stack.yaml"),
    )
    spec = TopicSpec(name=NAME, policy=declared, resolutions=settings.of(declared), origin=HERE, policy_origin=HERE)
    return Fleet.of(stack, [spec])


LIVE: tuple[StoragePolicy | Nothing, ...] = (
    Nothing.NO_TOPIC,
    *(StoragePolicy(regions=regions, enforce_in_transit=flag) for regions, flag in product(SUBSETS, (False, True))),
)
POLICIES = tuple(Policy(allowed=allowed, required=required) for allowed, required in product(SUBSETS, (False, True)))


def worlds(policy: Policy, declared: DeclaredPolicy, snapshot: Policy | None = None) -> Iterator[World]:
    """Every world under a policy and with a spec, whatever led to it.

    The organization, the authors of specs and people with a console can turn any world into any other, and an
    interrupted `pulumi up` only leaves a state behind that does not know the topic, or not what was last written. So
    these are the worlds after every interleaving of theirs and the tools' doings, to any depth, and some more.
    """
    for live, state in product(LIVE, LIVE):
        yield World(policy=policy, snapshot=snapshot, declared=declared, live=live, state=state)
