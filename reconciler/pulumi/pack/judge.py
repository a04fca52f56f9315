"""The rules, applied to topic resources: the same objects that `hedgerow check` applies to specs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from reconciler.model import (
    DISALLOWED_REGIONS,
    LIVE,
    NO_EXEMPTIONS,
    DeclaredPolicy,
    Exemptions,
    Explicit,
    Fleet,
    Inherit,
    Origin,
    Stack,
    TopicName,
    TopicSpec,
)
from reconciler.orgpolicy import Catalogue, EffectivePolicy, Snapshot
from reconciler.pulumi.pack.settings import Settings
from reconciler.pulumi.pack.topics import FLAG, KEY, POLICY, REGIONS, ReadTopic, TopicResource, read_topic
from reconciler.rules import TOPIC_RULES, Finding, Rule, check_topics
from reconciler.rules.policy_rules import POLICY_DISAGREEMENT, PROJECT_NOT_IN_POLICY
from reconciler.rules.resource_rules import (
    IN_TRANSIT_NOT_STATED,
    LIVE_STORAGE_POLICY,
    STORAGE_POLICY_EMPTY,
    STORAGE_POLICY_NOT_STATED,
    TOPIC_DUPLICATE,
    TOPIC_FORM,
    VALUE_UNKNOWN,
)
from reconciler.rules.topic_rules import (
    KMS_LOCATION,
    REGION_NOT_ALLOWED,
    REGION_UNDECIDED,
    REGION_UNKNOWN,
    WITHIN_EMPTY,
    WITHIN_UNDECIDED,
)
from reconciler.spec import load_catalogue, load_snapshot

SHARED_RULES: tuple[Rule, ...] = tuple(rule for rule in TOPIC_RULES if rule not in (WITHIN_EMPTY, WITHIN_UNDECIDED))
"""The rules of `hedgerow check` that a resource can break: the provider's topic has no `within`."""

OWN_RULES: tuple[Rule, ...] = (
    VALUE_UNKNOWN,
    TOPIC_FORM,
    STORAGE_POLICY_EMPTY,
    STORAGE_POLICY_NOT_STATED,
    IN_TRANSIT_NOT_STATED,
    TOPIC_DUPLICATE,
)
"""The rules on topic resources that a spec cannot break."""

_HINTS = {
    "region-not-allowed": f"remove what is not allowed, or leave `{POLICY}` out to follow the organization",
    "in-transit-required": f"write `{FLAG}: true`",
}
"""What to do where a finding's own hint speaks of words that only specs have."""

_STACK = Stack(name="", folder="", organization="", policy_source=LIVE, projects=(), origin=Origin("stack"))
"""Nothing in it counts: a program has no stack file."""


