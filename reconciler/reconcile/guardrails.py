"""Guardrails that refuse a whole plan, judged before its first write.

`reconciler.reconcile.holds` has those that hold single changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reconciler.model import Limits
from reconciler.reconcile.history import History
from reconciler.reconcile.policies import ProjectPolicy, Unavailable
from reconciler.reconcile.resolve import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a plan is not applied.

    Attributes:
        code: stable, for scripts.
        message: holds numerator, denominator and limit.
        hint: the flag that overrides it, or what to do where none does.
        is_limit: whether it is a limit, which `--force` overrides; nothing overrides the others.
    """

    code: str
    message: str
    hint: str
    is_limit: bool = True


def judge(changed: int, total: int, limits: Limits) -> tuple[Refusal, ...]:
    """The limits that a plan breaks which changes `changed` of `total` topics; none means that it may be applied."""
    refusals = []
    if changed > limits.topics:
        refusals.append(
            Refusal(
                code="limit-topics",
                message=f"{changed:,} of {total:,} topics would change, more than the limit of {limits.topics:,}",
                hint=f"read the plan, then allow it with `--max-topics {changed}`",
            )
        )
    if total >= limits.minimum_population and changed * 100 > limits.percent * total:
        share = 100 * changed / total
        refusals.append(
            Refusal(
                code="limit-percent",
                message=f"{changed:,} of {total:,} topics would change, "
                f"{share:.1f} % is over the limit of {limits.percent:g} %",
                hint=f"read the plan, then allow it with `--max-percent {-(-100 * changed // total)}`",
            )
        )
    return tuple(refusals)


def judge_results(changes: Iterable[Change]) -> tuple[Refusal, ...]:
    """Refuses changes that would leave a topic without any region, where every publish fails. No flag overrides that.

    The resolver never proposes one; this is for plans that come from elsewhere.
    """
    changes = tuple(changes)
    empty = [change for change in changes if change.after is not None and change.after.is_empty]
    if not empty:
        return ()
    return (
        Refusal(
            code="empty-result",
            message=f"{len(empty):,} of {len(changes):,} changes would leave a topic without any region, "
            f"the first is {empty[0].name}",
            hint="plan again; an empty list is never written",
            is_limit=False,
        ),
    )


def mostly(
    changes: Iterable[Change], policies: Mapping[str, ProjectPolicy | Unavailable], history: History
) -> str | None:
    """What at least half of the changes have in common, in words: whose policy they follow, and whether it changed.

    `None` where there are no changes, or no such thing.
    """
    names = [change.name.project for change in changes]
    sources = Counter(_source(project, policies.get(project)) for project in names)
    if not sources:
        return None
    (source, count), *_ = sources.most_common(1)
    if 2 * count < len(names):
        return None
    since = [
        tenure.since
        for project in sorted(set(names))
        if _source(project, policies.get(project)) == source
        and (tenure := history.projects.get(project)) is not None
        and tenure.since is not None
    ]
    changed = f", seen to have changed at {max(since):%Y-%m-%d %H:%M} UTC" if since else ""
    share = "all of it" if count == len(names) else f"most of it: {count:,} topics"
    return f"{share} under the policy of {source}{changed}"


def _source(project: str, policy: ProjectPolicy | Unavailable | None) -> str:
    """The node whose policy decides what a project allows, where the caller may see it; else the project."""
    if isinstance(policy, ProjectPolicy) and policy.live.steps:
        return policy.live.steps[0].node
    return project
