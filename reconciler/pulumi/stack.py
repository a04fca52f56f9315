"""Loading a stack and holding it against the rules, before anything is declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from reconciler.errors import InvalidInput, Position, UsageError, told
from reconciler.model import Exemptions
from reconciler.pulumi.allowed import load_allowed
from reconciler.pulumi.declared import DeclaredTopic, declare
from reconciler.rules import Finding, Severity, check
from reconciler.spec import load_fleet


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A stack that may be declared.

    Attributes:
        topics: in the fleet's order.
        warnings: what is odd or exempt and forbids nothing, each as text.
        fingerprint: what it was computed from, under the same keys as in a saved plan's `computedFrom`: `specs`,
            `policies` by project, `catalogue`. Where a plan differs, the differing key says what moved.
    """

    topics: tuple[DeclaredTopic, ...]
    warnings: tuple[str, ...]
    fingerprint: Mapping[str, Any]


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


def load_declaration(stacks: Path, name: str, *, today: date) -> Declaration:
    """Loads and checks the stack `name` of the folder `stacks`, with the exemptions that count on a day (in UTC).

    Raises:
        UsageError: when there is no such stack.
        InvalidInput: when a file cannot be used.
        NotEvaluated: when a live policy could not be read.
        ViolatedRules: when a rule is broken, or cannot be decided.
    """
    loaded = load_fleet(_folder(stacks, name), display=f"{stacks.name}/{name}")
    fleet = loaded.fleet
    allowed = load_allowed(fleet.stack)
    findings = check(fleet, allowed.policies, allowed.catalogue, today=today)
    forbidding = [f for f in findings if f.severity in (Severity.ERROR, Severity.UNDECIDED)]
    if forbidding:
        raise ViolatedRules([_text(finding, loaded.locate(finding.origin)) for finding in forbidding])
    warnings = [*map(str, loaded.warnings), *(_text(finding, loaded.locate(finding.origin)) for finding in findings)]
    known = {project: policy for project, policy in allowed.policies.items() if policy is not None}
    return Declaration(
        topics=declare(fleet, known, allowed.catalogue, exemptions=Exemptions.in_force(fleet.exemptions, today)),
        warnings=tuple(warnings),
        fingerprint={
            "specs": fleet.fingerprint,
            "policies": {project: policy.fingerprint for project, policy in sorted(known.items())},
            "catalogue": allowed.catalogue.as_of,
        },
    )


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
    if (folder / "stack.yaml").is_file():
        return folder
    present = sorted(found.parent.name for found in stacks.glob("*/stack.yaml"))
    raise UsageError(
        f"there is no stack `{name}`: `{folder / 'stack.yaml'}` does not exist",
        hint=f"`pulumi config set hedgerow:stack` to one of these: {', '.join(present) or 'none yet'}",
    )
