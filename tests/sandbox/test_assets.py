"""Cloud Asset's list of topics: what it shows, what it leaves out, and how it lags."""

from __future__ import annotations

from typing import Any

import grpc
import httpx
import pytest
from google.cloud import asset_v1
from google.cloud.asset_v1.services.asset_service.transports import AssetServiceGrpcTransport
from google.protobuf.json_format import MessageToDict

from reconciler.sandbox import Sandbox, World
from reconciler.sandbox.assets import list_assets
from tests.sandbox.builders import DIRECT, FOLDER, NUMBER, ORGANIZATION, PROJECT, TOPIC, refusal, storage

FULL_NAME = f"//pubsub.googleapis.com/{TOPIC}"
LAB = "//pubsub.googleapis.com/projects/acme-lab/topics/trial"
ASSET = {
    "name": FULL_NAME,
    "assetType": "pubsub.googleapis.com/Topic",
    "ancestors": [f"projects/{NUMBER}", FOLDER, ORGANIZATION],
    "resource": {
        "version": "v1",
        "discoveryDocumentUri": "https://pubsub.googleapis.com/$discovery/rest",
        "discoveryName": "Topic",
        "parent": f"//cloudresourcemanager.googleapis.com/projects/{NUMBER}",
        "data": {
            "name": TOPIC,
            "labels": {"team": "orders"},
            "messageStoragePolicy": {"allowedPersistenceRegions": ["europe-west1"]},
            "kmsKeyName": "projects/p/locations/l/keyRings/r/cryptoKeys/k",
        },
    },
}


def request(parent: str = ORGANIZATION, **fields: Any) -> Any:
    return asset_v1.ListAssetsRequest.pb()(parent=parent, **fields)


def names(world: World, parent: str = ORGANIZATION, **fields: Any) -> list[str]:
    return [asset.name for asset in list_assets(world, request(parent, **fields), DIRECT).assets]


@pytest.fixture
def full(world: World) -> World:
    world.put_topic(
        TOPIC,
        storage("europe-west1", in_transit=True),
        {"team": "orders"},
        {
            "kmsKeyName": "projects/p/locations/l/keyRings/r/cryptoKeys/k",
            "messageRetentionDuration": "600s",
            "schemaSettings": {"schema": "projects/p/schemas/s"},
        },
    )
    world.put_topic("projects/acme-lab/topics/trial", None)
    return world


def test_a_topic_is_shown_but_for_what_the_inventory_does_not_hold(full: World) -> None:
    answer = list_assets(full, request(PROJECT, content_type="RESOURCE"), DIRECT)

    assert [MessageToDict(asset) for asset in answer.assets] == [ASSET]
    assert answer.read_time.ToDatetime(tzinfo=full.clock.now().tzinfo) <= full.clock.now()


def test_a_policy_without_a_region_is_not_the_same_as_none(world: World) -> None:
    world.put_topic(TOPIC, storage())
    world.put_topic("projects/acme-lab/topics/trial", None)
    answer = list_assets(world, request(content_type="RESOURCE"), DIRECT)

    assert [MessageToDict(asset)["resource"]["data"] for asset in answer.assets] == [
        {"name": "projects/acme-lab/topics/trial"},
        {"name": TOPIC, "messageStoragePolicy": {}},
    ]


def test_without_a_content_type_only_names_are_shown(full: World) -> None:
    assert not any(asset.HasField("resource") for asset in list_assets(full, request(), DIRECT).assets)


@pytest.mark.parametrize(
    ("parent", "expected"),
    [
        (ORGANIZATION, [LAB, FULL_NAME]),
        (FOLDER, [FULL_NAME]),
        (PROJECT, [FULL_NAME]),
        (f"projects/{NUMBER}", [FULL_NAME]),
    ],
)
def test_a_parent_shows_everything_below_it(full: World, parent: str, expected: list[str]) -> None:
    assert names(full, parent) == expected


def test_a_topic_outside_the_organization_is_not_shown(full: World) -> None:
    full.put_topic("projects/elsewhere/topics/a", None)

    assert names(full) == [LAB, FULL_NAME]


