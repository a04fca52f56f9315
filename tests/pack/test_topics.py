"""What a resource says about a topic, whatever the organization allows."""

from __future__ import annotations

from typing import Any

import pytest

from reconciler.model import Explicit, Inherit, RegionSet, TopicName
from reconciler.pulumi.pack.topics import UNKNOWN, TopicResource, read_topic
from tests.pack.resources import ORDERS, stating, texts, topic

KEY = "projects/acme-keys/locations/europe-west1/keyRings/pubsub/cryptoKeys/topics"


def test_a_resource_becomes_the_spec_of_its_topic() -> None:
    read = read_topic(topic(messageStoragePolicy=stating(["europe-west4", "europe-west1"], True), kmsKeyName=KEY), {})

    assert read.spec is not None
    assert read.spec.name == TopicName(ORDERS, "orders")
    assert read.spec.policy == Explicit(regions=RegionSet.of("europe-west1", "europe-west4"), enforce_in_transit=True)
    assert read.spec.fields == {"kmsKeyName": KEY}
    assert (read.lead, read.is_named, read.findings) == ("orders", True, ())


def test_a_topic_without_a_storage_policy_follows_the_organization() -> None:
    read = read_topic(topic(), {})

    assert read.spec is not None
    assert (read.spec.policy, read.findings) == (Inherit(), ())


@pytest.mark.parametrize(
    ("resource", "name"),
    [
        (topic(project="111111111111"), TopicName(ORDERS, "orders")),
        (topic(project=111111111111.0), TopicName(ORDERS, "orders")),
        (topic(project=None, default_project=ORDERS), TopicName(ORDERS, "orders")),
        (topic(name="projects/acme-lab/topics/trials", project=None), TopicName("acme-lab", "trials")),
    ],
    ids=["by number", "by number as the engine sends numbers", "of the provider", "in the topic's full name"],
)
def test_a_topics_project_may_be_given_in_several_ways(resource: TopicResource, name: TopicName) -> None:
    read = read_topic(resource, {"111111111111": ORDERS})

    assert read.findings == ()
    assert read.spec is not None
    assert read.spec.name == name


def test_a_topic_of_unknown_name_is_read_all_the_same() -> None:
    read = read_topic(topic(name=UNKNOWN, messageStoragePolicy=stating(["europe-west1"])), {})

    assert read.spec is not None
    assert (read.spec.name, read.is_named, read.findings) == (TopicName(ORDERS, "resource"), False, ())


PLAIN = "\n  hint: write a plain value, or take it from one that is known before the update"


@pytest.mark.parametrize(
    ("resource", "path"),
    [
        (topic(project=UNKNOWN), "project"),
        (topic(project=None, default_project=UNKNOWN), "project"),
        (topic(messageStoragePolicy=UNKNOWN), "messageStoragePolicy"),
        (topic(messageStoragePolicy=stating(UNKNOWN)), "messageStoragePolicy.allowedPersistenceRegions"),
        (
            topic(messageStoragePolicy=stating(["europe-west1", UNKNOWN])),
            "messageStoragePolicy.allowedPersistenceRegions",
        ),
        (topic(messageStoragePolicy=stating(["europe-west1"], UNKNOWN)), "messageStoragePolicy.enforceInTransit"),
    ],
)
def test_what_is_not_known_and_decides_is_a_finding_and_no_spec(resource: TopicResource, path: str) -> None:
    read = read_topic(resource, {})

    message = f"value-unknown: `orders`: `{path}` is not known in a preview, so what hangs on it is not checked"
    assert texts(read.findings) == [message + PLAIN]
    assert read.spec is None


def test_an_unknown_key_leaves_the_regions_to_be_checked() -> None:
    read = read_topic(topic(kmsKeyName=UNKNOWN, messageStoragePolicy=stating(["europe-west1"])), {})

    assert [finding.code for finding in read.findings] == ["value-unknown"]
    assert read.spec is not None
    assert read.spec.fields == {}


