"""The gcloud command, unmodified, against the sandbox's REST port."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from reconciler.sandbox import Sandbox, World
from tests.sandbox.builders import NUMBER, ORGANIZATION, PROJECT, TOPIC, allow_only, not_allowed, storage

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(
        shutil.which("gcloud") is None and "CI" not in os.environ, reason="gcloud is not installed (CI installs it)"
    ),
]

Gcloud = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def gcloud(box: Sandbox, tmp_path: Path) -> Gcloud:
    environment = {**os.environ, **box.environment(), "CLOUDSDK_CONFIG": str(tmp_path)}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["gcloud", *arguments], env=environment, capture_output=True, text=True, timeout=60, check=False
        )

    return run


def described(gcloud: Gcloud) -> object:
    return json.loads(gcloud("pubsub", "topics", "describe", TOPIC, "--format=json").stdout)


def test_topic_lives_from_creation_to_deletion(gcloud: Gcloud, world: World) -> None:
    allow_only(world, "europe-west1", "europe-west4")
    assert gcloud("pubsub", "topics", "create", "orders", f"--project={PROJECT.partition('/')[2]}").returncode == 0
    assert described(gcloud) == {
        "name": TOPIC,
        "messageStoragePolicy": {"allowedPersistenceRegions": ["europe-west1", "europe-west4"]},
    }
    assert gcloud("pubsub", "topics", "list", "--format=value(name)", "--project=acme-orders").stdout == f"{TOPIC}\n"
    assert gcloud("pubsub", "topics", "delete", TOPIC).returncode == 0
    assert world.topics() == []


def test_updating_regions_without_the_flag_drops_in_transit_enforcement(gcloud: Gcloud, world: World) -> None:
    world.put_topic(TOPIC, storage("us-east1", "us-west1", in_transit=True))
    updated = gcloud("pubsub", "topics", "update", TOPIC, "--message-storage-policy-allowed-regions=us-east1")
    assert updated.returncode == 0, updated.stderr
    assert described(gcloud) == {
        "name": TOPIC,
        "messageStoragePolicy": {"allowedPersistenceRegions": ["us-east1"]},
    }


def test_recompute_takes_what_the_organization_allows(gcloud: Gcloud, world: World, box: Sandbox) -> None:
    world.put_topic(TOPIC, storage("us-east1"))
    allow_only(world, "europe-west1")
    assert gcloud("pubsub", "topics", "update", TOPIC, "--recompute-message-storage-policy").returncode == 0
    found = world.topic(TOPIC)
    assert found is not None
    assert found.policy == storage("europe-west1")
    (write,) = box.log.writes()
    assert (write.mask, write.body) == (
        ("message_storage_policy",),
        {"topic": {"name": TOPIC}, "updateMask": "messageStoragePolicy"},
    )


def test_refusal_is_shown_whole(gcloud: Gcloud, world: World) -> None:
    allow_only(world, "europe-west1")
    refused = gcloud("pubsub", "topics", "create", TOPIC, "--message-storage-policy-allowed-regions=us-east1")
    assert refused.returncode == 1
    assert not_allowed("us-east1") in refused.stderr


def test_effective_policy_is_described(gcloud: Gcloud, world: World) -> None:
    allow_only(world, "us-east1")
    answer = gcloud(
        "org-policies", "describe", "gcp.resourceLocations", "--effective", "--project=acme-orders", "--format=json"
    )
    assert json.loads(answer.stdout) == {
        "name": f"projects/{NUMBER}/policies/gcp.resourceLocations",
        "spec": {
            "rules": [
                {
                    "values": {
                        "allowedValues": ["us-east1", "us-east1-a", "us-east1-b", "us-east1-c", "us-east1-locations"]
                    }
                }
            ]
        },
    }


def test_assets_are_listed_without_the_in_transit_flag(gcloud: Gcloud, world: World) -> None:
    world.put_topic(TOPIC, storage("europe-west1", in_transit=True))
    listed = gcloud(
        "asset",
        "list",
        f"--organization={ORGANIZATION.partition('/')[2]}",
        "--asset-types=pubsub.googleapis.com/Topic",
        "--content-type=resource",
        "--format=json(name,resource.data)",
    )
    assert listed.returncode == 0, listed.stderr
    assert json.loads(listed.stdout) == [
        {
            "name": f"//pubsub.googleapis.com/{TOPIC}",
            "resource": {
                "data": {"name": TOPIC, "messageStoragePolicy": {"allowedPersistenceRegions": ["europe-west1"]}}
            },
        }
    ]
