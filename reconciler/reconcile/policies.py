"""What is known about a project's policy at plan time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from reconciler.errors import NotEvaluated
from reconciler.model import ALL_REGIONS, RegionSet
from reconciler.orgpolicy import EffectivePolicy

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unavailable:
    """Something of a project could not be read. That is never "no policy": nothing of it is evaluated or written.

    Attributes:
        reason: what was refused or unreachable, with the permission where it is known.
        hint: what to do about it.
    """

    reason: str
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectPolicy:
    """A project's policy as the API answers it now, and as the stack's snapshot has it.

    Attributes:
        live: what the API enforces.
        declared: what the snapshot says; `None` for a stack that asks the API, or a project it does not have.
        known: the regions that exist, as far as is known: an API that lists them all but one, and a snapshot that
            denies that one, do not differ.
    """

    live: EffectivePolicy
    declared: EffectivePolicy | None = None
    known: RegionSet = ALL_REGIONS

    @property
    def wanted(self) -> EffectivePolicy:
        """The policy that repairs work towards: what both sources allow."""
        return self.live if self.declared is None else self.live.agreed_with(self.declared)

    @property
    def differs(self) -> bool:
        """Whether the snapshot certainly says something else than the API."""
        if self.declared is None:
            return False
        live, snapshot = self.live.allowed, self.declared.allowed
        regions = (live.certain - snapshot.possible) | (snapshot.certain - live.possible)
        return bool(regions.listed(self.known)) or {self.live.in_transit, self.declared.in_transit} == {True, False}


def fingerprints(policies: Mapping[str, ProjectPolicy | Unavailable]) -> dict[str, str | None]:
    """The fingerprint of each project's live policy; `None` where it could not be read."""
    return {
        project: policy.live.fingerprint if isinstance(policy, ProjectPolicy) else None
        for project, policy in sorted(policies.items())
    }


def all_available(answers: Mapping[str, _Answer | Unavailable]) -> dict[str, _Answer]:
    """What was read of each project, for who can do nothing without all of it.

    Raises:
        NotEvaluated: with every reason and every way out, when something could not be read.
    """
    available: dict[str, _Answer] = {}
    unread: dict[str, Unavailable] = {}
    for project, answer in answers.items():
        if isinstance(answer, Unavailable):
            unread[project] = answer
        else:
            available[project] = answer
    if unread:
        reasons = "; ".join(f"`{project}`: {why.reason}" for project, why in unread.items())
        raise NotEvaluated(reasons, hint="; ".join(sorted({why.hint for why in unread.values() if why.hint})) or None)
    return available
