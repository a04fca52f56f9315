"""Making a plan: what `plan`, `apply` and `reconcile` share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from time import monotonic, sleep

import click

from reconciler.apply import Pace
from reconciler.cli.holding import holds_on
from reconciler.cli.output import located, say
from reconciler.cli.policies import Declared, live_policies, snapshot_policies
from reconciler.cli.stacks import without_collections
from reconciler.cli.surroundings import connection, now
from reconciler.errors import ExitCode
from reconciler.model import LIVE, Exemptions, Fleet, Reader, StoragePolicy, TopicName
from reconciler.orgpolicy import Catalogue, EffectivePolicy
from reconciler.reconcile import (
    History,
    LiveProject,
    Plan,
    ProjectPolicy,
    Settled,
    Unavailable,
    make_plan,
    mostly,
    settle,
    to_read_again,
)
from reconciler.report import diagnostics_text
from reconciler.rules import Severity, check
from reconciler.spec import load_catalogue

reader_option = click.option(
    "--reader",
    type=click.Choice([reader.value for reader in Reader]),
    help="Where live topics are read from, in place of the stack's.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan, and whether the specs break a rule under the policies that it was computed from.

    Attributes:
        history: what is remembered, with the policies of the plan.
        catalogue: that the plan was made with.
        live: the storage policies of the live topics that services publish to.
    """

    plan: Plan
    broken_rules: bool
    history: History
    catalogue: Catalogue
    live: Mapping[TopicName, StoragePolicy | None]

    @property
    def wanted(self) -> dict[str, EffectivePolicy | None]:
        """The policies that repairs work towards, by project; `None` where one could not be read."""
        return {project: _wanted(policy) for project, policy in self.plan.policies.items()}

    @property
    def mostly(self) -> str | None:
        """What most of the changes have in common."""
        return mostly(self.plan.changes, self.plan.policies, self.history)

    @property
    def exit_code(self) -> ExitCode:
        """3 where the specs break a rule, 4 where something was not evaluated, else 0."""
        return ExitCode.severest(
            ExitCode.INVALID if self.broken_rules else ExitCode.OK,
            ExitCode.NOT_EVALUATED if self.plan.not_evaluated or self._unread_projects else ExitCode.OK,
        )

    @property
    def _unread_projects(self) -> bool:
        return any(isinstance(policy, Unavailable) for policy in self.plan.policies.values())


def planned(fleet: Fleet, history: History, *, allow_widening: bool = False, reader: str | None = None) -> Planned:
    """Reads the live policies and topics of a stack and plans; findings of rules are printed.

    A spec that breaks a rule does not stop the others: the policy may have changed after it was merged. Topics are
    listed while policies are read and rules are checked.

    Args:
        fleet: what is declared.
        history: what the runs of the stack remember.
        allow_widening: allows widening where the stack does not.
        reader: where topics are read from, in place of the stack's.
    """
    with without_collections():
        return _planned(
            fleet, history, allow_widening=allow_widening, reader=Reader(reader or fleet.stack.reconcile.reader)
        )


def _planned(fleet: Fleet, history: History, *, allow_widening: bool, reader: Reader) -> Planned:
    catalogue, declared = _declared(fleet)
    with _reading(fleet, reader) as topics:
        policies = _project_policies(fleet, catalogue, declared)
        moment = now()
        broken_rules = _told_broken_rules(fleet, policies, catalogue, moment.date())
        live = topics()
    propose = partial(
        make_plan,
        fleet,
        policies=policies,
        catalogue=catalogue,
        allow_widening=allow_widening,
        exemptions=Exemptions.in_force(fleet.exemptions, moment.date()),
    )
    plan = propose(live)
    if reader is Reader.ASSET:
        settled = _settled(fleet, plan, live)
        live = settled.live
        plan = propose(live, unread=settled.unread)
    history = history.observed(plan.policy_fingerprints, moment)
    held = holds_on(plan.proposed, fleet, history, moment)
    return Planned(
        plan=replace(plan, holds=held),
        broken_rules=broken_rules,
        history=history,
        catalogue=catalogue,
        live=_published_to(fleet, live),
    )


