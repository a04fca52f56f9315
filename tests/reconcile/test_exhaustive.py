"""Every live, declared and allowed subset of four regions, every declared kind, every resolution, against an oracle.

The oracle is written down again from the tables of `docs/semantics.md`, with plain sets over the four known regions and
one more that stands for all the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import pytest

from reconciler.model import DeclaredPolicy, Explicit, Inherit, RegionSet, Resolution, Unmanaged, Within
from reconciler.reconcile import Kind
from tests.reconcile.worlds import REGIONS, SUBSETS, allowing, every, outcome, spec, stored

ELSEWHERE = "elsewhere"
KNOWN = frozenset(REGIONS)
ALL = KNOWN | {ELSEWHERE}


@dataclass(frozen=True)
class Expected:
    kind: Kind
    flag_differs: bool
    writes: frozenset[str] | None = None
    flag: bool = False
    recomputes: bool = False


def expected(
    live: frozenset[str] | None,
    live_flag: bool,
    declared: DeclaredPolicy,
    allowed: frozenset[str] | None,
    required: bool,
    resolution: Resolution,
) -> Expected:
    everywhere = live is None
    have = ALL if live is None else live
    may = ALL if allowed is None else allowed
    if isinstance(declared, Unmanaged):
        return Expected(Kind.UNMANAGED, flag_differs=False)
    inherits = isinstance(declared, Inherit)
    want_flag: bool | None = required
    if isinstance(declared, Explicit):
        want = frozenset(declared.regions.names)
        feasible = want <= may
        want_flag = required if declared.enforce_in_transit is None else declared.enforce_in_transit
        if required:
            want_flag = True
    elif isinstance(declared, Within):
        want = frozenset(SUBSETS[int(declared.groups[0].removeprefix("in:group"))]) & may
        feasible = bool(want)
    else:
        want, feasible = may, bool(may)
    keep = want & may
    bad = have - may
    lacks = frozenset() if everywhere else (keep & KNOWN) - have
    extra = frozenset() if inherits else (have & may) - keep
    if live is not None and not live:
        kind = Kind.EMPTY
    elif bad:
        kind = Kind.MIXED if lacks else Kind.DISALLOWED
    elif lacks or extra:
        kind = Kind.MISSING if inherits else Kind.SPEC
    else:
        kind = Kind.IN_SYNC
    flag_differs = kind is not Kind.EMPTY and want_flag is not None and live_flag != want_flag

    def writes(regions: frozenset[str], flag: bool) -> Expected:
        listed = regions & KNOWN
        return Expected(kind, flag_differs, listed, flag) if listed else Expected(kind, flag_differs)

    nothing = Expected(kind, flag_differs)
    match resolution:
        case Resolution.RESTRICT if kind in (Kind.DISALLOWED, Kind.MIXED):
            return writes(have & may if feasible else have & keep, live_flag)
        case Resolution.EXTEND if kind is Kind.MISSING:
            return writes(have | want, live_flag)
        case Resolution.RECOMPUTE if inherits and kind is not Kind.IN_SYNC and may:
            whole = may == ALL and not required
            return Expected(kind, flag_differs, None if whole else may & KNOWN, required, recomputes=True)
        case Resolution.ENFORCE if not inherits and kind is not Kind.IN_SYNC and feasible:
            return writes(want, live_flag if want_flag is None else want_flag)
    return nothing


DECLARED: list[DeclaredPolicy] = [
    Inherit(),
    Unmanaged(),
    *(Explicit(regions=RegionSet(s), enforce_in_transit=f) for s in SUBSETS if s for f in (None, True, False)),
    *(Within(groups=(f"in:group{index}",)) for index in range(len(SUBSETS))),
]
LIVE = [(None, False), *product(SUBSETS, (False, True))]
ALLOWED = list(product((*SUBSETS, None), (False, True)))


@pytest.mark.parametrize("resolution", list(Resolution))
def test_every_combination_gives_what_the_tables_say(resolution: Resolution) -> None:
    seen = 0
    for declared in DECLARED:
        topic = spec(declared, every(resolution))
        for allowed, required in ALLOWED:
            policy = allowing(allowed, required)
            for regions, flag in LIVE:
                drift, decision = outcome(topic, stored(regions, flag), policy)
                change = decision.change
                after = change.after if change else None
                found = Expected(
                    drift.kind,
                    drift.flag_differs,
                    frozenset(after.regions.names) if after else None,
                    after.enforce_in_transit if after else False,
                    recomputes=change is not None and change.resolution is Resolution.RECOMPUTE,
                )
                assert found == expected(regions, flag, declared, allowed, required, resolution), (
                    declared,
                    allowed,
                    required,
                    regions,
                    flag,
                )
                seen += 1
    assert seen == len(DECLARED) * len(ALLOWED) * len(LIVE)
