from __future__ import annotations

from pathlib import Path

import pytest

from reconciler.model import RegionSet
from reconciler.orgpolicy import ENFORCE_IN_TRANSIT, RESOURCE_LOCATIONS, Policy, Resource, Rule, Snapshot, TagKey
from reconciler.spec import InvalidSpecs, load_snapshot

TREE = """\
organization: organizations/1
resources:
  - {name: organizations/1, displayName: acme.example}
  - {name: folders/4, parent: organizations/1}
  - {name: projects/acme-orders, number: "42", parent: folders/4, tags: {1/env: prod}}
"""


def load(folder: Path, text: str) -> Snapshot:
    path = folder / "organization.yaml"
    path.write_text(text)
    return load_snapshot(path, display="o.yaml")


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(InvalidSpecs) as invalid:
        load(folder, text)
    return [str(problem) for problem in invalid.value.problems]


def test_a_snapshot_is_read_whole(tmp_path: Path) -> None:
    text = (
        "apiVersion: hedgerow/v1\ncapturedAt: 2026-11-30T02:00:00Z\n"
        + TREE
        + """\
policies:
  - name: folders/4/policies/gcp.resourceLocations
    etag: abc
    spec:
      etag: abc
      updateTime: 2026-01-01T00:00:00Z
      inheritFromParent: true
      rules: [{values: {allowedValues: ["in:eu-locations"]}}]
    dryRunSpec: {rules: [{denyAll: true}]}
  - resource: organizations/1
    constraint: constraints/pubsub.enforceInTransitRegions
    version: 0
    updateTime: 2026-01-01T00:00:00Z
    booleanPolicy: {enforced: true}
effective:
  - name: projects/42/policies/gcp.resourceLocations
    spec: {rules: [{values: {allowedValues: [europe-west1, europe-west1-b, eu]}}]}
  - name: folders/4/policies/gcp.resourceLocations
    spec: {rules: [{allowAll: true}]}
valueGroups:
  in:benelux-locations: [europe-west1, europe-west4]
tagKeys:
  1/env: {id: tagKeys/7, values: {prod: tagValues/70}}
  1/team: {id: tagKeys/8}
"""
    )

    assert load(tmp_path, text) == Snapshot(
        organization="organizations/1",
        captured_at="2026-11-30T02:00:00Z",
        resources={
            "organizations/1": Resource(name="organizations/1", display_name="acme.example"),
            "folders/4": Resource(name="folders/4", parent="organizations/1"),
            "projects/acme-orders": Resource(
                name="projects/acme-orders", parent="folders/4", number="42", tags={"1/env": "prod"}
            ),
        },
        policies={
            ("folders/4", RESOURCE_LOCATIONS): Policy(
                resource="folders/4",
                constraint=RESOURCE_LOCATIONS,
                inherit=True,
                rules=(Rule(number=1, allowed=("in:eu-locations",)),),
                dry_run=Policy(
                    resource="folders/4", constraint=RESOURCE_LOCATIONS, rules=(Rule(number=1, deny_all=True),)
                ),
            ),
            ("organizations/1", ENFORCE_IN_TRANSIT): Policy(
                resource="organizations/1", constraint=ENFORCE_IN_TRANSIT, rules=(Rule(number=1, enforce=True),)
            ),
        },
        effective={
            ("acme-orders", RESOURCE_LOCATIONS): Policy(
                resource="projects/acme-orders",
                constraint=RESOURCE_LOCATIONS,
                rules=(Rule(number=1, allowed=("europe-west1", "europe-west1-b", "eu")),),
            )
        },
        value_groups={"in:benelux-locations": RegionSet.of("europe-west1", "europe-west4")},
        tag_keys={"1/env": TagKey(id="tagKeys/7", values={"prod": "tagValues/70"}), "1/team": TagKey(id="tagKeys/8")},
    )


