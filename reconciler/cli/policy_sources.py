"""Where the `policy` commands take the organization from: a snapshot file, or the API now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from reconciler.cli.output import say
from reconciler.cli.surroundings import connection
from reconciler.errors import ExitCode, NotEvaluated
from reconciler.model import LIVE, Stack
from reconciler.orgpolicy import Catalogue, Snapshot
from reconciler.report import counted
from reconciler.spec import load_catalogue, load_snapshot, parse_snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An organization, and what messages call it."""

    snapshot: Snapshot
    name: str

    @property
    def catalogue(self) -> Catalogue:
        """The built-in catalogue with the snapshot's own value groups."""
        return load_catalogue().with_groups(self.snapshot.value_groups)


def snapshot_source(path: Path) -> Source:
    """The organization of a snapshot file.

    Raises:
        InvalidSpecs: when it cannot be used.
    """
    snapshot = load_snapshot(path)
    captured = (snapshot.captured_at or "").replace("T", " ").removesuffix("Z").removesuffix(":00")
    return Source(snapshot=snapshot, name=f"the snapshot of {captured} UTC" if captured else f"the snapshot {path}")


def stack_source(stack: Stack, projects: Iterable[str] = ()) -> Source:
    """The organization of a stack: its snapshot, or for `policySource: live` what the API says now.

    Args:
        stack: the stack.
        projects: which to read live; the stack's by default.
    """
    if stack.policy_source != LIVE:
        return snapshot_source(Path(stack.policy_source))
    body = captured_body(stack, tuple(projects) or stack.projects)
    return Source(snapshot=parse_snapshot(body, "the live policies"), name="the live policies")


def captured_body(stack: Stack, projects: Iterable[str]) -> dict[str, Any]:
    """What the API says now about some projects, as the body of a snapshot.

    Raises:
        click.exceptions.Exit: with code 4, when something of it could not be read; all of that is printed.
    """
    link = connection(stack)
    from reconciler.gcp import capture  # see `connection`

    found = capture(projects, link)
    unread = dict(found.unread)
    conditions = any(_has_condition(policy) for policy in found.policies)
    if conditions:
        # A condition is decided by tags, so that without them nothing that hangs on it could be trusted.
        unread |= found.tags_unread
    if unread:
        for name, why in sorted(unread.items()):
            say(f"error: {name}: {why.reason}", *([f"  hint: {why.hint}"] if why.hint else []))
        say(f"{counted(len(unread), 'resource')} could not be read, so nothing was captured")
        raise click.exceptions.Exit(ExitCode.NOT_EVALUATED)
    if found.tags_unread:
        say(f"tags of {counted(len(found.tags_unread), 'resource')} could not be read; no policy asks for them")
    roots = [one["name"] for one in found.resources if one["name"].startswith("organizations/")]
    if roots and roots != [stack.organization]:
        raise NotEvaluated(
            f"the projects lie in {', '.join(roots)}, not in {stack.organization}",
            hint="correct `organization` or `projects` in stack.yaml",
        )
    return {
        "apiVersion": "hedgerow/v1",
        "organization": stack.organization,
        "capturedAt": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "resources": found.resources,
        "policies": found.policies,
        "effective": found.effective,
        "tagKeys": found.tag_keys,
    }


def _has_condition(policy: Mapping[str, Any]) -> bool:
    specs = [policy.get("spec", {}), policy.get("dryRunSpec", {})]
    return any("condition" in rule for spec in specs for rule in spec.get("rules", ()))
