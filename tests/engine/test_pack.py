"""The policy pack on the real engine: over the repository's program, over any program, and over a stack's state."""

from __future__ import annotations

import json
import os
import shutil
from typing import Any

import pytest

from reconciler.model import RegionSet, StoragePolicy
from tests.engine.workshop import ORGANIZATION, PROJECT, Completed, Workshop
from tests.pack.server import PACK, PYTHON

pytestmark = [pytest.mark.engine, pytest.mark.network]

PASSED = "Policies:\n    ✅ hedgerow@v0.1.0 (local: policies/pack)\n"

ALLOWED = (
    f"allowed: europe-west1, europe-west3, europe-west4 (gcp.resourceLocations at {ORGANIZATION}, rule 1: "
    "in:europe-west1-locations, in:europe-west3-locations, in:europe-west4-locations)"
)


@pytest.fixture
def packed(workshop: Workshop) -> Workshop:
    """A workshop with the policy pack beside its snapshot."""
    if not PYTHON.exists():
        (pytest.fail if "CI" in os.environ else pytest.skip)("the policy pack's environment: run `make pack`")
    folder = workshop.root / "policies" / "pack"
    folder.mkdir()
    for name in ("PulumiPolicy.yaml", "__main__.py"):
        shutil.copy(PACK / name, folder)
    (folder / ".venv").symlink_to(PACK / ".venv")
    return workshop


def program(workshop: Workshop, *topics: str) -> None:
    """A program of somebody's own, with topics as Python says them."""
    lines = ["import pulumi_gcp as gcp", *(f"gcp.pubsub.Topic({topic})" for topic in topics)]
    workshop.write("stacks/__main__.py", "\n".join(lines) + "\n")


def topic(name: str, *regions: str, flag: str = ", 'enforce_in_transit': False") -> str:
    listed = ", ".join(repr(region) for region in regions)
    policy = f", message_storage_policy={{'allowed_persistence_regions': [{listed}]{flag}}}" if regions else ""
    return f"'{name}', name='{name}', project='{PROJECT}'{policy}"


def with_pack(workshop: Workshop, *arguments: str, **policies: Any) -> Completed:
    """Runs `pulumi` with the pack, and with a configuration of it if there is any."""
    command = [*arguments, "--policy-pack", "policies/pack"]
    if policies:
        config = {name.replace("_", "-"): value for name, value in policies.items()}
        workshop.write("pack.json", json.dumps(config))
        command += ["--policy-pack-config", "pack.json"]
    return workshop.pulumi(*command)


def verdict(completed: Completed) -> str:
    """The part of a command's output that the pack is responsible for, without indentation."""
    _, _, after = completed.out.partition("Policies:\n")
    block = after.partition("\n\n")[0]
    return "\n".join(line.strip() for line in block.splitlines()[1:])


def test_what_the_program_of_the_repository_declares_passes(packed: Workshop) -> None:
    packed.declare(
        {"name": "orders"},
        {"name": "payments", "messageStoragePolicy": {"allowedPersistenceRegions": ["europe-west1"]}},
    )

    up = with_pack(packed, "up", "--yes").succeeded()

    assert up.out.count(PASSED) == 2  # the preview, and the update
    assert sorted(packed.live()) == ["orders", "payments"]


def test_a_violation_stops_an_update_before_anything_is_made(packed: Workshop) -> None:
    program(packed, topic("orders", "europe-west1", "us-east1"))

    up = with_pack(packed, "up", "--yes")

    assert up.code == 1
    assert verdict(up).splitlines() == [
        "- [mandatory] [severity: high]  region-not-allowed  (gcp:pubsub:Topic: orders)",
        "A topic lists only regions that the organization allows its project",
        "`orders`: region `us-east1` is not allowed in `acme-orders-prod`",
        ALLOWED,
        "hint: remove what is not allowed, or leave `messageStoragePolicy` out to follow the organization",
    ]
    assert packed.writes() == []


def test_a_value_that_only_the_update_will_know_is_a_violation_of_the_preview(packed: Workshop) -> None:
    program(
        packed,
        topic("orders", "europe-west1"),
        "'copy', name='copy', project='acme-orders-prod', message_storage_policy="
        "gcp.pubsub.Topic('first', name='first', project='acme-orders-prod').message_storage_policy",
    )

    preview = with_pack(packed, "preview")

    assert preview.code == 1
    assert verdict(preview).splitlines() == [
        "- [mandatory] [severity: medium]  value-unknown  (gcp:pubsub:Topic: copy)",
        "What decides about a topic's regions is known in a preview",
        "`copy`: `messageStoragePolicy` is not known in a preview, so what hangs on it is not checked",
        "hint: write a plain value, or take it from one that is known before the update",
    ]