EMPTY = (
    "storage-policy-empty: `orders`: `allowedPersistenceRegions` is empty: every publish would fail\n"
    "  hint: list at least one region, or leave `messageStoragePolicy` out to follow the organization"
)


@pytest.mark.parametrize("block", [stating([]), {"enforceInTransit": False}, stating("")])
def test_a_storage_policy_without_a_region_is_an_error_and_not_everything(block: dict[str, Any]) -> None:
    read = read_topic(topic(messageStoragePolicy=block), {})

    assert (texts(read.findings), read.spec) == ([EMPTY], None)


def test_a_flag_that_is_left_out_is_an_error_and_the_regions_are_checked_all_the_same() -> None:
    read = read_topic(topic(messageStoragePolicy=stating(["europe-west1"], None)), {})

    assert texts(read.findings) == [
        (
            "in-transit-not-stated: `orders`: `enforceInTransit` is left out beside `allowedPersistenceRegions`\n"
            "  hint: write `enforceInTransit: true` where the organization requires it, else `enforceInTransit: false`"
        )
    ]
    assert read.spec is not None
    assert read.spec.policy == Explicit(regions=RegionSet.of("europe-west1"))


@pytest.mark.parametrize(
    ("resource", "text"),
    [
        (
            topic(messageStoragePolicy=stating(["europe-west1-b"])),
            "`orders`: `europe-west1-b` is a zone, and Pub/Sub keeps messages in regions\n  hint: write `europe-west1`",
        ),
        (
            topic(messageStoragePolicy=stating(["EU"])),
            (
                "`orders`: `EU` is a multi-region, and Pub/Sub keeps messages in single regions\n"
                "  hint: list the regions one by one"
            ),
        ),
        (
            topic(messageStoragePolicy=stating("europe-west1")),
            "`orders`: `allowedPersistenceRegions` is not a list of regions\n  hint: write a list, of one region too",
        ),
        (
            topic(messageStoragePolicy=stating([1.0])),
            "`orders`: `allowedPersistenceRegions` is not a list of regions\n  hint: write a list, of one region too",
        ),
        (
            topic(messageStoragePolicy=["europe-west1"]),
            (
                "`orders`: `messageStoragePolicy` is not an object\n"
                "  hint: write `{allowedPersistenceRegions: [...], enforceInTransit: ...}`"
            ),
        ),
        (
            topic(project="Acme Orders"),
            (
                "`orders`: `Acme Orders` is not a project id\n"
                "  hint: write the id: 6 to 30 lower-case letters, digits and hyphens; not the display name"
            ),
        ),
        (
            topic(project=None),
            (
                "`orders`: no project is given, so it is not known what the organization allows\n"
                "  hint: set `project`, or the project of the provider (`gcp:project`)"
            ),
        ),
    ],
)
def test_what_has_the_wrong_form_is_an_error_and_no_spec(resource: TopicResource, text: str) -> None:
    read = read_topic(resource, {})

    assert (texts(read.findings), read.spec) == ([f"topic-form: {text}"], None)


@pytest.mark.parametrize(
    ("resource", "text"),
    [
        (
            topic(name="goog-orders"),
            (
                "`goog-orders`: `goog-orders` is not a topic id\n"
                "  hint: write 3 to 255 letters, digits and `-._~+%`, starting with a letter, but not with `goog`"
            ),
        ),
        (
            topic(messageStoragePolicy=stating(["europe-west1"], "true")),
            "`orders`: `enforceInTransit` is `true`, neither true nor false\n  hint: write `true` or `false`",
        ),
        (
            topic(kmsKeyName="topics"),
            (
                "`orders`: `kmsKeyName` is `topics`, not the name of a key\n"
                "  hint: write `projects/P/locations/L/keyRings/R/cryptoKeys/K`"
            ),
        ),
    ],
)
def test_what_has_the_wrong_form_beside_the_regions_leaves_them_to_be_checked(
    resource: TopicResource, text: str
) -> None:
    read = read_topic(resource, {})

    assert texts(read.findings) == [f"topic-form: {text}"]
    assert read.spec is not None
