"""The rules as policies of Pulumi's policy SDK: one for each rule, filled from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    PolicyProviderResource,
    PolicyResource,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
    proxy,
)

from reconciler import rules
from reconciler.errors import HedgerowError
from reconciler.model import DISALLOWED_REGIONS
from reconciler.pulumi.pack.judge import OWN_RULES, SHARED_RULES
from reconciler.pulumi.pack.review import Review
from reconciler.pulumi.pack.settings import SCHEMA, Settings
from reconciler.pulumi.pack.topics import POLICY, READ, REGIONS, TOPIC, UNKNOWN, TopicResource
from reconciler.rules import Finding, Rule
from reconciler.rules.resource_rules import LIVE_STORAGE_POLICY, ORGANIZATION

STACK = "pulumi:pulumi:Stack"
"""The type token of the resource that every program registers first."""

_LEVELS = {
    rules.Severity.ERROR: (EnforcementLevel.MANDATORY, Severity.HIGH),
    rules.Severity.UNDECIDED: (EnforcementLevel.MANDATORY, Severity.MEDIUM),
    rules.Severity.WARNING: (EnforcementLevel.ADVISORY, Severity.LOW),
}
"""How a rule is enforced where the configuration says nothing. What is undecided is not taken for right."""


_SENTINELS = {value for name, value in vars(proxy).items() if name.startswith("UNKNOWN_")}
"""What stands for an unknown value where the SDK does not wrap properties: when they are remedied."""


def policies(snapshot: Path) -> list[Policy]:
    """The policies of the pack, for a pack of one's own too; the first one must stay the first.

    Args:
        snapshot: the file of the organization's policies where the configuration of `organization` names none.
    """
    review = Review(base=Settings(snapshot=snapshot))
    return [
        _Organization(review),
        *(_RulePolicy(rule, review) for rule in (*OWN_RULES, *SHARED_RULES)),
        _Live(review),
    ]


def _described(rule: Rule) -> dict[str, Any]:
    """What a policy says of itself, from its rule."""
    level, severity = _LEVELS[rule.severity]
    steps = rule.because
    if rule.example is not None:
        form = "a program in YAML" if rule.code in rules.RESOURCE_RULES else "a spec"
        steps += f"\n\nPut right, as {form} has it:\n\n{rule.example.mends}"
    return {
        "name": rule.code,
        "description": rule.title,
        "enforcement_level": level,
        "severity": severity,
        "remediation_steps": steps,
        "url": f"docs/rules.md#{rule.code}",
    }


class _Organization(ResourceValidationPolicy):  # type: ignore[misc]
    """Takes the configuration, looks at each resource for all policies, and tells why topics are not evaluated."""

    def __init__(self, review: Review) -> None:
        super().__init__(config_schema=PolicyConfigSchema(properties=SCHEMA), **_described(ORGANIZATION))
        self._review = review

    def validate(self, args: ResourceValidationArgs, report_violation: ReportViolation) -> None:
        self._review.configure(args.get_config())
        resource = _topic(args)
        try:
            if args.resource_type == STACK:
                _ = self._review.judge  # so that what is wrong with it is told once, and first
            self._review.begin(args.urn, resource)
        except HedgerowError as error:
            report_violation(_not_evaluated(args.name) if resource else str(error))

    def has_validation(self) -> bool:
        return True


class _RulePolicy(ResourceValidationPolicy):  # type: ignore[misc]
    """Reports what one rule finds about a topic."""

    def __init__(self, rule: Rule, review: Review) -> None:
        remediate = {"remediate": self._remedy} if rule.code == DISALLOWED_REGIONS else {}
        super().__init__(validate=self._report, **remediate, **_described(rule))
        self._review = review

    def has_validation(self) -> bool:
        return self._review.may_concern(self.name)

    def _report(self, args: ResourceValidationArgs, report_violation: ReportViolation) -> None:
        resource = _topic(args)
        if resource is None:
            return
        try:
            for finding in self._review.findings(self.name, resource):
                report_violation(_text(finding))
        except HedgerowError:
            report_violation(_not_evaluated(args.name))

    def _remedy(self, args: ResourceValidationArgs) -> Mapping[str, Any] | None:
        """The topic without its disallowed regions, where some are left; what cannot be remedied is then a violation.

        Nothing is changed before the configuration is known. The program's stack comes before its topics.
        """
        resource = _topic(args)
        if resource is None or not self._review.is_configured:
            return None
        try:
            regions = self._review.judge.remedied(resource)
        except HedgerowError:
            return None
        if regions is None:
            return None
        # Written in place, where the SDK keeps what is secret secret.
        args.props[POLICY][REGIONS] = regions
        properties: Mapping[str, Any] = args.props
        return properties


class _Live(StackValidationPolicy):  # type: ignore[misc]
    """Reports what the service has for topics and the organization does not allow."""

    def __init__(self, review: Review) -> None:
        super().__init__(**_described(LIVE_STORAGE_POLICY))
        self._review = review

    def validate(self, args: StackValidationArgs, report_violation: ReportViolation) -> None:
        try:
            judge = self._review.judge
        except HedgerowError as error:
            report_violation(str(error))
            return
        for resource in _topics(args.resources):
            for finding in judge.live_findings(resource, self._review.told(resource.urn)):
                report_violation(_text(finding), resource.urn)


def _topics(resources: Sequence[PolicyResource]) -> Iterator[TopicResource]:
    return (topic for resource in resources if (topic := _topic(resource)) is not None)


def _topic(args: ResourceValidationArgs | PolicyResource) -> TopicResource | None:
    """A resource as a topic; `None` for one of another type."""
    if args.resource_type != TOPIC:
        return None
    present = set(args.props)  # asking whether a key is in it would raise for an unknown value
    properties = {key: _plain(args.props, key) for key in READ if key in present}
    provider: PolicyProviderResource | None = args.provider
    default = provider and _plain(provider.props, "project") if "project" not in properties else None
    return TopicResource(urn=args.urn, name=args.name, properties=properties, default_project=default)


def _plain(owner: Any, key: str | int) -> Any:
    """A property as a plain value, `UNKNOWN` where the SDK raises an error because it is only known later."""
    try:
        value = owner[key]
    except proxy.UnknownValueError:
        return UNKNOWN
    except KeyError:
        return None
    if isinstance(value, str):
        return UNKNOWN if value in _SENTINELS else value
    if isinstance(value, Mapping):
        return {inner: _plain(value, inner) for inner in value}
    if isinstance(value, Sequence):
        return [_plain(value, index) for index in range(len(value))]
    return value


def _text(finding: Finding) -> str:
    lines = [finding.message, *(f"  {detail}" for detail in finding.details)]
    return "\n".join([*lines, f"  hint: {finding.hint}"] if finding.hint else lines)


def _not_evaluated(name: str) -> str:
    return f"`{name}`: not evaluated, as the organization's policies are not at hand"
