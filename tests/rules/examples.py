"""The stack and the organization that the manual's examples are read into, and what reading one of them finds."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import yaml

from reconciler.rules import check
from reconciler.spec import InvalidSpecs, load_catalogue, load_fleet, load_snapshot

TODAY = date(2026, 11, 30)

STACK = {
    "organization": "organizations/123456789012",
    "policySource": "../../organization.yaml",
    "projects": [
        "acme-billing-prod",
        "acme-keys",
        "acme-lab",
        "acme-new",
        "acme-open",
        "acme-orders-prod",
    ],
}

SPECS = """\
topics:
  - name: projects/acme-orders-prod/topics/orders
  - name: projects/acme-billing-prod/topics/payments
hedgingProfiles:
  standard: {hedgeDelay: 1s, maxTokens: 50, refillRatio: 0.1}
"""

SNAPSHOT = """\
organization: organizations/123456789012
resources:
  - {name: organizations/123456789012}
  - {name: folders/456, parent: organizations/123456789012}
  - {name: projects/acme-billing-prod, number: "222222222222", parent: folders/456}
  - {name: projects/acme-lab, number: "333333333333", parent: organizations/123456789012}
  - {name: projects/acme-open, number: "444444444444", parent: organizations/123456789012}
  - {name: projects/acme-orders-prod, number: "111111111111", parent: folders/456}
policies:
  - name: folders/456/policies/gcp.resourceLocations
    spec: {rules: [{values: {allowedValues: ["in:europe-west1-locations", "in:europe-west4-locations"]}}]}
  - name: projects/acme-billing-prod/policies/pubsub.enforceInTransitRegions
    spec: {rules: [{enforce: true}]}
  - name: projects/acme-lab/policies/gcp.resourceLocations
    spec: {rules: [{values: {allowedValues: ["in:acme-lab-locations"]}}]}
"""

_IN_SNAPSHOT = ("resources", "policies", "effective", "valueGroups")


def codes(snippet: str, folder: Path) -> set[str]:
    """The codes of all that is found once a snippet is part of the stack, as a file's form or as a rule breaks it."""
    parts: dict[str, Any] = yaml.load(snippet, yaml.BaseLoader)  # noqa: S506 - plain texts, as YAML 1.2 has them
    snapshot: dict[str, Any] = yaml.safe_load(SNAPSHOT)
    for key in _IN_SNAPSHOT:
        if key in parts and key in ("resources", "policies"):
            names = {entry["name"] for entry in parts[key]}
            snapshot[key] = [entry for entry in snapshot[key] if entry["name"] not in names]
            snapshot[key] += yaml.safe_load(snippet)[key]
        elif key in parts:
            snapshot[key] = yaml.safe_load(snippet)[key]
    stack = {**STACK, **{key: parts[key] for key in ("rules",) if key in parts}}
    specs = folder / "stacks" / "production"
    (specs / "standard").mkdir(parents=True)
    (specs / "stack.yaml").write_text(yaml.safe_dump(stack), encoding="utf-8")
    (specs / "standard" / "specs.yaml").write_text(SPECS, encoding="utf-8")
    (folder / "organization.yaml").write_text(yaml.safe_dump(snapshot), encoding="utf-8")
    if own := _without(snippet, (*_IN_SNAPSHOT, "rules")):
        (specs / "example.yaml").write_text(own, encoding="utf-8")
    try:
        loaded = load_fleet(specs)
    except InvalidSpecs as invalid:
        return {problem.code for problem in invalid.problems}
    read = load_snapshot(folder / "organization.yaml")
    catalogue = load_catalogue().with_groups(read.value_groups)
    policies = {project: read.effective_policy(project, catalogue) for project in loaded.fleet.stack.projects}
    findings = check(loaded.fleet, policies, catalogue, today=TODAY)
    return {warning.code for warning in loaded.warnings} | {finding.code for finding in findings}


def _without(snippet: str, keys: tuple[str, ...]) -> str:
    """A snippet's text without some of its top-level keys; the rest stays as it is written."""
    kept, is_kept = [], True
    for line in snippet.splitlines(keepends=True):
        if not line.startswith((" ", "\n")):
            is_kept = line.partition(":")[0] not in keys
        kept += [line] if is_kept else []
    return "".join(kept)
