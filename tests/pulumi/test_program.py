"""The Pulumi program: all of a stack, or nothing."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pulumi
import pytest

from reconciler.pulumi import load_declaration, run
from reconciler.sandbox import Sandbox, World
from reconciler.spec import load_catalogue, load_fleet, load_snapshot
from tests.pulumi.conftest import Ran, RunProgram

TODAY = date(2026, 11, 30)

ORGANIZATION = """
apiVersion: hedgerow/v1
organization: organizations/123456789012
resources:
  - {name: organizations/123456789012, displayName: acme.example}
  - {name: projects/acme-orders, number: "111111111111", parent: organizations/123456789012}
policies:
  - name: organizations/123456789012/policies/gcp.resourceLocations
    spec:
      rules:
        - values: {allowedValues: [europe-west1, europe-west4]}
"""
STACK = """
apiVersion: hedgerow/v1
organization: organizations/123456789012
policySource: ../../organization.yaml
projects: [acme-orders]
"""
TOPICS = """
apiVersion: hedgerow/v1
defaults: {project: acme-orders}
topics:
  - name: orders
    labels: {team: orders}
    messageRetentionDuration: 86400s
  - name: payments
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west4, europe-west1]}
"""
NOT_ALLOWED = """
apiVersion: hedgerow/v1
topics:
  - name: projects/acme-orders/topics/ledger
    messageStoragePolicy: {allowedPersistenceRegions: [us-east1]}