def test_the_configuration_sets_levels_and_demands(packed: Workshop) -> None:
    program(packed, topic("orders", "europe-west1", "us-east1"), topic("payments"))

    preview = with_pack(
        packed,
        "preview",
        region_not_allowed="advisory",
        organization={"snapshot": "../organization.yaml", "statedIn": [PROJECT]},
    )

    found = sorted(line for line in verdict(preview).splitlines() if line.startswith("- ["))
    assert preview.code == 1
    assert found == [
        "- [advisory] [severity: high]  region-not-allowed  (gcp:pubsub:Topic: orders)",
        "- [mandatory] [severity: high]  storage-policy-not-stated  (gcp:pubsub:Topic: payments)",
    ]
    assert with_pack(packed, "preview", all="advisory").code == 0


def test_a_configuration_that_does_not_fit_the_schema_ends_the_run_before_it_begins(packed: Workshop) -> None:
    program(packed, topic("orders"))

    preview = with_pack(packed, "preview", organization={"statedIn": PROJECT})

    assert preview.code == 1
    assert "organization: statedIn" in preview.out + preview.err
    assert "create" not in preview.out


def test_a_remedy_makes_the_topic_without_its_disallowed_regions(packed: Workshop) -> None:
    program(packed, topic("orders", "europe-west1", "us-east1"))

    with_pack(packed, "up", "--yes", region_not_allowed="remediate").succeeded()

    assert packed.live() == {"orders": StoragePolicy(regions=RegionSet.of("europe-west1"), enforce_in_transit=False)}


def test_a_topic_without_a_project_is_judged_by_that_of_the_provider(packed: Workshop) -> None:
    packed.pulumi("config", "set", "gcp:project", PROJECT).succeeded()
    program(packed, topic("orders", "us-east1").replace(f", project='{PROJECT}'", ""))

    preview = with_pack(packed, "preview")

    assert preview.code == 1
    assert "`orders`: region `us-east1` is not allowed in `acme-orders-prod`" in verdict(preview)


def test_a_refreshed_state_is_audited_for_what_the_service_really_has(packed: Workshop) -> None:
    # With the flag `true`: the service leaves `false` out, and so a refreshed state does not state it.
    program(packed, topic("orders"), topic("payments", "europe-west1", flag=", 'enforce_in_transit': True"))
    packed.pulumi("up", "--yes").succeeded()
    packed.allow("europe-west1", "europe-west3")
    analyze = ("policy", "analyze", "--file", "export.json")

    packed.pulumi("refresh", "--yes").succeeded()
    packed.pulumi("stack", "export", "--file", "export.json").succeeded()
    advisory = with_pack(packed, *analyze).succeeded()
    mandatory = with_pack(packed, *analyze, live_storage_policy="mandatory")

    found = [
        "What the service has for a topic is what the organization allows",
        "`orders`: region `europe-west4` is not allowed in `acme-orders-prod`  [region-not-allowed]",
        (
            f"allowed: europe-west1, europe-west3 (gcp.resourceLocations at {ORGANIZATION}, rule 1: "
            "in:europe-west1-locations, in:europe-west3-locations)"
        ),
        "hint: let `hedgerow reconcile` repair it, or see `hedgerow plan` for what it would do",
    ]
    what = "[severity: low]  live-storage-policy  (gcp:pubsub:Topic: orders)"
    assert verdict(advisory).splitlines() == [f"- [advisory] {what}", *found]
    assert mandatory.code == 1
    assert verdict(mandatory).splitlines() == [f"- [mandatory] {what}", *found]


def test_a_state_is_held_against_the_rules_by_what_was_declared(packed: Workshop) -> None:
    program(packed, topic("orders", "europe-west1", flag=""))
    packed.pulumi("up", "--yes").succeeded()
    packed.pulumi("stack", "export", "--file", "export.json").succeeded()

    analyzed = with_pack(packed, "policy", "analyze", "--file", "export.json")

    assert analyzed.code == 1
    assert verdict(analyzed).splitlines()[0] == (
        "- [mandatory] [severity: high]  in-transit-not-stated  (gcp:pubsub:Topic: orders)"
    )
    assert "error: one or more mandatory policy violations were found" in analyzed.err
