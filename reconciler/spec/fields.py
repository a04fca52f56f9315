"""Topic fields that the reconciler only carries: the API's limits that a schema cannot put in words a reader follows.

Which fields exclude each other, and which are required, is from the field comments of `google.pubsub.v1.Topic` and of
the messages in it (google-cloud-pubsub 2.44.0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reconciler.model import Origin, is_topic_id
from reconciler.spec.problems import Problems

TRANSFORMS = ("javascriptUdf", "compression", "aiInference")
SOURCES = ("awsKinesis", "cloudStorage", "azureEventHubs", "awsMsk", "confluentCloud")
_ID = "write 3 to 255 letters, digits and `-._~+%`, starting with a letter, but not with `goog`"
"""The rule for ids of topics holds for schemas too (https://cloud.google.com/pubsub/docs/pubsub-basics)."""

FORMATS = ("textFormat", "avroFormat", "pubsubAvroFormat")


def check_fields(values: Mapping[str, Any], origin: Origin, lead: str, problems: Problems) -> None:
    """Notes what is wrong with the schema, the message transforms and the ingestion of a topic or of `defaults`."""
    schema = values.get("schemaSettings", {}).get("schema", "").rpartition("/")[2]
    if schema and not is_topic_id(schema):
        at = origin.at("schemaSettings", "schema")
        problems.error("topic-field", at, f"{lead}`{schema}` is not a schema id", hint=_ID)
    _check_transforms(values.get("messageTransforms", ()), origin.at("messageTransforms"), lead, problems)
    ingestion: Mapping[str, Any] = values.get("ingestionDataSourceSettings", {})
    at = origin.at("ingestionDataSourceSettings")
    _check_one_of(ingestion, SOURCES, at, f"{lead}`ingestionDataSourceSettings`", problems)
    storage = ingestion.get("cloudStorage", {})
    _check_one_of(storage, FORMATS, at.at("cloudStorage"), f"{lead}`cloudStorage`", problems)


def _check_transforms(transforms: Sequence[Mapping[str, Any]], origin: Origin, lead: str, problems: Problems) -> None:
    first: dict[str, Origin] = {}
    for index, transform in enumerate(transforms):
        at = origin.at(index)
        what = f"{lead}`messageTransforms[{index}]`"
        _check_one_of(transform, TRANSFORMS, at, what, problems)
        if not any(kind in transform for kind in TRANSFORMS):
            problems.error("topic-field", at, f"{what} transforms nothing", hint=f"write one of {_listed(TRANSFORMS)}")
        name = transform.get("javascriptUdf", {}).get("functionName")
        if name is not None and (before := first.setdefault(name, at)) is not at:
            message = f"{what}: another transform has the function `{name}` too"
            problems.error("topic-field", at, message, hint="give each function a name of its own", first=before)


def _check_one_of(
    values: Mapping[str, Any], choices: Sequence[str], origin: Origin, what: str, problems: Problems
) -> None:
    found = [choice for choice in choices if choice in values]
    if len(found) > 1:
        message = f"{what} has {_listed(found)}, which exclude each other"
        problems.error("topic-field", origin.at(found[1]), message, hint="keep one of them")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
