"""Loading a stack and holding it against the rules, before anything is declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from reconciler.errors import InvalidInput, Position, UsageError, told
from reconciler.model import Exemptions, Fleet, OneStack, ProviderSettings, shards
from reconciler.pulumi.adoption import existing_topics
from reconciler.pulumi.allowed import load_allowed
from reconciler.pulumi.declared import DeclaredTopic, declare
from reconciler.rules import Finding, Severity, check
from reconciler.spec import load_fleet


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What a Pulumi stack may declare: a stack, or its part of one that is split.

    Attributes:
        topics: in the fleet's order.
        warnings: what is odd or exempt and forbids nothing, each as text.
        fingerprint: what it was computed from, under the same keys as in a saved plan's `computedFrom`: `specs`,
            `policies` by project, `catalogue`. Where a plan differs, the differing key says what moved. That of a part
            is of its own topics and their projects, so that it moves only with them.
        provider: settings of the `gcp` provider, if the stack has any.
    """

    topics: tuple[DeclaredTopic, ...]
    warnings: tuple[str, ...]
    fingerprint: Mapping[str, Any]
    provider: ProviderSettings | None = None


class ViolatedRules(InvalidInput):
    """Findings that forbid to declare a stack: errors, and what could not be decided.

    A program declares all of its topics or none: Pulumi deletes what a program no longer declares, so a topic cannot
    be left out until its policy is known.
    """

    def __init__(self, findings: Sequence[str]) -> None:
        count = "1 finding" if len(findings) == 1 else f"{len(findings)} findings"
        super().__init__(f"{count}; no topic was declared")
        self.findings = tuple(findings)

    def __str__(self) -> str:
        return "\n".join([*self.findings, f"error: {self.message}"])


def load_declaration(
    stacks: Path,
    pulumi_stack: str,
    *,
    today: date,
    folder: str | None = None,
    environment: Mapping[str, str] | None = None,
    adopt: bool = False,
) -> Declaration:
    """Loads and checks what a Pulumi stack declares, with the exemptions that count on a day (in UTC).

    What is wrong with the other parts of a stack that is split does not stop this one.

    Args:
        stacks: the folder of all stacks.
        pulumi_stack: the name of the Pulumi stack.
        today: the day.
        folder: the stack's folder in `stacks`; by default the one whose name the Pulumi stack has or begins with.
        environment: variables that say where the Google Cloud APIs are (`reconciler.gcp.connection_of`).
        adopt: whether topics that are live are declared as ones to take over.

    Raises:
        UsageError: when there is no such stack, or no such part of it.
        InvalidInput: when a file cannot be used.
        NotEvaluated: when a live policy, or which topics are there, could not be read.
        ViolatedRules: when a rule is broken, or cannot be decided.
    """
    name = folder or stack_named(stacks, pulumi_stack)
    loaded = load_fleet(_folder(stacks, name), display=f"{stacks.name}/{name}")
    fleet = loaded.fleet
    part = _part(fleet, pulumi_stack, anything=folder is not None or name == pulumi_stack)
    projects = _projects(fleet, part)
    allowed = load_allowed(fleet.stack, projects, environment or {})
    elsewhere = {str(topic.name) for topic in fleet.topics if topic.name not in part.by_name}
    elsewhere |= set(fleet.stack.projects) - set(projects)
    findings = [
        finding
        for finding in check(fleet, allowed.policies, allowed.catalogue, today=today)
        if finding.subject not in elsewhere
    ]
    forbidding = [f for f in findings if f.severity in (Severity.ERROR, Severity.UNDECIDED)]
    if forbidding:
        raise ViolatedRules([_text(finding, loaded.locate(finding.origin)) for finding in forbidding])
    warnings = [*map(str, loaded.warnings), *(_text(finding, loaded.locate(finding.origin)) for finding in findings)]
    known = {project: policy for project, policy in allowed.policies.items() if policy is not None}
    return Declaration(
        topics=declare(
            part,
            known,
            allowed.catalogue,
            exemptions=Exemptions.in_force(fleet.exemptions, today),
            existing=existing_topics(fleet.stack, projects, environment or {}) if adopt else (),
        ),
        warnings=tuple(warnings),
        fingerprint={
            "specs": part.fingerprint,
            "policies": {project: policy.fingerprint for project, policy in sorted(known.items())},
            "catalogue": allowed.catalogue.as_of,
        },
        provider=fleet.stack.pulumi.provider,
    )


def stack_named(stacks: Path, pulumi_stack: str) -> str:
    """The folder that a Pulumi stack is named after: its own name, or the longest one that its name continues."""
    if _is_stack(stacks / pulumi_stack):
        return pulumi_stack
    begun = [found for found in _present(stacks) if pulumi_stack.startswith(f"{found}-")]
    return max(begun, key=len, default=pulumi_stack)


def _part(fleet: Fleet, pulumi_stack: str, *, anything: bool) -> Fleet:
    """What a Pulumi stack declares of a fleet; one that is not split is declared by `anything` that asks for it."""
    if isinstance(fleet.stack.pulumi.split, OneStack) and anything:
        return fleet
    parts, name = shards(fleet), fleet.stack.name
    if pulumi_stack not in parts:
        names = list(parts)
        listed = ", ".join(f"`{one}`" for one in names[:3]) + (f" and {len(names) - 3} more" if names[3:] else "")
        hint = f"hedgerow pulumi stacks {name}; docs/pulumi.md says how topics move from one to another"
        if isinstance(fleet.stack.pulumi.split, OneStack):
            hint = f"`pulumi config set hedgerow:stack {name}`, if it is to declare that stack"
        message = f"the Pulumi stack `{pulumi_stack}` declares nothing of `{name}`, which is declared by {listed}"
        raise UsageError(message, hint=hint)
    return parts[pulumi_stack]


def _projects(fleet: Fleet, part: Fleet) -> tuple[str, ...]:
    """The projects that a part needs to know about; for the whole, all of the stack's."""
    if part is fleet:
        return fleet.stack.projects
    return tuple(sorted({topic.name.project for topic in part.topics}))


def _text(finding: Finding, position: Position) -> str:
    lines = told(
        position=position,
        severity=finding.severity,
        code=finding.code,
        message=finding.message,
        details=finding.details,
        hint=finding.hint,
    )
    return "\n".join(lines)


def _folder(stacks: Path, name: str) -> Path:
    folder = stacks / name
    if _is_stack(folder):
        return folder
    raise UsageError(
        f"there is no stack `{name}`: `{folder / 'stack.yaml'}` does not exist",
        hint=f"`pulumi config set hedgerow:stack` to one of these: {', '.join(_present(stacks)) or 'none yet'}",
    )


def _present(stacks: Path) -> list[str]:
    return sorted(found.parent.name for found in stacks.glob("*/stack.yaml"))


def _is_stack(folder: Path) -> bool:
    return (folder / "stack.yaml").is_file()
