"""What another organization policy would do to the topics of a stack, before it is set.

A topic counts where it would fare otherwise than today: its kind of drift would change, other regions would be
disallowed or missing, or what is declared for it would be refused. Nothing here is a plan: existing topics stay as they
are when a policy changes (Google's page on message storage policies), and what a run would then do is for `plan`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reconciler.model import Explicit, Fleet, LiveTopic, TopicName, TopicSpec, Within
from reconciler.orgpolicy import Catalogue, EffectivePolicy
from reconciler.reconcile.desired import desired
from reconciler.reconcile.drift import Drift, Kind, compare
from reconciler.reconcile.plan import LiveProject
from reconciler.reconcile.policies import ProjectPolicy, Unavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """One topic that would fare otherwise.

    Attributes:
        spec: what is declared, if anything is.
        before: how it stands under today's policy.
        after: how it would stand.
        refused: why what is declared would be refused, where it is not today.
    """

    name: TopicName
    spec: TopicSpec | None
    before: Drift
    after: Drift
    refused: str | None = None

    @property
    def mends(self) -> bool:
        """Whether the topic would have nothing wrong any more."""
        return self.after.is_clean and self.refused is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Foresight:
    """What another policy would do.

    Attributes:
        prospects: the topics that would fare otherwise, by name.
        looked_at: how many topics were compared.
        not_evaluated: the topics and whole projects about which nothing can be said, with the reason.
    """

    prospects: tuple[Prospect, ...]
    looked_at: int
    not_evaluated: tuple[tuple[str, Unavailable], ...] = ()


def foresee(
    fleet: Fleet,
    live: Mapping[str, LiveProject] | None,
    today: Mapping[str, EffectivePolicy | None],
    then: Mapping[str, EffectivePolicy | None],
    catalogue: Catalogue,
) -> Foresight:
    """Compares how the topics of a stack stand under two policies.

    Args:
        fleet: what is declared.
        live: the topics of each project; `None` takes every declared topic to be live just as it should be today.
        today: the effective policy of each project as it is.
        then: as it would be.
        catalogue: the regions that "all" stands for, and the members of groups.
    """
    prospects: list[Prospect] = []
    unknown: list[tuple[str, Unavailable]] = []
    looked_at = 0
    for project in fleet.stack.projects:
        before, after = today.get(project), then.get(project)
        if before is None or after is None:
            unknown.append((project, Unavailable(reason="no policy is known for the project")))
            continue
        listed = () if live is None else live.get(project, ())
        if isinstance(listed, Unavailable):
            unknown.append((project, listed))
            continue
        topics: Mapping[TopicName, LiveTopic | Unavailable] = {topic.name: topic for topic in listed}
        if live is None:
            topics = _assumed(fleet, project, before, catalogue)
        for name, spec, topic in _topics(fleet, project, topics):
            looked_at += 1
            found = Prospect(
                name=name,
                spec=spec,
                before=compare(name, spec, topic, ProjectPolicy(live=before), catalogue),
                after=compare(name, spec, topic, ProjectPolicy(live=after), catalogue),
                refused=_refused(spec, before, after, catalogue),
            )
            if found.after.kind is Kind.UNDECIDED and found.after.reason is not None:
                unknown.append((str(name), found.after.reason))
            elif found.refused is not None or _standing(found.before) != _standing(found.after):
                prospects.append(found)
    return Foresight(prospects=tuple(prospects), looked_at=looked_at, not_evaluated=tuple(unknown))


def _topics(
    fleet: Fleet, project: str, live: Mapping[TopicName, LiveTopic | Unavailable]
) -> Iterator[tuple[TopicName, TopicSpec | None, LiveTopic | Unavailable | None]]:
    """The declared and the live topics of a project, by name."""
    declared = {spec.name: spec for spec in fleet.topics if spec.name.project == project}
    for name in sorted({*declared, *live}):
        yield name, declared.get(name), live.get(name)


def _assumed(
    fleet: Fleet, project: str, policy: EffectivePolicy, catalogue: Catalogue
) -> Mapping[TopicName, LiveTopic | Unavailable]:
    """The declared topics, each live with what it should have today; those that should have nothing are not live."""
    topics: dict[TopicName, LiveTopic | Unavailable] = {}
    for spec in fleet.topics:
        wanted = desired(spec, policy, catalogue) if spec.name.project == project else None
        if wanted is None or wanted.problem is not None:
            continue
        if wanted.is_definite and wanted.in_transit is not None:
            topics[spec.name] = LiveTopic(name=spec.name, policy=wanted.storage_policy(catalogue.regions))
        else:
            topics[spec.name] = Unavailable(reason="what it should have today is undecided")
    return topics


def _refused(
    spec: TopicSpec | None, before: EffectivePolicy, after: EffectivePolicy, catalogue: Catalogue
) -> str | None:
    if spec is None:
        return None
    today, then = _problem(spec, before, catalogue), _problem(spec, after, catalogue)
    return then if then != today else None


def _problem(spec: TopicSpec, policy: EffectivePolicy, catalogue: Catalogue) -> str | None:
    """Why a spec is refused under a policy, if it is."""
    wanted = desired(spec, policy, catalogue)
    if wanted is not None and wanted.problem is not None:
        return wanted.problem
    if isinstance(spec.policy, Explicit | Within) and spec.policy.enforce_in_transit is False and policy.in_transit:
        return "it switches enforcement in transit off, which the organization's policy requires"
    return None


def _standing(drift: Drift) -> tuple[object, ...]:
    return drift.kind, drift.standing, drift.disallowed, drift.missing, drift.extra, drift.flag_differs
