"""Making a plan: what `plan`, `apply` and `reconcile` share."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date

from reconciler.cli.output import located, say
from reconciler.cli.policies import Declared, live_policies, snapshot_policies
from reconciler.cli.stacks import without_collections
from reconciler.cli.surroundings import connection, now
from reconciler.errors import ExitCode
from reconciler.model import LIVE, Exemptions, Fleet
from reconciler.orgpolicy import Catalogue, EffectivePolicy
from reconciler.reconcile import History, Plan, ProjectPolicy, Unavailable, holds, make_plan, mostly
from reconciler.report import diagnostics_text
from reconciler.rules import Severity, check
from reconciler.spec import load_catalogue


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan, and whether the specs break a rule under the policies that it was computed from.

    Attributes:
        history: what is remembered, with the policies of the plan.
    """

    plan: Plan
    broken_rules: bool
    history: History

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


def planned(fleet: Fleet, history: History, *, allow_widening: bool = False) -> Planned:
    """Reads the live policies and topics of a stack and plans; findings of rules are printed.

    A spec that breaks a rule does not stop the others: the policy may have changed after it was merged. Topics are
    listed while policies are read and rules are checked, since each waits for the network.

    Args:
        fleet: what is declared.
        history: what the runs of the stack remember.
        allow_widening: allows widening where the stack does not.
    """
    with without_collections():
        return _planned(fleet, history, allow_widening=allow_widening)


def _planned(fleet: Fleet, history: History, *, allow_widening: bool) -> Planned:
    catalogue, declared = _declared(fleet)
    moment = now()
    link = connection(fleet.stack)
    from reconciler.gcp import PubsubTopics, read_topics  # see `connection`

    with ThreadPoolExecutor(max_workers=1) as beside:
        listed = beside.submit(read_topics, fleet.stack.projects, PubsubTopics(link))
        policies = _project_policies(fleet, catalogue, declared)
        errors = _broken_rules(fleet, policies, catalogue, moment.date())
        live = listed.result()
    exemptions = Exemptions.in_force(fleet.exemptions, moment.date())
    plan = make_plan(fleet, live, policies, catalogue, allow_widening=allow_widening, exemptions=exemptions)
    history = history.observed(plan.policy_fingerprints, moment)
    held = holds(plan.proposed, fleet.publishers, history, now=moment, settle=fleet.stack.reconcile.settle)
    return Planned(plan=replace(plan, holds=held), broken_rules=errors, history=history)


def _broken_rules(
    fleet: Fleet, policies: Mapping[str, ProjectPolicy | Unavailable], catalogue: Catalogue, today: date
) -> bool:
    """Whether the specs break a rule; prints what does."""
    wanted = {project: _wanted(policy) for project, policy in policies.items()}
    findings = check(fleet, wanted, catalogue, today=today)
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if errors:
        say(diagnostics_text(located(errors)).rstrip("\n"))
    return bool(errors)


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
