"""The rules on message storage policies: computed, accepted, refused.

Pure: what the organization allows is passed in. Texts are recorded ones; their sources stand beside them.
"""

from __future__ import annotations

from typing import Any

import google.pubsub_v1.types as pubsub

from reconciler.model import REGION_SHAPE, RegionSet, StoragePolicy
from reconciler.orgpolicy import Catalogue
from reconciler.sandbox.calls import Call
from reconciler.sandbox.errors import ApiError, Code, invalid
from reconciler.sandbox.policies import Effective

PolicyMessage = pubsub.MessageStoragePolicy.pb()


def to_message(policy: StoragePolicy) -> Any:
    """The protobuf form, regions sorted."""
    return PolicyMessage(allowed_persistence_regions=list(policy.regions), enforce_in_transit=policy.enforce_in_transit)


def from_message(topic: Any) -> StoragePolicy | None:
    """The storage policy of a raw `Topic`; `None` where the field is absent."""
    if not topic.HasField("message_storage_policy"):
        return None
    message = topic.message_storage_policy
    return StoragePolicy(
        regions=RegionSet.from_names(message.allowed_persistence_regions),
        enforce_in_transit=message.enforce_in_transit,
    )


def computed(topic: str, project: str, effective: Effective, catalogue: Catalogue) -> StoragePolicy | None:
    """The policy of a topic that asks for none: what the organization allows now, listed; `None` for no limit.

    Where only in-transit enforcement is required, the documentation says nothing about the list; here it names every
    region of the catalogue, because the flag cannot stand without one.

    Raises:
        ApiError: `FAILED_PRECONDITION` where the organization allows no region.
    """
    if effective.allowed.is_all:
        if not effective.in_transit:
            return None
        return StoragePolicy(regions=catalogue.regions, enforce_in_transit=True)
    if effective.allowed.is_empty:
        raise _nothing_allowed(topic, project)
    return StoragePolicy(regions=effective.allowed, enforce_in_transit=effective.in_transit)


def accepted(message: Any, topic: str, project: str, number: str, effective: Effective) -> StoragePolicy:
    """The policy that a request asks for, if the organization allows each of its regions.

    The in-transit flag is kept as sent: whether an enforcing organization overrules an explicit `false` is not
    documented.

    Raises:
        ApiError: `INVALID_ARGUMENT` for an empty list or for what is not a region name; `FAILED_PRECONDITION` naming
            exactly the regions that are not allowed.
    """
    regions = RegionSet.from_names(message.allowed_persistence_regions)
    if regions.is_empty:
        raise invalid("The message storage policy must allow at least one GCP region.")
    unshaped = [region for region in regions if not REGION_SHAPE.fullmatch(region)]
    if unshaped:
        raise invalid(f"The message storage policy contains values that are not GCP regions: {', '.join(unshaped)}.")
    if effective.allowed.is_empty:
        raise _nothing_allowed(topic, project)
    refused = regions - effective.allowed
    if refused:
        raise _not_allowed(refused, number)
    return StoragePolicy(regions=regions, enforce_in_transit=message.enforce_in_transit)


def check_arrival(topic: Any, call: Call, *, ordered: bool, what: str = "Publish") -> None:
    """Whether a topic lets messages in (or out) where the request arrives.

    Raises:
        ApiError: `FAILED_PRECONDITION` for a topic that allows no region, for a region outside one that enforces in
            transit, and for ordered messages that would be forwarded to another region.
    """
    policy = from_message(topic)
    if policy is None:
        return
    if policy.is_empty:
        raise ApiError(
            Code.FAILED_PRECONDITION, f"The message storage policy of topic {topic.name} does not allow any GCP region."
        )
    if call.region is None or call.region in policy.regions:
        return
    if policy.enforce_in_transit:
        # The publish text as quoted on EmailEngine's troubleshooting page; the one for pull is modelled on it.
        raise ApiError(
            Code.FAILED_PRECONDITION,
            f"The topic's message storage policy requires enforcement in transit, but the {what} request was received "
            "by a Pub/Sub server in a non-allowed region.",
        )
    if ordered:
        # Text: https://github.com/talkiq/gcloud-aio/issues/409 (2021-12-09), which does not show the code.
        raise ApiError(
            Code.FAILED_PRECONDITION,
            f"Cannot publish messages that contain ordering keys to topic {topic.name} due a message storage policy "
            "on the topic that would require the messages to be forwarded to another region. Please either change the "
            "topic's message storage policy or publish to an allowed region using the appropriate regional Cloud "
            "Pub/Sub endpoint.",
        )


def _not_allowed(regions: RegionSet, number: str) -> ApiError:
    # Text: https://github.com/google/knative-gcp/issues/1701 (2020-09-17); its end, cut there, as in the next one.
    return ApiError(
        Code.FAILED_PRECONDITION,
        "The requested message storage policy contains the following GCP regions that are not allowed by the "
        f"project's organization policy: {', '.join(regions)}. {_WAY_OUT.format(number)} If the project was recently "
        f"created, {_WAIT}",
    )


def _nothing_allowed(topic: str, project: str) -> ApiError:
    # Text: https://github.com/terraform-google-modules/terraform-google-pubsub/issues/12 (2019-08-27), HTTP 400.
    return ApiError(
        Code.FAILED_PRECONDITION,
        f"The topic {topic} cannot be created or updated due to an organization policy specified at the project or "
        "organization level. The organization policy does not allow message storage in any GCP region where Cloud "
        f"Pub/Sub is present. {_WAY_OUT.format(project)} If the topic's project was recently created, {_WAIT}",
    )


_WAY_OUT = (
    "The organization policy may be updated by your project or organization administrator. See "
    "https://console.cloud.google.com/iam-admin/orgpolicies/gcp-resourceLocations?project={}."
)
_WAIT = (
    "you may need to wait a few minutes for the project's organization policy to be properly initialized, and then "
    "retry this operation."
)
