"""Guardrails: limits that are judged over a whole plan before its first write."""

from __future__ import annotations

from dataclasses import dataclass

from reconciler.model import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a plan is not applied.

    Attributes:
        code: stable, for scripts.
        message: holds numerator, denominator and limit.
        hint: the flag that overrides it.
    """

    code: str
    message: str
    hint: str


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
