"""Cloud Asset v1: `ListAssets`, for topics.

Each function is one method; see `reconciler.sandbox.publisher`. Assets look as asset_service.proto and the full
resource names of Pub/Sub have them; what the inventory does not hold of a topic is left out (the fields marked
`is_missing_in_cai` in https://github.com/GoogleCloudPlatform/magic-modules/blob/main/mmv1/products/pubsub/Topic.yaml).
"""

from __future__ import annotations

import re
from typing import Any

from google.cloud import asset_v1
from google.protobuf.json_format import MessageToDict

from reconciler.model import TopicName
from reconciler.orgpolicy import Resource
from reconciler.sandbox.calls import Call
from reconciler.sandbox.denials import Service
from reconciler.sandbox.errors import ApiError, Code, invalid
from reconciler.sandbox.methods import Binding, Method, Trait
from reconciler.sandbox.organization import Organization
from reconciler.sandbox.paging import page
from reconciler.sandbox.world import World

ASSET_TYPE = "pubsub.googleapis.com/Topic"

ListAssetsResponse = asset_v1.ListAssetsResponse.pb()
_ContentType = asset_v1.ContentType


def list_assets(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001 - one signature for all methods
    """A page of the topics below an organization, folder or project, by their names.

    The snapshot is always of now: `read_time` cannot be asked for. Other asset types and contents are refused, where
    the real service knows many.
    """
    parent = world.organization.find(request.parent)
    if parent is None:
        raise ApiError(Code.NOT_FOUND, f"The resource does not exist: {request.parent}.")
    if not all(_names_topics(pattern) for pattern in request.asset_types):
        raise invalid(f"The sandbox's inventory holds the asset type {ASSET_TYPE} only.")
    if request.content_type not in (_ContentType.CONTENT_TYPE_UNSPECIFIED, _ContentType.RESOURCE):
        raise invalid("The sandbox's inventory holds the content type RESOURCE only.")
    if request.HasField("read_time"):
        raise invalid("The sandbox's inventory has no history.")
    below = _Below(world.organization, parent)
    found = {_full_name(name): (name, topic) for name, topic in world.inventory.topics if below.holds(name)}
    names, following = page(sorted(found), request.page_size, request.page_token)
    response = ListAssetsResponse(next_page_token=following)
    response.read_time.FromDatetime(world.clock.now())
    for full_name in names:
        name, topic = found[full_name]
        owner = below.owners[name.project]
        asset = response.assets.add(name=full_name, asset_type=ASSET_TYPE)
        asset.ancestors.extend([_numbered(owner), *world.organization.lineage(owner)[1:]])
        if request.content_type == _ContentType.RESOURCE:
            _describe(asset.resource, topic, owner)
    return response


class _Below:
    """Which projects lie below a resource, each asked once."""

    def __init__(self, organization: Organization, parent: Resource) -> None:
        self.owners: dict[str, Resource] = {}
        self._organization = organization
        self._parent = parent.name
        self._lies: dict[str, bool] = {}

    def holds(self, name: TopicName) -> bool:
        """Whether a topic's project lies below the resource; its resource is in `owners` then."""
        if name.project not in self._lies:
            owner = self._organization.find(f"projects/{name.project}")
            self._lies[name.project] = owner is not None and self._parent in self._organization.lineage(owner)
            if owner is not None:
                self.owners[name.project] = owner
        return self._lies[name.project]


def _names_topics(pattern: str) -> bool:
    """Whether an asset type, or a regular expression on asset types, means topics."""
    try:
        return re.fullmatch(pattern, ASSET_TYPE) is not None
    except re.error as error:
        raise invalid(f"Invalid asset type: {pattern}.") from error


def _full_name(name: TopicName) -> str:
    return f"//pubsub.googleapis.com/{name}"


def _numbered(project: Resource) -> str:
    return f"projects/{Organization.number(project)}"


def _describe(resource: Any, topic: Any, owner: Resource) -> None:
    resource.version = "v1"
    resource.discovery_document_uri = "https://pubsub.googleapis.com/$discovery/rest"
    resource.discovery_name = "Topic"
    resource.parent = f"//cloudresourcemanager.googleapis.com/{_numbered(owner)}"
    data = MessageToDict(topic)
    data.get("messageStoragePolicy", {}).pop("enforceInTransit", None)
    resource.data.update({k: v for k, v in data.items() if k not in ("messageRetentionDuration", "schemaSettings")})


ASSET_METHODS: tuple[Method, ...] = (
    Method.of(
        ("google.cloud.asset.v1.AssetService", Service.ASSET),
        list_assets,
        (asset_v1.ListAssetsRequest, asset_v1.ListAssetsResponse),
        "parent",
        Trait.READ,
        *(
            Binding(verb="GET", template=f"/v1/{{parent={owner}/*}}/assets")
            for owner in ("organizations", "folders", "projects")
        ),
    ),
)
"""The binding `/v1/{parent=*/*}/assets` of the API definition, for the owners that there are."""
