"""From a drift to the change that its resolution asks for.

Premise: `L` are the live regions, `A` the allowed ones (two-sided), `W` the wanted ones. `restrict` writes `L ∩ A`,
keeping what is undecided; `extend` writes `L ∪ W`, adding nothing undecided; `recompute` lets the server write `A`;
`enforce` writes `W`. Every write carries both fields of the storage policy, so that no flag is lost.

The in-transit flag has a resolution of its own and is put right in the same write, but a stricter flag never waits for
a permission to widen, and a narrowing never brings a laxer flag with it: where the two point in different directions,
the stricter half goes first and the other shows in the next plan.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, assert_never

from reconciler.model import Exemption, RegionSet, Resolution, Resolutions, StoragePolicy, TopicName, regions_of
from reconciler.orgpolicy import Catalogue
from reconciler.reconcile.drift import Drift, Kind

UPDATE_MASK = "message_storage_policy"
"""The only mask that hedgerow ever sends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A write of one topic's storage policy.

    Attributes:
        before: the live policy that this was computed from; `None` for a topic without one.
        after: the policy to write; for `recompute`, the one that the server should come to.
        why: the drift in words, for reports and the journal.
    """

    name: TopicName
    kind: Kind
    resolution: Resolution
    before: StoragePolicy | None
    after: StoragePolicy | None
    why: str

    @property
    def widening(self) -> bool:
        """Whether it adds a region or switches in-transit enforcement off."""
        return _widens(self.before, self.after)

    @property
    def request(self) -> dict[str, Any]:
        """The `UpdateTopic` request. Recomputing is asked for by a mask whose field the topic leaves out."""
        topic: dict[str, Any] = {"name": str(self.name)}
        if self.resolution is not Resolution.RECOMPUTE and self.after is not None:
            topic["message_storage_policy"] = self.after.to_json()
        return {"topic": topic, "update_mask": UPDATE_MASK}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What is done about one drift: a change, a refusal with its reason, or neither (only reported).

    Attributes:
        exemption: why a topic that has regions which are not allowed is only reported, whatever its resolutions.
    """

    resolution: Resolution
    change: Change | None = None
    refusal: str | None = None
    exemption: Exemption | None = None


_REPORT = Decision(resolution=Resolution.REPORT)

_OFFERED: dict[tuple[Kind, bool], tuple[Resolution, ...]] = {
    (Kind.DISALLOWED, True): (Resolution.RESTRICT, Resolution.RECOMPUTE),
    (Kind.DISALLOWED, False): (Resolution.RESTRICT, Resolution.ENFORCE),
    (Kind.MISSING, True): (Resolution.EXTEND, Resolution.RECOMPUTE),
    (Kind.MIXED, True): (Resolution.RESTRICT, Resolution.RECOMPUTE),
    (Kind.MIXED, False): (Resolution.RESTRICT, Resolution.ENFORCE),
    (Kind.SPEC, False): (Resolution.ENFORCE,),
    (Kind.EMPTY, True): (Resolution.RECOMPUTE,),
    (Kind.EMPTY, False): (Resolution.ENFORCE,),
}
"""The resolutions for each kind and whether the topic inherits, beside `report`, which always is."""


def resolve(drift: Drift, resolutions: Resolutions, catalogue: Catalogue) -> Decision:
    """What the resolutions of a topic ask for, given its drift. Never a write that the API would refuse."""
    if drift.desired is None or drift.kind is Kind.UNDECIDED:
        return _REPORT
    resolution = _chosen(drift, resolutions)
    if drift.kind is Kind.IN_SYNC:
        return _flag_alone(drift, resolutions, catalogue)
    if resolution is Resolution.REPORT:
        flag = _flag_alone(drift, resolutions, catalogue)
        return flag if flag.change else _REPORT
    target = _target(drift, resolution, catalogue)
    if isinstance(target, str):
        return Decision(resolution=resolution, refusal=target)
    change = _with_flag(_change(drift, resolution, target.policy), drift, resolutions)
    return Decision(resolution=resolution, change=change)


@dataclass(frozen=True, slots=True)
class _Target:
    policy: StoragePolicy | None


def _chosen(drift: Drift, resolutions: Resolutions) -> Resolution:
    match drift.kind:
        case Kind.DISALLOWED:
            return resolutions.disallowed
        case Kind.MISSING:
            return resolutions.missing
        case Kind.MIXED:
            return resolutions.mixed
        case Kind.SPEC:
            return resolutions.spec
        case Kind.EMPTY:
            return resolutions.empty
        case Kind.IN_SYNC:
            return resolutions.in_transit
        case Kind.ABSENT | Kind.UNMANAGED | Kind.UNDECIDED:  # pragma: no cover - have no desired policy
            return Resolution.REPORT
        case _:
            assert_never(drift.kind)


