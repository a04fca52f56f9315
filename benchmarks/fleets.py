"""Stacks of any size to measure with, written to a folder: projects, files, topics, and a policy snapshot."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from reconciler.spec.catalogue import load_catalogue

TOPICS_A_FILE = 50
TOPICS_A_PROJECT = 500

_NUMBER = "organizations/123456789012"
_FOLDERS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFleet:
    """A stack on disk: its folder, its snapshot, and the files that hold topics."""

    stack: Path
    snapshot: Path
    files: tuple[Path, ...]


def write_fleet(folder: Path, topics: int) -> WrittenFleet:
    """A stack without mistakes, 50 topics a file and 500 a project, in the mix that the specs of a company have.

    Of ten topics six follow the organization, three list regions and one stays within a value group. All have labels,
    half a retention, a third a schema and a quarter subscribers.
    """
    projects = [f"acme-{number:04}-prod" for number in range(max(1, topics // TOPICS_A_PROJECT))]
    stack, snapshot = folder / "stacks" / "production", folder / "policies" / "organization.yaml"
    stack.mkdir(parents=True)
    snapshot.parent.mkdir()
    snapshot.write_text(json.dumps(organization(projects)), encoding="utf-8")
    lines = ["apiVersion: hedgerow/v1", f"organization: {_NUMBER}", "policySource: ../../policies/organization.yaml"]
    listed = [f"  - {project}" for project in projects]
    (stack / "stack.yaml").write_text("\n".join([*lines, "projects:", *listed, ""]), encoding="utf-8")
    files = []
    for number in range(-(-topics // TOPICS_A_FILE)):
        project = projects[number * TOPICS_A_FILE // TOPICS_A_PROJECT % len(projects)]
        path = stack / project / f"topics-{number:05}.yaml"
        path.parent.mkdir(exist_ok=True)
        first = number * TOPICS_A_FILE
        entries = [_entry(index) for index in range(first, min(first + TOPICS_A_FILE, topics))]
        path.write_text(_HEAD.format(project=project) + "".join(entries), encoding="utf-8")
        files.append(path)
    return WrittenFleet(stack=stack, snapshot=snapshot, files=tuple(files))


def write_publishers(fleet: WrittenFleet, services: int) -> None:
    """Adds services to a fleet of at least as many topics, 50 a file: each publishes to two, hedged to one of them."""
    names = [
        f"projects/{path.parent.name}/topics/{line.removeprefix('  - name: ').strip()}"
        for path in fleet.files
        for line in path.read_text("utf-8").splitlines()
        if line.startswith("  - name: ")
    ]
    (fleet.stack / "profiles.yaml").write_text(_PROFILES, encoding="utf-8")
    for first in range(0, services, TOPICS_A_FILE):
        entries = [_service(index, names) for index in range(first, min(first + TOPICS_A_FILE, services))]
        path = fleet.stack / f"publishers-{first:05}.yaml"
        path.write_text("apiVersion: hedgerow/v1\npublishers:\n" + "".join(entries), encoding="utf-8")


def organization(projects: list[str]) -> dict[str, object]:
    """A snapshot whose folders allow groups and regions in different ways, and whose projects hang below them."""
    folders = [f"folders/{number + 1}" for number in range(_FOLDERS)]
    eu = [name for name in sorted(load_catalogue().regions) if name.startswith("europe-west")]
    policies = [_policy(_NUMBER, ["in:eu-locations", "in:us-locations"])]
    policies += [_policy(node, ["in:eu-locations"]) for node in folders[1::2]]
    policies += [_policy(f"projects/{name}", [f"in:{region}-locations" for region in eu]) for name in projects[::10]]
    return {
        "apiVersion": "hedgerow/v1",
        "organization": _NUMBER,
        "capturedAt": "2026-11-30T02:00:00Z",
        "resources": [
            {"name": _NUMBER},
            *({"name": node, "parent": _NUMBER} for node in folders),
            *(
                {"name": f"projects/{name}", "number": str(10**11 + index), "parent": folders[index % _FOLDERS]}
                for index, name in enumerate(projects)
            ),
        ],
        "policies": policies,
    }


def _policy(node: str, allowed: list[str]) -> dict[str, object]:
    return {
        "name": f"{node}/policies/gcp.resourceLocations",
        "spec": {"rules": [{"values": {"allowedValues": allowed}}]},
    }


_HEAD = """\
apiVersion: hedgerow/v1
defaults:
  project: {project}
  labels:
    cost-center: cc-1234
    owner: platform
topics:
"""


def _entry(index: int) -> str:
    lines = [
        f"  - name: orders-{index:06}",
        "    labels:",
        f"      team: team-{index % 40}",
        f"      component: component-{index % 300}",
        f"      data-class: {('public', 'internal', 'personal')[index % 3]}",
        "      tier: gold",
    ]
    if index % 10 in (1, 4, 7):
        lines += [
            "    messageStoragePolicy:",
            "      allowedPersistenceRegions:",
            "        - europe-west1",
            f"        - europe-west{3 + index % 2}",
        ]
    elif index % 10 == 8:
        lines += ["    messageStoragePolicy:", "      within: [in:eu-locations]"]
    elif index % 10 == 9:
        lines += ["    messageStoragePolicy: inherit"]
    if index % 2 == 0:
        lines += ["    messageRetentionDuration: 604800s"]
    if index % 3 == 0:
        schema = f"projects/acme-schemas-prod/schemas/order-{index % 50}"
        lines += ["    schemaSettings:", f"      schema: {schema}", "      encoding: JSON"]
    if index % 4 == 3:
        lines += ["    subscribers:"]
        lines += [f"      - {{name: {name}, regions: [europe-west1], delivery: pull}}" for name in ("billing", "audit")]
    return "".join(f"{line}\n" for line in lines)


_PROFILES = """\
apiVersion: hedgerow/v1
hedgingProfiles:
  eager: {hedgeDelay: 200ms, maxTokens: 100, refillRatio: 0.05}
"""


def _service(index: int, names: list[str]) -> str:
    return f"""\
  - service: service-{index:05}
    language: {("java", "go", "rust")[index % 3]}
    duplicatesTolerated: true
    regions: [europe-west1]
    topics:
      - topic: {names[index]}
        hedging: eager
      - topic: {names[(index + 7) % len(names)]}
        hedging: "off"
        retry: {{totalTimeout: 120s}}
"""