def test_pages_go_on_after_the_last_name(full: World) -> None:
    first = list_assets(full, request(page_size=1), DIRECT)
    second = list_assets(full, request(page_size=1, page_token=first.next_page_token), DIRECT)

    assert [[asset.name for asset in page.assets] for page in (first, second)] == [[LAB], [FULL_NAME]]
    assert second.next_page_token == ""


@pytest.mark.parametrize("pattern", ["pubsub.googleapis.com/Topic", "pubsub.googleapis.com.*", ".*Topic"])
def test_asset_types_are_regular_expressions(full: World, pattern: str) -> None:
    assert names(full, PROJECT, asset_types=[pattern]) == [FULL_NAME]


@pytest.mark.parametrize(
    ("fields", "code", "message"),
    [
        ({"parent": "organizations/1"}, "NOT_FOUND", "The resource does not exist: organizations/1."),
        (
            {"asset_types": ["compute.googleapis.com/Disk"]},
            "INVALID_ARGUMENT",
            "The sandbox's inventory holds the asset type pubsub.googleapis.com/Topic only.",
        ),
        ({"asset_types": ["("]}, "INVALID_ARGUMENT", "Invalid asset type: (."),
        (
            {"content_type": "ORG_POLICY"},
            "INVALID_ARGUMENT",
            "The sandbox's inventory holds the content type RESOURCE only.",
        ),
        ({"read_time": {"seconds": 1}}, "INVALID_ARGUMENT", "The sandbox's inventory has no history."),
    ],
)
def test_what_the_sandbox_does_not_hold_is_refused(
    world: World, fields: dict[str, Any], code: str, message: str
) -> None:
    assert refusal(lambda: list_assets(world, request(**fields), DIRECT)) == (code, message)


def test_a_frozen_inventory_shows_the_past_until_it_catches_up(full: World) -> None:
    full.inventory.freeze()
    full.delete_topic(TOPIC)
    full.put_topic("projects/acme-lab/topics/young", None)
    assert names(full) == [LAB, FULL_NAME]

    full.inventory.catch_up()
    assert names(full) == [LAB, "//pubsub.googleapis.com/projects/acme-lab/topics/young"]


@pytest.mark.network
@pytest.mark.usefixtures("full")
def test_the_official_client_walks_all_pages(channel: grpc.Channel) -> None:
    client = asset_v1.AssetServiceClient(transport=AssetServiceGrpcTransport(channel=channel))
    found = client.list_assets(
        asset_v1.ListAssetsRequest(
            parent=ORGANIZATION,
            asset_types=["pubsub.googleapis.com/Topic"],
            content_type=asset_v1.ContentType.RESOURCE,
            page_size=1,
        )
    )

    assert [(asset.name, dict(asset.resource.data).get("messageStoragePolicy")) for asset in found] == [
        (LAB, None),
        (FULL_NAME, {"allowedPersistenceRegions": ["europe-west1"]}),
    ]


@pytest.mark.network
@pytest.mark.usefixtures("full")
@pytest.mark.parametrize("types", [[".*Topic"], [".*Topic", "pubsub.*"]])
def test_rest_takes_one_asset_type_or_several(box: Sandbox, types: list[str]) -> None:
    answer = httpx.get(
        f"{box.rest_url}/v1/{PROJECT}/assets", params={"assetTypes": types, "contentType": "RESOURCE", "pageSize": 5}
    )

    assert answer.json()["assets"] == [ASSET]


@pytest.mark.network
def test_the_control_endpoint_freezes_and_thaws(full: World, box: Sandbox) -> None:
    control, shown = f"{box.rest_url}/sandbox/v1", f"{box.rest_url}/v1/{PROJECT}/assets"
    httpx.post(f"{control}/inventory", json={"frozen": True})
    full.delete_topic(TOPIC)
    assert [asset["name"] for asset in httpx.get(shown).json()["assets"]] == [FULL_NAME]

    httpx.post(f"{control}/inventory", json={"frozen": False})
    assert "assets" not in httpx.get(shown).json()

    httpx.post(f"{control}/inventory", json={"frozen": True})
    full.put_topic(TOPIC, None)
    httpx.post(f"{control}/reset")
    assert [asset["name"] for asset in httpx.get(shown).json()["assets"]] == [FULL_NAME]
