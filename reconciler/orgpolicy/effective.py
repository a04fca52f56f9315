"""What the two constraints come to for one project, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from reconciler.model import NO_REGIONS, RegionSet, digest
from reconciler.orgpolicy.bounds import EVERYTHING, RegionBounds
from reconciler.orgpolicy.policies import RESOURCE_LOCATIONS

DENY_ALL = "denyAll"
"""The value of a step that stands for a rule which denies everything."""


class Effect(StrEnum):
    """What a step of an evaluation does with its regions."""

    ALLOW = "allow"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One value of one rule, and the regions that it admits or removes.

    Attributes:
        node: the resource that sets the policy.
        rule: the rule's number, from 1; 0 where a whole policy is meant.
        value: the value as written, or `allowAll`, `denyAll` (`DENY_ALL`).
        regions: what it stands for.
        doubt: why it is undecided whether the rule applies, a sentence; `None` where it certainly does.
    """

    node: str
    rule: int
    value: str
    effect: Effect
    regions: RegionBounds
    doubt: str | None = None

    @property
    def words(self) -> str:
        """What the rule says: `in:eu-locations`, `deny europe-west2`, `denyAll`."""
        return f"deny {self.value}" if self.effect is Effect.DENY and self.value != DENY_ALL else self.value

    def __str__(self) -> str:
        rule = f", rule {self.rule}" if self.rule else ""
        return f"{RESOURCE_LOCATIONS} at {self.node}{rule}: {self.words}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectivePolicy:
    """The effective policy of one project.

    Attributes:
        project: the project's id.
        allowed: where topics may keep messages, two-sided.
        in_transit: whether topics must enforce in-transit regions; `None` where that is undecided.
        steps: the values that were combined, nearest node first.
        doubts: why something is undecided, each a sentence that names the value; empty where nothing is.
        source: where it comes from, for messages: `snapshot`, `the API's answer in the snapshot`, `live`.
        disagreement: how the API's answer differs from hedgerow's own evaluation, if it does.
    """

    project: str
    allowed: RegionBounds
    in_transit: bool | None = False
    steps: tuple[Step, ...] = ()
    doubts: tuple[str, ...] = ()
    source: str = "snapshot"
    disagreement: str | None = None

    @classmethod
    def unrestricted(cls, project: str, *, source: str = "snapshot") -> EffectivePolicy:
        """The policy of a project for which nobody set any."""
        return cls(project=project, allowed=EVERYTHING, source=source)

    @property
    def fingerprint(self) -> str:
        """`sha256:...` over what is allowed and required, whatever led to it."""
        return digest([self.allowed, self.in_transit])

    def step_for(self, region: str) -> Step | None:
        """The step that decides about a region: the denial that removes it, else the value that admits it."""
        removing = [s for s in self.steps if s.effect is Effect.DENY and region in s.regions.possible]
        admitting = [s for s in self.steps if s.effect is Effect.ALLOW and region in s.regions.possible]
        certain_first = sorted(removing, key=lambda s: region not in s.regions.certain)
        certain_first += sorted(admitting, key=lambda s: region not in s.regions.certain)
        return certain_first[0] if certain_first else None

    def reason_against(self, regions: RegionSet) -> str:
        """Which constraint, node, rule and value keep these regions out, for a message."""
        names = [] if regions.complement else list(regions)
        denials = [step for name in names if (step := self.step_for(name)) and step.effect is Effect.DENY]
        if denials:
            return str(denials[0])
        if not self.steps:
            return f"{RESOURCE_LOCATIONS}, {self.source}"
        node = self.steps[0].node
        same_rule = [s for s in self.steps if s.node == node and s.rule == self.steps[0].rule]
        values = ", ".join(s.value for s in same_rule[:3])
        more = f" and {len(same_rule) - 3} more" if len(same_rule) > 3 else ""
        return f"{replace(same_rule[0], value=values + more)}"

    def agreed_with(self, other: EffectivePolicy) -> EffectivePolicy:
        """What both policies allow, and what either requires; for a snapshot that is older than the truth."""
        flags = (self.in_transit, other.in_transit)
        in_transit = True if True in flags else None if None in flags else False
        return replace(self, allowed=self.allowed & other.allowed, in_transit=in_transit)

    @property
    def admits_nothing(self) -> bool:
        """Whether it is certain that topics may keep messages nowhere."""
        return self.allowed.possible == NO_REGIONS
