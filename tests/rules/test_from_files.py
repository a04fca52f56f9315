"""The whole way: files of a stack and a snapshot to findings with their lines."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from reconciler.rules import check
from reconciler.spec import load_catalogue, load_fleet, load_snapshot

STACK = """\
organization: organizations/1
policySource: organization.yaml
projects: [acme-billing, acme-lab, acme-orders]
"""

SNAPSHOT = """\
organization: organizations/1
resources:
  - {name: organizations/1}
  - {name: folders/456, parent: organizations/1}
  - {name: projects/acme-billing, parent: organizations/1}
  - {name: projects/acme-lab, parent: folders/456}
  - {name: projects/acme-orders, parent: organizations/1}
policies:
  - name: folders/456/policies/gcp.resourceLocations
    spec: {rules: [{values: {allowedValues: ["in:eu-locations"]}}]}
"""

DEFAULTS = """\
defaults:
  messageStoragePolicy:
    allowedPersistenceRegions: [europe-west1, us-east1]
"""

TOPICS = """\
topics:
  - {name: one, project: acme-billing}
  - {name: two, project: acme-lab}
  - {name: three, project: acme-lab}
  - {name: four, project: acme-orders}
  - name: five
    project: acme-lab
    messageStoragePolicy:
      allowedPersistenceRegions:
        - europe-west1
        - europe-west2
"""


def test_findings_are_placed_where_the_region_is_written(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name, text in {
        "stack.yaml": STACK,
        "organization.yaml": SNAPSHOT,
        "defaults.yaml": DEFAULTS,
        "below/topics.yaml": TOPICS,
    }.items():
        (tmp_path / name).write_text(text)

    loaded = load_fleet(tmp_path, display="s")
    snapshot = load_snapshot(Path(loaded.fleet.stack.policy_source))
    catalogue = load_catalogue().with_groups(snapshot.value_groups)
    policies = {project: snapshot.effective_policy(project, catalogue) for project in loaded.fleet.stack.projects}
    findings = check(loaded.fleet, policies, catalogue, today=date(2026, 11, 30))

    assert [(str(loaded.locate(finding.origin)), finding.message) for finding in findings] == [
        ("s/below/topics.yaml:11:11", "`five`: region `europe-west2` is not allowed in `acme-lab`"),
        (
            "s/defaults.yaml:3:47",
            "2 topics in 1 project take region `us-east1` from this default; it is not allowed there",
        ),
    ]
