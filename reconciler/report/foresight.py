"""What another policy would do to topics, as text and as JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from reconciler.orgpolicy import EffectivePolicy
from reconciler.reconcile import Drift, Foresight, Kind, Prospect, differences
from reconciler.report.diagnostics import counted
from reconciler.report.plan import allowed_text


def foresight_text(foresight: Foresight, then: Mapping[str, EffectivePolicy | None], *, verbose: bool = False) -> str:
    """The projects with topics that would fare otherwise: the policy then, and each topic before and after."""
    lines: list[str] = []
    for project, group in groupby(foresight.prospects, key=lambda prospect: prospect.name.project):
        policy = then[project]
        assert policy is not None  # noqa: S101 - topics of a project without a policy are not evaluated
        lines.append(f"{project:38} would allow: {allowed_text(policy)}")
        prospects = list(group)
        width = max(len(prospect.name.topic) for prospect in prospects)
        for prospect in prospects:
            lines += _lines(prospect, width, verbose=verbose)
    return "".join(f"{line}\n" for line in lines)


def foresight_summary(foresight: Foresight) -> str:
    """How many topics would drift, be refused or be mended, of how many that were compared."""
    drifting = sum(not one.after.is_clean and one.after.kind is not Kind.ABSENT for one in foresight.prospects)
    refused = sum(one.refused is not None for one in foresight.prospects)
    mended = sum(one.mends for one in foresight.prospects)
    parts = [f"{drifting:,} of {counted(foresight.looked_at, 'topic')} would drift"]
    parts += [f"{counted(refused, 'spec')} would be refused"] * bool(refused)
    parts += [f"{counted(mended, 'topic')} would be in sync again"] * bool(mended)
    return "; ".join(parts)


def foresight_document(foresight: Foresight) -> dict[str, Any]:
    """The same as JSON values, nothing cut."""
    return {
        "lookedAt": foresight.looked_at,
        "topics": [
            {
                "topic": str(prospect.name),
                "declared": prospect.spec is not None,
                "before": _drift_document(prospect.before),
                "after": _drift_document(prospect.after),
                "refused": prospect.refused,
            }
            for prospect in foresight.prospects
        ],
        "notEvaluated": [{"subject": subject, "reason": why.reason} for subject, why in foresight.not_evaluated],
    }


def _lines(prospect: Prospect, width: int, *, verbose: bool) -> list[str]:
    mark = "!" if prospect.refused else "~" if not prospect.after.is_clean else "."
    parts = differences(prospect.after)
    if not verbose and len(parts) > 5:
        parts = (*parts[:4], f"and {len(parts) - 4} more")
    kinds = f"{_kind(prospect.before)} -> {_kind(prospect.after)}"
    line = f"  {mark} {prospect.name.topic:{width}}  {kinds}  {'  '.join(parts)}".rstrip()
    return [line, *([f"    {'':{width}}  its spec would be refused: {prospect.refused}"] if prospect.refused else [])]


def _kind(drift: Drift) -> str:
    if drift.kind is Kind.UNMANAGED:
        return f"unmanaged, {drift.standing}"
    return "in-transit" if drift.kind is Kind.IN_SYNC and drift.flag_differs else str(drift.kind)


def _drift_document(drift: Drift) -> dict[str, Any]:
    return {
        "kind": str(drift.kind),
        "standing": None if drift.standing is None else str(drift.standing),
        "differences": list(differences(drift)),
    }
