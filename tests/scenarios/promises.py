"""What holds in every scenario, whatever it tells: about writes, plans, the Pulumi program and the policy pack."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from reconciler.cli.planning import planned, project_policies
from reconciler.cli.policies import declared_policies
from reconciler.cli.surroundings import now
from reconciler.model import LIVE, Explicit, Fleet, StoragePolicy, TopicName, TopicSpec, UnmanagedTopics, Within
from reconciler.pulumi import declare
from reconciler.pulumi.pack.judge import SHARED_RULES, load_judge
from reconciler.pulumi.pack.settings import Settings
from reconciler.reconcile import History, ProjectPolicy, desired
from reconciler.rules import Severity, check
from reconciler.sandbox import LoggedRequest
from reconciler.spec import InvalidSpecs, load_fleet
from tests.pack.resources import declared
from tests.scenarios.runner import STACK, Scenario, Step


def check_writes(story: Scenario) -> None:
    """Every write is one of a storage policy, of a topic that is hedgerow's business, and loses nothing."""
    for step in story.steps:
        for write in step.writes:
            assert step.fleet is not None, f"`hedgerow {' '.join(step.arguments)}` wrote, and the specs do not load"
            _check_write(write, step, step.fleet)


def _check_write(write: LoggedRequest, step: Step, fleet: Fleet) -> None:
    what = f"{write.service}/{write.method} with the mask {write.mask}"
    assert (write.service, write.method) == ("google.pubsub.v1.Publisher", "UpdateTopic"), what
    assert write.mask == ("message_storage_policy",), what
    assert write.body["topic"].keys() <= {"name", "messageStoragePolicy"}, write.body
    assert write.status != "FAILED_PRECONDITION", f"{write.resource}: a write that the organization's policy forbids"

    spec = fleet.by_name.get(TopicName.parse(write.resource))
    is_ours = spec is not None or fleet.stack.reconcile.unmanaged is UnmanagedTopics.RECONCILE
    assert is_ours, f"{write.resource}: nobody declared it"

    if "messageStoragePolicy" in write.body["topic"]:
        policy = StoragePolicy.from_json(write.body["topic"]["messageStoragePolicy"])
        before = step.before[write.resource]
        assert policy is not None
        assert not policy.is_empty, f"{write.resource}: an empty list of regions"
        if before is not None and before.enforce_in_transit and not policy.enforce_in_transit:
            assert _declares_off(spec), f"{write.resource}: in-transit enforcement is lost, and nobody declared `false`"


def _declares_off(spec: TopicSpec | None) -> bool:
    return spec is not None and isinstance(spec.policy, Explicit | Within) and spec.policy.enforce_in_transit is False


def check_plans(story: Scenario) -> None:
    """Planning twice gives the same bytes."""
    for step in story.steps:
        assert step.again in (None, step.printed), f"hedgerow {' '.join(step.arguments)}"


def check_declarations(story: Scenario) -> int:
    """What the Pulumi program declares is what the reconciler wants, and what is live where the plan shows no drift.

    Returns how many topics were compared: none where the story ends with a stack that the program refuses.
    """
    try:
        fleet = load_fleet(STACK).fleet
    except InvalidSpecs:
        return 0
    source = declared_policies(fleet)
    findings = check(fleet, source.known, source.catalogue, today=now().date())
    if any(finding.severity is not Severity.WARNING for finding in findings):
        return 0
    policies = {project: policy for project, policy in source.known.items() if policy is not None}
    catalogue, known = project_policies(fleet)
    drifting = {row.drift.name for row in planned(fleet, History()).plan.rows}
    live = story.live()
    compared = 0
    for topic in declare(fleet, policies, source.catalogue):
        policy, spec = known[topic.name.project], fleet.by_name[topic.name]
        if not isinstance(policy, ProjectPolicy) or policy.differs:
            continue
        compared += 1
        wanted = desired(spec, policy.wanted, catalogue)
        if isinstance(spec.policy, Explicit | Within):
            assert wanted is not None
            same = topic.storage_policy == wanted.storage_policy(catalogue.regions)
            assert same, f"{topic.name}: the program declares {topic.storage_policy}, the reconciler wants {wanted}"
            if topic.name not in drifting:
                found = live[str(topic.name)]
                assert found == topic.storage_policy, f"{topic.name}: no drift is planned, but live is {found}"
        else:
            assert topic.storage_policy is None, f"{topic.name}: the server owns the policy, or somebody else does"
    return compared


def check_pack() -> int:
    """Each topic gets the findings from the policy pack that `hedgerow check` has for it, of the rules that they share.

    Returns how many topics were compared: none where the stack cannot be read, or has no snapshot.
    """
    try:
        fleet = load_fleet(STACK).fleet
        source = declared_policies(fleet)
    except InvalidSpecs:
        return 0
    if fleet.stack.policy_source == LIVE:
        return 0
    settings = Settings(snapshot=Path(fleet.stack.policy_source), exemptions=fleet.exemptions)
    judge = load_judge(settings, lambda: now().date())
    shared = {rule.code for rule in SHARED_RULES}
    compared = 0
    for spec in fleet.topics:
        resource = declared(spec)
        if resource is None:
            continue
        compared += 1
        # Alone and with its policy in its own entry, so that nothing is told of several topics at once.
        own = replace(spec, policy_origin=spec.origin, field_origins={})
        alone = Fleet.of(replace(fleet.stack, rules={}), [own], exemptions=fleet.exemptions)
        found = check(alone, source.known, source.catalogue, today=now().date())
        by_check = {f.code for f in found if f.code in shared and f.severity is not Severity.EXEMPT}
        by_pack = {finding.code for finding in judge.findings(resource)} & shared
        assert by_pack == by_check, f"{spec.name}: the pack finds {by_pack}, `check` finds {by_check}"
    return compared