def test_a_dry_run_is_of_the_same_project_whether_it_is_named_by_id_or_number(tmp_path: Path) -> None:
    text = TREE + "policies: [{name: projects/42/policies/gcp.resourceLocations, dryRunSpec: {reset: true}}]\n"

    policy = load(tmp_path, text).policies["projects/acme-orders", RESOURCE_LOCATIONS]

    assert policy.dry_run == Policy(resource="projects/acme-orders", constraint=RESOURCE_LOCATIONS, reset=True)


def test_a_snapshot_needs_no_policies(tmp_path: Path) -> None:
    assert load(tmp_path, TREE).projects == ("acme-orders",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            TREE + "policy: []\n",
            ["o.yaml:6:1: error: unknown key `policy`  [spec-unknown-key]\n  hint: write `policies`"],
        ),
        (
            TREE.replace("displayName", "title"),
            [
                (
                    "o.yaml:3:29: error: `organizations/1`: unknown key `title`  [spec-unknown-key]\n"
                    "  hint: `title` belongs in `condition`"
                )
            ],
        ),
        (
            TREE + "  - {name: folders/5, parent: folders/9}\n",
            [
                (
                    "o.yaml:6:23: error: `folders/5`: the parent `folders/9` is not in `resources`  [snapshot-parent]\n"
                    "  hint: add it, or correct the name"
                )
            ],
        ),
        (
            TREE + "  - {name: folders/5}\n",
            [
                (
                    "o.yaml:6:5: error: `folders/5` has no `parent`  [snapshot-parent]\n"
                    "  hint: write `parent: folders/...` or `parent: organizations/...`"
                )
            ],
        ),
        (
            TREE
            + "  - {name: folders/7, parent: folders/6}\n  - {name: folders/6, parent: folders/7}\n"
            + "  - {name: folders/8, parent: folders/8}\n  - {name: folders/9, parent: folders/6}\n",
            [
                (
                    "o.yaml:7:23: error: the parents go in a circle: `folders/6` -> `folders/7` -> `folders/6`  "
                    "[snapshot-cycle]\n  hint: correct one of the parents"
                ),
                (
                    "o.yaml:8:23: error: the parents go in a circle: `folders/8` -> `folders/8`  [snapshot-cycle]\n"
                    "  hint: correct one of the parents"
                ),
            ],
        ),
        (
            TREE + "  - {name: folders/4, parent: organizations/1}\n",
            [
                (
                    "o.yaml:6:5: error: `folders/4` is listed twice  [snapshot-duplicate]\n"
                    "  first at o.yaml:4:5\n  hint: keep one"
                )
            ],
        ),
        (
            TREE + '  - {name: projects/acme-billing, number: "42", parent: folders/4}\n',
            [
                (
                    "o.yaml:6:35: error: `projects/acme-billing`: the number 42 belongs to another project  "
                    "[snapshot-duplicate]\n  first at o.yaml:5:34"
                )
            ],
        ),
        (
            TREE + "  - {name: projects/42, parent: folders/4}\n",
            [
                (
                    "o.yaml:6:6: error: `projects/42` does not name a project by its id  [snapshot-name]\n"
                    "  hint: write the id in `name`, and the number in `number`"
                )
            ],
        ),
        (
            TREE + '  - {name: folders/5, parent: folders/4, number: "5"}\n',
            ["o.yaml:6:42: error: `folders/5`: only projects have a `number`  [snapshot-number]"],
        ),
        (
            TREE.replace('"42"', "42"),
            [
                (
                    "o.yaml:5:34: error: `projects/acme-orders`: `number` is the number 42 where a "
                    "project number in quotes "
                    "belongs  [spec-type]\n  hint: put quotes around it"
                )
            ],
        ),
        (
            TREE + "  - {name: organizations/2, parent: organizations/1}\n",
            [
                (
                    "o.yaml:6:6: error: `organizations/2` is not the organization of this snapshot, `organizations/1`  "
                    "[snapshot-organization]"
                ),
                "o.yaml:6:29: error: `organizations/2`: an organization has no parent  [snapshot-parent]",
            ],
        ),
        (
            TREE + "policies:\n  - {name: folders/9/policies/gcp.resourceLocations, spec: {reset: true}}\n",
            [
                (
                    "o.yaml:7:6: error: `folders/9` is not in `resources`  [snapshot-resource]\n"
                    "  hint: add it, or correct the name"
                )
            ],
        ),
        (
            TREE + "effective:\n  - {name: projects/77/policies/gcp.resourceLocations, spec: {reset: true}}\n",
            [
                (
                    "o.yaml:7:6: error: `projects/77` is not in `resources`  [snapshot-resource]\n"
                    '  hint: write `number: "77"` at its project, or name the project by its id'
                )
            ],
        ),
        (
            TREE
            + "policies:\n  - {name: projects/42/policies/gcp.resourceLocations, spec: {reset: true}}\n"
            + "  - {resource: projects/acme-orders, constraint: constraints/gcp.resourceLocations, "
            "restoreDefault: {}}\n",
            [
                (
                    "o.yaml:8:6: error: `projects/acme-orders` has two policies for `gcp.resourceLocations`  "
                    "[snapshot-duplicate]\n  first at o.yaml:7:6\n  hint: keep one"
                )
            ],
        ),
        (
            TREE
            + "policies:\n  - name: folders/4/policies/gcp.resourceLocations\n    spec:\n      rules:\n        - {}\n",
            [
                (
                    "o.yaml:10:11: error: a rule holds exactly one of `values`, `allowAll`, `denyAll` and `enforce`  "
                    "[snapshot-policy]"
                )
            ],
        ),
        (
            TREE
            + "policies:\n  - {name: folders/4/policies/gcp.resourceLocations, spec: {inheritFromParent: 'false'}}\n",
            [
                (
                    "o.yaml:7:61: error: `folders/4/policies/gcp.resourceLocations`: `inheritFromParent` is the text "
                    '"false" where `true` or `false` belongs  [spec-type]\n  hint: write `false` without quotes'
                )
            ],
        ),
        (
            TREE + "policies:\n  - name: folders/4/policies/gcp.resourceLocations\n    spec: {rules: "
            "[{values: {allowed: [us]}}]}\n",
            [
                (
                    "o.yaml:8:30: error: `folders/4/policies/gcp.resourceLocations`: unknown key "
                    "`allowed` in `values`  "
                    "[spec-unknown-key]\n  hint: write `allowedValues`"
                )
            ],
        ),
        (
            TREE + "policies:\n  - {name: folders/4, listPolicy: {condition: {}}}\n",
            [
                (
                    "o.yaml:7:6: error: `folders/4` does not name a policy  [snapshot-policy]\n"
                    "  hint: write `RESOURCE/policies/CONSTRAINT`, for example "
                    "`folders/456/policies/gcp.resourceLocations`"
                )
            ],
        ),
        (
            TREE + "valueGroups: {benelux: [europe-west1], in:x-locations: [eu]}\n",
            [
                (
                    "o.yaml:6:15: error: `benelux` is not a value group  [group-malformed]\n"
                    "  hint: write `in:benelux-locations`"
                ),
                (
                    "o.yaml:6:57: error: `in:x-locations`: `eu` is a multi-region, and Pub/Sub keeps "
                    "messages in single "
                    "regions  [region-multi]\n  hint: list the regions one by one"
                ),
            ],
        ),
        (
            "organization: acme\nresources: []\n",
            [
                (
                    'o.yaml:1:1: error: `organization` is the text "acme", not the name of an '
                    "organization  [spec-value]\n"
                    "  hint: write for example `organizations/123456789012`"
                )
            ],
        ),
        (
            TREE + "capturedAt: 2026-11-30\n",
            [
                (
                    'o.yaml:6:1: error: `capturedAt` is the text "2026-11-30", not a time in UTC  [spec-value]\n'
                    "  hint: write for example `2026-11-30T02:00:00Z`"
                )
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_snapshot(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert problems(tmp_path, text) == expected


def test_a_snapshot_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(InvalidSpecs) as invalid:
        load_snapshot(tmp_path / "organization.yaml", display="o.yaml")

    assert str(invalid.value) == (
        "o.yaml: error: the file cannot be read: No such file or directory  [spec-unreadable]\n1 error in 1 file"
    )