"""


@pytest.fixture
def stacks(tmp_path: Path) -> Path:
    """A folder with the stack `demo` of two topics."""
    folder = tmp_path / "stacks" / "demo"
    folder.mkdir(parents=True)
    (tmp_path / "organization.yaml").write_text(ORGANIZATION)
    (folder / "stack.yaml").write_text(STACK)
    (folder / "topics.yaml").write_text(TOPICS)
    return tmp_path / "stacks"


def test_the_stack_of_the_same_name_is_declared(stacks: Path, run_program: RunProgram) -> None:
    assert run_program(lambda: run(stacks)).topics == {
        "acme-orders/orders": {
            "deletionPolicy": "PREVENT",
            "labels": {"team": "orders"},
            "messageRetentionDuration": "86400s",
            "name": "orders",
            "project": "acme-orders",
        },
        "acme-orders/payments": {
            "deletionPolicy": "PREVENT",
            "messageStoragePolicy": {
                "allowedPersistenceRegions": ["europe-west1", "europe-west4"],
                "enforceInTransit": False,
            },
            "name": "payments",
            "project": "acme-orders",
        },
    }


def test_the_configuration_can_choose_another_stack(stacks: Path, run_program: RunProgram) -> None:
    (stacks / "demo").rename(stacks / "production")
    ran = run_program(lambda: run(stacks), config={"hedgerow:stack": "production"})
    assert set(ran.topics) == {"acme-orders/orders", "acme-orders/payments"}


def test_the_fingerprint_says_what_the_declaration_was_computed_from(stacks: Path, run_program: RunProgram) -> None:
    ran = run_program(lambda: run(stacks))
    declaration = load_declaration(stacks, "demo", today=TODAY)
    assert ran.outputs == {"fleetFingerprint": declaration.fingerprint}
    assert list(declaration.fingerprint) == ["specs", "policies", "catalogue"]
    assert declaration.fingerprint["catalogue"] == load_catalogue().as_of


def test_each_input_moves_its_own_part_of_the_fingerprint(stacks: Path) -> None:
    before = load_declaration(stacks, "demo", today=TODAY).fingerprint
    (stacks / "demo" / "topics.yaml").write_text(TOPICS.replace("86400s", "90000s"))
    other_specs = load_declaration(stacks, "demo", today=TODAY).fingerprint
    assert [key for key in before if before[key] != other_specs[key]] == ["specs"]
    (stacks.parent / "organization.yaml").write_text(ORGANIZATION.replace("europe-west4]", "europe-west4, us-east1]"))
    other_policies = load_declaration(stacks, "demo", today=TODAY).fingerprint
    assert [key for key in before if other_specs[key] != other_policies[key]] == ["policies"]


def failing(stacks: Path, run_program: RunProgram) -> tuple[str, Ran]:
    """What a program that must fail says, and what it registered all the same."""
    ran = Ran()
    with pytest.raises(pulumi.RunError) as caught:
        run_program(lambda: run(stacks), ran=ran)
    return str(caught.value), ran


def test_a_violation_is_shown_and_nothing_is_registered(stacks: Path, run_program: RunProgram) -> None:
    (stacks / "demo" / "ledger.yaml").write_text(NOT_ALLOWED)
    said, ran = failing(stacks, run_program)
    first, *_, last = said.splitlines()
    assert first.startswith("stacks/demo/ledger.yaml:5:")
    assert "region `us-east1` is not allowed in" in first
    assert first.endswith("[region-not-allowed]")
    assert last == "error: 1 finding; no topic was declared"
    assert (ran.registered, ran.outputs) == ([], {})


def test_a_project_without_a_known_policy_stops_the_whole_stack(stacks: Path, run_program: RunProgram) -> None:
    (stacks / "demo" / "stack.yaml").write_text(STACK.replace("[acme-orders]", "[acme-orders, acme-lab]"))
    (stacks / "demo" / "lab.yaml").write_text("topics: [{name: projects/acme-lab/topics/trial}]")
    said, ran = failing(stacks, run_program)
    assert "[project-not-in-policy]" in said
    assert (ran.registered, ran.outputs) == ([], {})


def test_files_that_cannot_be_read_stop_the_whole_stack(stacks: Path, run_program: RunProgram) -> None:
    (stacks / "demo" / "broken.yaml").write_text("topic: []")
    said, ran = failing(stacks, run_program)
    assert "stacks/demo/broken.yaml:1:1: error: " in said
    assert (ran.registered, ran.outputs) == ([], {})


def test_a_stack_that_is_not_there_is_told_with_those_that_are(stacks: Path, run_program: RunProgram) -> None:
    (stacks / "demo").rename(stacks / "production")
    said, ran = failing(stacks, run_program)
    assert said == (
        f"there is no stack `demo`: `{stacks / 'demo' / 'stack.yaml'}` does not exist\n"
        "  hint: `pulumi config set hedgerow:stack` to one of these: production"
    )
    assert ran.registered == []


@pytest.fixture
def live_organization(stacks: Path) -> Iterator[World]:
    """The organization of the snapshot, live; the stack `demo` asks it."""
    world = World(catalogue=load_catalogue())
    world.load_snapshot(load_snapshot(stacks.parent / "organization.yaml"))
    with Sandbox(world) as sandbox:
        address = f"http://{sandbox.grpc_address}"
        endpoints = f"endpoints: {{orgPolicy: '{address}', resourceManager: '{address}'}}"
        (stacks / "demo" / "stack.yaml").write_text(STACK.replace("../../organization.yaml", "live") + endpoints)
        yield world


@pytest.mark.network
def test_a_live_stack_is_declared_as_from_a_snapshot_of_the_same_policies(
    stacks: Path, run_program: RunProgram, request: pytest.FixtureRequest
) -> None:
    from_snapshot = run_program(lambda: run(stacks))
    request.getfixturevalue("live_organization")
    assert run_program(lambda: run(stacks)).topics == from_snapshot.topics


@pytest.mark.network
def test_a_live_policy_that_cannot_be_read_stops_the_whole_stack(
    stacks: Path, run_program: RunProgram, live_organization: World
) -> None:
    live_organization.deny("acme-orders", "orgpolicy", "not yours")
    said, ran = failing(stacks, run_program)
    assert said == (
        "`acme-orders`: the organization policy could not be read: PERMISSION_DENIED: not yours\n"
        "  hint: the caller needs `orgpolicy.policy.get`, held by roles/orgpolicy.policyViewer"
    )
    assert (ran.registered, ran.outputs) == ([], {})


def test_a_warning_is_shown_and_stops_nothing(
    stacks: Path, run_program: RunProgram, caplog: pytest.LogCaptureFixture
) -> None:
    organization = ORGANIZATION.replace("europe-west4]", "europe-west4, europe-west77]")
    (stacks.parent / "organization.yaml").write_text(organization)
    (stacks / "demo" / "new.yaml").write_text(NOT_ALLOWED.replace("us-east1", "europe-west77"))
    (warning,) = load_declaration(stacks, "demo", today=TODAY).warnings
    assert warning.startswith("stacks/demo/new.yaml:5:")
    assert "[region-unknown]" in warning
    ran = run_program(lambda: run(stacks))
    assert caplog.messages == [warning]
    assert "acme-orders/ledger" in ran.topics


def test_the_programs_own_file_declares_the_example_stack(run_program: RunProgram) -> None:
    root = Path(__file__).parents[2]
    ran = run_program(lambda: runpy.run_path(str(root / "stacks" / "__main__.py")))
    names = {f"{topic.name.project}/{topic.name.topic}" for topic in load_fleet(root / "stacks" / "demo").fleet.topics}
    assert ran.topics.keys() == names