def _published_to(fleet: Fleet, live: Mapping[str, LiveProject]) -> dict[TopicName, StoragePolicy | None]:
    published = {topic.topic for publisher in fleet.publishers for topic in publisher.topics}
    return {
        topic.name: topic.policy
        for project in {name.project for name in published}
        if not isinstance(topics := live.get(project, ()), Unavailable)
        for topic in topics
        if topic.name in published
    }


def _told_broken_rules(
    fleet: Fleet, policies: Mapping[str, ProjectPolicy | Unavailable], catalogue: Catalogue, today: date
) -> bool:
    """Whether the specs break a rule; what does is printed."""
    wanted = {project: _wanted(policy) for project, policy in policies.items()}
    findings = check(fleet, wanted, catalogue, today=today)
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if errors:
        say(diagnostics_text(located(errors)).rstrip("\n"))
    return bool(errors)


@contextmanager
def _reading(fleet: Fleet, reader: Reader) -> Iterator[Callable[[], Mapping[str, LiveProject]]]:
    """The topics of the stack's projects, as the reader has them; calling what this yields waits for them."""
    if reader is Reader.ASSET:
        yield partial(_inventory, fleet)
        return
    link = connection(fleet.stack)
    from reconciler.gcp import PubsubTopics, reading_topics  # see `connection`

    with reading_topics(fleet.stack.projects, PubsubTopics(link)) as topics:
        yield topics


def _listed(fleet: Fleet, projects: Iterable[str]) -> Mapping[str, LiveProject]:
    """The topics of projects as Pub/Sub lists them."""
    link = connection(fleet.stack)
    from reconciler.gcp import PubsubTopics, read_topics  # see `connection`

    return read_topics(projects, PubsubTopics(link))


def _inventory(fleet: Fleet) -> Mapping[str, LiveProject]:
    """The topics of the stack's projects as the Asset Inventory of its organization shows them."""
    link = connection(fleet.stack)
    from reconciler.gcp import PAGES_PER_MINUTE, AssetTopics, read_inventory  # see `connection`

    pace = Pace(PAGES_PER_MINUTE, monotonic, sleep)
    assets = AssetTopics(link, lambda: pace.take(fleet.stack.organization))
    return read_inventory(fleet.stack.organization, fleet.stack.projects, assets)


def _settled(fleet: Fleet, plan: Plan, live: Mapping[str, LiveProject]) -> Settled:
    """Reads from Pub/Sub what a plan from the inventory must not be believed about."""
    link = connection(fleet.stack)
    from reconciler.gcp import PubsubTopics, read_single_topics  # see `connection`

    again, settings = to_read_again(plan, live), fleet.stack.reconcile
    pace = Pace(settings.operations_per_minute, monotonic, sleep)
    singles = read_single_topics(
        again.topics,
        PubsubTopics(link),
        lambda project: pace.take(project if settings.quota_project == "topic" else "caller"),
    )
    return settle(live, _listed(fleet, again.projects), singles)


def project_policies(fleet: Fleet) -> tuple[Catalogue, Mapping[str, ProjectPolicy | Unavailable]]:
    """The live policy of each project beside what the stack's snapshot says, and the catalogue both are read with."""
    catalogue, declared = _declared(fleet)
    return catalogue, _project_policies(fleet, catalogue, declared)


def _declared(fleet: Fleet) -> tuple[Catalogue, Declared | None]:
    """The catalogue, and what the stack's snapshot says where it has one."""
    if fleet.stack.policy_source == LIVE:
        return load_catalogue(), None
    declared = snapshot_policies(fleet)
    return declared.catalogue, declared


def _project_policies(
    fleet: Fleet, catalogue: Catalogue, declared: Declared | None
) -> Mapping[str, ProjectPolicy | Unavailable]:
    return {
        project: policy
        if isinstance(policy, Unavailable)
        else ProjectPolicy(live=policy, declared=declared.known[project] if declared else None, known=catalogue.regions)
        for project, policy in live_policies(fleet, catalogue).items()
    }


def _wanted(policy: ProjectPolicy | Unavailable) -> EffectivePolicy | None:
    return policy.wanted if isinstance(policy, ProjectPolicy) else None
