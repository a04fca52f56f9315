"""Where a topic's key is kept, against where the topic keeps messages."""

from __future__ import annotations

from collections.abc import Iterator

from reconciler.model import REGION_SHAPE, TopicSpec
from reconciler.orgpolicy import Catalogue, EffectivePolicy
from reconciler.rules.complaints import Complaint
from reconciler.rules.places import place_of
from reconciler.rules.topic_rules import KMS_LOCATION

_FIELD = "kmsKeyName"


def key_complaints(topic: TopicSpec, policy: EffectivePolicy, catalogue: Catalogue) -> Iterator[Complaint]:
    """Whether the key is in a region that certainly is none of the topic's.

    Nothing is said of keys in `global` and in multi-regions, which hold the regions of many topics.
    """
    key = topic.fields.get(_FIELD)
    if key is None:
        return
    _, _, _, location, *_ = key.split("/")
    place = place_of(topic, policy, catalogue)
    if REGION_SHAPE.fullmatch(location) and place.is_outside(location):
        yield Complaint(
            rule=KMS_LOCATION,
            topic=topic,
            written_at=topic.field_origins.get(_FIELD, topic.origin),
            claim=f"a key in `{location}`",
            message=f"its key is in `{location}`, outside the topic's regions ({place})",
            verdict="that is outside their regions",
            hint="use a key in `global`, or in one of the topic's regions",
        )
