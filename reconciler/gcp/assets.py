"""Topics as Cloud Asset Inventory shows them: one list for a whole organization, instead of one for each project.

The inventory is cheap and not quite the truth. It lags behind ("delays in resource data collection and indexing",
asset_service.proto), and its topics lack the in-transit flag (`is_missing_in_cai` in Google's provider generator,
mmv1/products/pubsub/Topic.yaml): here the flag is unknown, never false. Whether it always shows a storage policy is not
documented. So what it says suffices to call a topic in sync or to report it, not to change it; see
`reconciler.reconcile.inventory` for what is read again.

Organization policies are not read from here. In the content type `ORG_POLICY` they are v1 messages
(`Asset.org_policy`), which hold no conditions: a policy with one could look like a policy without. They stay with
Organization Policy's own effective answer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from typing import Any

from reconciler.errors import CallFailed
from reconciler.gcp.connection import Connection, open_transport, translated_errors
from reconciler.gcp.pages import walked
from reconciler.gcp.pubsub import storage_policy
from reconciler.model import LiveTopic, TopicName, is_project_number

PAGE_SIZE = 1000
"""Assets in one page, the maximum (asset_service.proto)."""

PAGES_PER_MINUTE = 90
"""Below the quota of 100 a minute and project (https://docs.cloud.google.com/asset-inventory/docs/quota)."""

ASSET_TYPE = "pubsub.googleapis.com/Topic"

_FULL_NAME = "//pubsub.googleapis.com/"


class AssetTopics:
    """Topics over the official Cloud Asset client."""

    def __init__(self, connection: Connection, pace: Callable[[], object]) -> None:
        """`pace` is called before each page, and waits as long as the quota asks for."""
        # Loaded here because few stacks are read so, and this client alone takes a sixth of the clients' start.
        from google.cloud import asset_v1  # noqa: PLC0415
        from google.cloud.asset_v1.services.asset_service.transports import AssetServiceGrpcTransport  # noqa: PLC0415

        self._connection = connection
        self._pace = pace
        self._messages = asset_v1
        endpoint, default = connection.endpoints.asset, asset_v1.AssetServiceClient.DEFAULT_ENDPOINT
        self._client = asset_v1.AssetServiceClient(
            transport=open_transport(AssetServiceGrpcTransport, endpoint, default)
        )

    def list(self, parent: str, projects: Collection[str]) -> Iterator[LiveTopic]:
        """The topics of some projects, page by page, none with a known in-transit flag.

        Args:
            parent: the organization, folder or project that is listed.
            projects: ids; topics of others are passed over. The first one pays where each topic's project does.

        Raises:
            CallFailed: when a page could not be read within the retry budget, when pages turn in circles, or when one
                names a project by its number, so that it cannot be told whose topic it is.
        """
        wanted = {project: sys.intern(project) for project in projects}
        request = self._messages.ListAssetsRequest(
            parent=parent,
            asset_types=[ASSET_TYPE],
            content_type=self._messages.ContentType.RESOURCE,
            page_size=PAGE_SIZE,
        )
        self._pace()
        with translated_errors():
            pages = self._client.list_assets(
                request,
                retry=self._connection.read_retry,
                timeout=self._connection.call_timeout,
                metadata=self._connection.metadata(min(wanted, default="")),
            ).pages
            for page in walked(pages, "ListAssets"):
                raw = self._messages.ListAssetsResponse.pb(page)
                for asset in raw.assets:
                    project, topic = _parts(asset.name)
                    if project in wanted:
                        yield _live_topic(TopicName(wanted[project], topic), asset.resource.data.fields)
                if raw.next_page_token:
                    self._pace()


def _parts(full_name: str) -> tuple[str, str]:
    """Project and id of a topic, from the full name `//pubsub.googleapis.com/projects/P/topics/T`."""
    pieces = full_name.removeprefix(_FULL_NAME).split("/")
    if len(pieces) != 4 or not full_name.startswith(_FULL_NAME) or is_project_number(pieces[1]):
        raise CallFailed("UNKNOWN", f"it names a topic `{full_name}`", is_transient=False)
    return pieces[1], pieces[3]


def _live_topic(name: TopicName, fields: Any) -> LiveTopic:
    """From the raw `Struct`. Whether the field is present tells "no policy" from an empty one."""
    if "messageStoragePolicy" not in fields:
        return LiveTopic(name=name, policy=None, in_transit_known=False)
    stored = fields["messageStoragePolicy"].struct_value.fields
    listed = stored["allowedPersistenceRegions"].list_value.values if "allowedPersistenceRegions" in stored else ()
    policy = storage_policy(tuple(region.string_value for region in listed), False)  # noqa: FBT003 - not known
    return LiveTopic(name=name, policy=policy, in_transit_known=False)