@dataclass(slots=True, kw_only=True)
class Judge:
    """Judges topics one by one; remembers what it worked out, as most topics declare what others do, and their names.

    Build it with `load_judge`.

    Attributes:
        ids: the ids of the snapshot's projects, by their numbers.
        exemptions: those that count today.
    """

    settings: Settings
    snapshot: Snapshot
    catalogue: Catalogue
    exemptions: Exemptions
    ids: Mapping[str, str]
    _policies: dict[str, EffectivePolicy | None] = field(default_factory=dict)
    _declared: dict[TopicName, str] = field(default_factory=dict)
    _sound: set[tuple[str, DeclaredPolicy, Any]] = field(default_factory=set)

    def policy(self, project: str) -> EffectivePolicy | None:
        """The effective policy of a project; `None` where the snapshot does not have it."""
        if project not in self._policies:
            self._policies[project] = self.snapshot.effective_policy(project, self.catalogue)
        return self._policies[project]

    def findings(self, resource: TopicResource) -> tuple[Finding, ...]:
        """Everything that is wrong with a topic as a program declares it. What is exempt is not among it."""
        read = read_topic(resource, self.ids)
        if read.spec is None:
            return read.findings
        found = [*read.findings, *self._stated(read, read.spec)]
        if not read.is_named:  # then it is not known which exemptions are meant
            return (*found, *self._against(read.spec, NO_EXEMPTIONS))
        found += self._duplicate(read, read.spec, resource.urn)
        return (*found, *self._against(read.spec, self.exemptions))

    def remedied(self, resource: TopicResource) -> list[str] | None:
        """The regions of a topic without those that are certainly not allowed, in their order.

        `None` where there is nothing to drop, where nothing would be left, or where it cannot be told: never an empty
        list, and none for a topic that is exempt.
        """
        spec = read_topic(resource, self.ids).spec
        if spec is None or not isinstance(spec.policy, Explicit):
            return None
        policy = self.policy(spec.name.project)
        if policy is None or self.exemptions.of(DISALLOWED_REGIONS, spec.name):
            return None
        listed: list[str] = list(resource.properties[POLICY][REGIONS])
        kept = [region for region in listed if region in policy.allowed.possible]
        return kept if 0 < len(kept) < len(listed) else None

    def live_findings(self, resource: TopicResource, told: Collection[str] = ()) -> tuple[Finding, ...]:
        """What is wrong with a topic as the service has it, by a resource's outputs; all of `live-storage-policy`.

        Outputs that are not known yet say nothing about what the service has, and are passed over.

        Args:
            resource: with its outputs.
            told: messages about the topic as it is declared, which are not repeated.
        """
        read, block = read_topic(resource, self.ids), resource.properties.get(POLICY)
        if isinstance(block, Mapping) and not block.get(REGIONS):
            return (_live(read, f"the service has no region for it, so every publish fails  [{_EMPTY}]"),)
        spec = read.spec
        if spec is None:
            return ()
        if not isinstance(spec.policy, Explicit):
            return tuple(_unrestricted(read, spec.name.project, self.policy(spec.name.project)))
        if spec.policy.enforce_in_transit is None:  # the service leaves `false` out
            spec = replace(spec, policy=Explicit(regions=spec.policy.regions, enforce_in_transit=False))
        return tuple(
            _live(read, f"{finding.message.partition(': ')[2]}  [{finding.code}]", finding.details)
            for finding in self._against(spec, self.exemptions)
            if finding.code not in _NOT_LIVE and finding.message not in told
        )

    def _duplicate(self, read: ReadTopic, spec: TopicSpec, urn: str) -> Iterator[Finding]:
        """Whether a resource that came before declares the topic too."""
        first = self._declared.setdefault(spec.name, urn)
        if first != urn:
            yield TOPIC_DUPLICATE.finding(
                subject=str(spec.name),
                origin=spec.origin,
                message=f"`{read.lead}`: another resource declares the topic `{spec.name}` too",
                details=(f"first: {first}",),
                hint="keep one of them",
            )

    def _stated(self, read: ReadTopic, spec: TopicSpec) -> Iterator[Finding]:
        project = spec.name.project
        if isinstance(spec.policy, Inherit) and self.settings.demands_regions(project):
            yield STORAGE_POLICY_NOT_STATED.finding(
                subject=str(spec.name),
                origin=spec.origin,
                message=f"`{read.lead}`: topics of `{project}` have to state their regions, and this one does not",
                hint=f"write `{POLICY}` with `{REGIONS}` and `{FLAG}`",
            )

    def _against(self, spec: TopicSpec, exemptions: Exemptions) -> list[Finding]:
        """What the rules of `hedgerow check` have against a topic, but for what is exempt."""
        name, key = spec.name, spec.fields.get(KEY)
        if (name.project, spec.policy, key) in self._sound:
            return []
        found = check_topics(
            Fleet.of(_STACK, [spec]), {name.project: self.policy(name.project)}, self.catalogue, exemptions=exemptions
        )
        if not found:
            self._sound.add((name.project, spec.policy, key))
        return [_told(finding) for finding in found if finding.exemption is None]


_EMPTY = STORAGE_POLICY_EMPTY.code

_NOT_LIVE = {KMS_LOCATION.code, POLICY_DISAGREEMENT.code, REGION_UNKNOWN.code}
"""Rules on keys, on the snapshot and on spelling, and not on where the service may keep messages."""


def load_judge(settings: Settings, today: Callable[[], date]) -> Judge:
    """A judge for the organization of a snapshot.

    Args:
        settings: with the snapshot's path.
        today: the day, in UTC, on which exemptions have to be in force.

    Raises:
        InvalidInput: when the snapshot cannot be used.
    """
    snapshot = load_snapshot(settings.snapshot)
    return Judge(
        settings=settings,
        snapshot=snapshot,
        catalogue=load_catalogue().with_groups(snapshot.value_groups),
        exemptions=Exemptions.in_force(settings.exemptions, today()),
        ids={r.number: r.name.removeprefix("projects/") for r in snapshot.resources.values() if r.number},
    )


def _told(finding: Finding) -> Finding:
    hint = _HINTS.get(finding.code)
    return replace(finding, hint=hint) if hint else finding


def _unrestricted(read: ReadTopic, project: str, policy: EffectivePolicy | None) -> Iterator[Finding]:
    """Whether a topic without a storage policy, whose messages may rest anywhere, is one that may."""
    anywhere = "the service has no storage policy for it, so its messages may rest anywhere"
    if policy is None:
        yield _live(read, f"not evaluated: no policy is known for `{project}`  [{PROJECT_NOT_IN_POLICY.code}]")
    elif not policy.allowed.possible.is_all:
        yield _live(read, f"{anywhere}  [{REGION_NOT_ALLOWED.code}]", (f"allowed: {policy.allowed.possible}",))
    elif not policy.allowed.certain.is_all:
        message = f"{anywhere}, and whether that is allowed is undecided  [{REGION_UNDECIDED.code}]"
        yield _live(read, message, tuple(f"because {doubt}" for doubt in policy.doubts))


def _live(read: ReadTopic, message: str, details: tuple[str, ...] = ()) -> Finding:
    return LIVE_STORAGE_POLICY.finding(
        subject=read.lead,
        origin=read.origin,
        message=f"`{read.lead}`: {message}",
        details=details,
        hint="let `hedgerow reconcile` repair it, or see `hedgerow plan` for what it would do",
    )