def _target(drift: Drift, resolution: Resolution, catalogue: Catalogue) -> _Target | str:
    """The policy that a resolution would write, or why it is refused."""
    wanted, policy = drift.desired, drift.policy
    assert wanted is not None and policy is not None  # noqa: S101, PT018 - checked by `resolve`
    offered = _OFFERED[drift.kind, wanted.inherited]
    if resolution not in offered:
        return _not_offered(drift, resolution, offered)
    flag = drift.live is not None and drift.live.enforce_in_transit
    match resolution:
        case Resolution.RESTRICT:
            kept = regions_of(drift.live) & policy.live.allowed.possible
            if wanted.problem:
                kept = kept & wanted.regions.possible
            if not kept:
                return "nothing of what the topic has is allowed, and an empty list is never written"
            return _Target(StoragePolicy(regions=kept.listed(catalogue.regions), enforce_in_transit=flag))
        case Resolution.EXTEND:
            added = regions_of(drift.live) | wanted.regions.certain.listed(catalogue.regions)
            return _Target(StoragePolicy(regions=added, enforce_in_transit=flag))
        case Resolution.RECOMPUTE:
            return _recomputed(drift, catalogue)
        case Resolution.ENFORCE:
            if wanted.problem:
                return f"there is nothing to enforce: {wanted.problem}"
            if not wanted.regions.is_decided:
                return f"it is undecided whether {wanted.regions.undecided.listed(catalogue.regions)} is allowed"
            regions = wanted.regions.certain.listed(catalogue.regions)
            enforced = flag if wanted.in_transit is None else wanted.in_transit
            return _Target(StoragePolicy(regions=regions, enforce_in_transit=enforced))
        case _:  # pragma: no cover - `report` never comes here
            raise AssertionError(resolution)


def _not_offered(drift: Drift, resolution: Resolution, offered: tuple[Resolution, ...]) -> str:
    ways_out = ", ".join(f"`{other}`" for other in (*offered, Resolution.REPORT))
    if resolution is Resolution.EXTEND and drift.disallowed:
        return f"`extend` would keep regions that are not allowed, which the API refuses; offered here: {ways_out}"
    if resolution is Resolution.RECOMPUTE:
        return f"`recompute` needs a topic that inherits its policy; offered here: {ways_out}"
    return f"`{resolution}` is not offered for `{drift.kind}`; offered here: {ways_out}"


def _recomputed(drift: Drift, catalogue: Catalogue) -> _Target | str:
    assert drift.policy is not None and drift.desired is not None  # noqa: S101, PT018 - checked by `resolve`
    live, wanted = drift.policy.live, drift.desired
    if live.admits_nothing:
        return "the organization's policy allows no Pub/Sub region, so the server would refuse to compute one"
    if not live.allowed.is_decided or live.in_transit is None:
        return "it is undecided what the server would compute"
    if not live.allowed.certain <= wanted.regions.possible:
        return "the live policy allows more than the snapshot; refresh the snapshot before anything is widened"
    if live.allowed.certain.is_all and not live.in_transit:
        return _Target(None)
    regions = live.allowed.certain.listed(catalogue.regions)
    return _Target(StoragePolicy(regions=regions, enforce_in_transit=live.in_transit))


def _flag_alone(drift: Drift, resolutions: Resolutions, catalogue: Catalogue) -> Decision:
    """The change of a topic whose regions stay, and only the in-transit flag is put right."""
    if not drift.flag_differs or resolutions.in_transit is Resolution.REPORT or drift.disallowed:
        return _REPORT
    if resolutions.in_transit is not Resolution.ENFORCE:
        refusal = f"`{resolutions.in_transit}` is not offered for `in-transit`; offered here: `enforce`, `report`"
        return Decision(resolution=resolutions.in_transit, refusal=refusal)
    assert drift.desired is not None and drift.desired.in_transit is not None  # noqa: S101, PT018 - the flag differs
    regions = regions_of(drift.live).listed(catalogue.regions)
    after = StoragePolicy(regions=regions, enforce_in_transit=drift.desired.in_transit)
    return Decision(resolution=Resolution.ENFORCE, change=_change(drift, Resolution.ENFORCE, after))


def _with_flag(change: Change, drift: Drift, resolutions: Resolutions) -> Change:
    """The same change with the in-transit flag put right too, where that does not mix a narrowing with a widening."""
    if not drift.flag_differs or resolutions.in_transit is not Resolution.ENFORCE:
        return change
    assert drift.desired is not None and drift.desired.in_transit is not None  # noqa: S101, PT018 - the flag differs
    stricter = drift.desired.in_transit
    if stricter and change.widening and change.before is not None and not drift.disallowed:
        return replace(change, resolution=Resolution.ENFORCE, after=replace(change.before, enforce_in_transit=True))
    if change.after is not None and (stricter or change.widening):
        return replace(change, after=replace(change.after, enforce_in_transit=stricter))
    return change


def _change(drift: Drift, resolution: Resolution, after: StoragePolicy | None) -> Change:
    return Change(
        name=drift.name,
        kind=drift.kind,
        resolution=resolution,
        before=drift.live,
        after=after,
        why="; ".join(differences(drift)),
    )


def differences(drift: Drift) -> tuple[str, ...]:
    """A drift in words, one for each difference: what live has too much, what it lacks, how the flag differs."""
    parts = [
        *_signed("-", drift.disallowed, ""),
        *_signed("-", drift.extra, " (allowed, not wanted)"),
        *_signed("+", drift.missing, ""),
    ]
    if drift.flag_differs and drift.desired is not None:
        parts.append(f"enforceInTransit {'off -> on' if drift.desired.in_transit else 'on -> off'}")
    return tuple(parts)


def _signed(sign: str, regions: RegionSet, note: str) -> list[str]:
    if regions.complement:
        return ["messages may rest in any region: there is no storage policy"]
    return [f"{sign} {name}{note}" for name in regions]


@lru_cache(maxsize=4096)  # asked several times for each change, and most changes are alike
def _widens(before: StoragePolicy | None, after: StoragePolicy | None) -> bool:
    adds = not regions_of(after) <= regions_of(before)
    frees = before is not None and before.enforce_in_transit and not (after is not None and after.enforce_in_transit)
    return adds or frees
