"""Captured snapshots as files: sorted, readable in a review, equal when nothing changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reconciler.orgpolicy import RESOURCE_LOCATIONS, Policy, Rule
from reconciler.spec import (
    InvalidSpecs,
    load_policies,
    load_snapshot,
    parse_snapshot,
    renewed_snapshot,
    snapshot_text,
)

CAPTURED: dict[str, Any] = {
    "apiVersion": "hedgerow/v1",
    "organization": "organizations/1",
    "capturedAt": "2026-11-30T02:00:00Z",
    "resources": [
        {"name": "organizations/1", "displayName": "acme: yes & no", "tags": {}},
        {"name": "projects/acme-orders", "number": "42", "parent": "organizations/1", "tags": {"1/env": "on"}},
    ],
    "policies": [
        {
            "name": "organizations/1/policies/gcp.resourceLocations",
            "spec": {"rules": [{"values": {"allowedValues": ["in:eu-locations", "us-east1"]}}]},
        }
    ],
    "effective": [],
    "tagKeys": {"1/env": {"id": "tagKeys/7", "values": {"on": "tagValues/70"}}},
}

TEXT = """\
# Captured by `hedgerow policy snapshot`, which keeps `valueGroups` and writes everything else anew.
apiVersion: hedgerow/v1
organization: organizations/1
capturedAt: 2026-11-30T02:00:00Z
resources:
  - {name: organizations/1, displayName: 'acme: yes & no', tags: {}}
  - {name: projects/acme-orders, number: '42', parent: organizations/1, tags: {1/env: 'on'}}
policies:
  - name: organizations/1/policies/gcp.resourceLocations
    spec:
      rules:
      - values:
          allowedValues:
          - in:eu-locations
          - us-east1
tagKeys:
  1/env: {id: tagKeys/7, values: {'on': tagValues/70}}
"""

LATER = {**CAPTURED, "capturedAt": "2026-12-24T18:00:00Z"}


def test_a_resource_and_a_value_have_a_line_each() -> None:
    assert snapshot_text(CAPTURED) == TEXT


def test_what_is_written_reads_back_as_what_was_captured(tmp_path: Path) -> None:
    path = tmp_path / "organization.yaml"
    path.write_text(snapshot_text(CAPTURED))

    assert load_snapshot(path) == parse_snapshot(CAPTURED, "captured")


def test_capturing_twice_gives_equal_bytes(tmp_path: Path) -> None:
    path = tmp_path / "organization.yaml"
    path.write_text(snapshot_text(renewed_snapshot(CAPTURED, path)))

    assert snapshot_text(renewed_snapshot(LATER, path)) == path.read_text() == TEXT


def test_the_time_changes_with_anything_else(tmp_path: Path) -> None:
    path = tmp_path / "organization.yaml"
    path.write_text(TEXT)

    assert renewed_snapshot({**LATER, "policies": []}, path) == {**LATER, "policies": []}


def test_value_groups_that_were_written_by_hand_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "organization.yaml"
    groups = "valueGroups:\n  in:benelux-locations: [europe-west1, europe-west4]\n"
    path.write_text(TEXT + groups)

    assert snapshot_text(renewed_snapshot(LATER, path)) == TEXT + groups


def test_without_a_file_of_before_all_is_new() -> None:
    assert renewed_snapshot(CAPTURED, None) == CAPTURED


def test_what_is_written_by_hand_has_no_time() -> None:
    body = {key: value for key, value in CAPTURED.items() if key != "capturedAt"}

    assert "capturedAt" not in snapshot_text(body)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (
            {**CAPTURED, "resources": [{"name": "projects/acme-orders"}]},
            (
                "captured: error: `projects/acme-orders` has no `parent`  [snapshot-parent]\n"
                "  hint: write `parent: folders/...` or `parent: organizations/...`"
            ),
        ),
        (
            {**CAPTURED, "colour": "green"},
            "captured: error: unknown key `colour`  [spec-unknown-key]",
        ),
    ],
    ids=["a project without an organization", "an unknown key"],
)
def test_what_was_captured_is_checked_like_a_file(body: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidSpecs) as invalid:
        parse_snapshot(body, "captured")

    assert str(invalid.value.problems[0]).startswith(problem)


SNAPSHOT = parse_snapshot(CAPTURED, "captured")
NAME = "projects/42/policies/gcp.resourceLocations"
UNKNOWN = f"`{NAME}`: unknown key `rulez` in `spec`  [spec-unknown-key]"
ALLOW_ALL = Policy(
    resource="projects/acme-orders", constraint=RESOURCE_LOCATIONS, rules=(Rule(number=1, allow_all=True),)
)


@pytest.mark.parametrize(
    "text",
    [
        f"name: {NAME}\netag: abc\nspec: {{rules: [{{allowAll: true}}]}}\n",
        f"policies: [{{name: {NAME}, spec: {{rules: [{{allowAll: true}}]}}}}]\n",
        f'{{"name": "{NAME}", "listPolicy": {{"allValues": "ALLOW"}}}}',
    ],
    ids=["one policy", "a list", "v1"],
)
def test_policies_to_try_are_one_or_many_in_either_encoding(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.yaml").write_text(text)

    assert load_policies(tmp_path / "p.yaml", SNAPSHOT) == (ALLOW_ALL,)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "name: folders/9/policies/gcp.resourceLocations\nspec: {}\n",
            ":1:1: error: `folders/9` is not in `resources`  [snapshot-resource]\n  hint: add it, or correct the name",
        ),
        (
            f"policies:\n  - name: {NAME}\n    spec: {{rulez: []}}\n",
            f":3:12: error: {UNKNOWN}\n  hint: write `rules`",
        ),
        (
            f"name: {NAME}\nspec:\n  rulez: []\n",
            f":3:3: error: {UNKNOWN}\n  hint: write `rules`",
        ),
        ("name: [\n", ":1:7: error: not readable as YAML: unclosed bracket '['  [spec-syntax]"),
    ],
    ids=["unknown resource", "unknown key in a list", "unknown key", "no YAML"],
)
def test_a_file_of_policies_that_cannot_be_used_is_told_where(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(text)

    with pytest.raises(InvalidSpecs) as invalid:
        load_policies(path, SNAPSHOT)

    assert str(invalid.value.problems[0]).startswith(f"{path}{problem}")
