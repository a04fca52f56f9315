"""Where a topic's key is kept, against where the topic keeps messages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reconciler.model import DeclaredPolicy, Origin, TopicSpec, Unmanaged, Within
from reconciler.orgpolicy import EffectivePolicy
from reconciler.rules import check_topics
from tests.rules.topics import CATALOGUE, allowing, explicit, fleet, text, topic

EU = allowing("in:eu-locations")
ENTRY, DEFAULT = Origin("acme-orders.yaml", ("topics", 0, "kmsKeyName")), Origin("d.yaml", ("defaults", "kmsKeyName"))


def keyed(name: str, location: str, policy: DeclaredPolicy | None = None, origin: Origin = ENTRY) -> TopicSpec:
    key = f"projects/acme-keys/locations/{location}/keyRings/pubsub/cryptoKeys/topics"
    return replace(
        topic(f"acme-orders/{name}", policy), fields={"kmsKeyName": key}, field_origins={"kmsKeyName": origin}
    )


def found(*topics: TopicSpec, policy: EffectivePolicy | None = EU) -> list[str]:
    findings = check_topics(fleet(*topics), {"acme-orders": policy}, CATALOGUE)
    return [text(finding) for finding in findings if finding.code == "kms-location"]


def test_a_key_outside_the_topics_regions_is_told() -> None:
    policy = explicit("europe-west1", "europe-west4")

    assert found(keyed("orders", "us-east1", policy)) == [
        (
            "warning: `orders`: its key is in `us-east1`, outside the topic's regions (europe-west1, europe-west4)  "
            "[kms-location]\n  hint: use a key in `global`, or in one of the topic's regions"
        )
    ]


@pytest.mark.parametrize(
    ("location", "policy"),
    [
        ("global", explicit("europe-west1")),
        ("europe", explicit("europe-west1")),
        ("europe-west1", explicit("europe-west1", "europe-west4")),
        ("europe-west4", None),
        ("us-east1", Unmanaged()),
        ("us-east7", Within(groups=("in:us-locations",))),
    ],
)
def test_a_key_in_a_wider_place_or_in_one_of_the_regions_is_fine(location: str, policy: DeclaredPolicy | None) -> None:
    wide = allowing("in:eu-locations", "in:us-locations")

    assert found(keyed("orders", location, policy), policy=wide) == []


def test_without_a_policy_nothing_is_said_of_keys() -> None:
    assert found(keyed("orders", "us-east1"), policy=None) == []


def test_a_key_from_a_default_is_told_once() -> None:
    topics = [keyed(name, "us-east1", origin=DEFAULT) for name in ("one", "two")]

    assert found(*topics) == [
        (
            "warning: 2 topics in 1 project take a key in `us-east1` from this default; that is outside their regions  "
            "[kms-location]\n  in `acme-orders`: one, two\n  hint: use a key in `global`, or in one of the topic's regions"
        )
    ]
