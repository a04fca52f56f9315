"""Names and labels that Pub/Sub accepts."""

from __future__ import annotations

import re
from collections.abc import Mapping

from reconciler.model import TopicName, is_project_id, is_project_number, is_topic_id
from reconciler.sandbox.errors import invalid

_RESOURCE = re.compile(r"projects/(?P<project>[^/]+)/(?P<kind>topics|subscriptions)/(?P<id>[^/]+)")
_LABEL_KEY = re.compile(r"[a-z][a-z0-9_-]{0,62}")
_LABEL_VALUE = re.compile(r"[a-z0-9_-]{0,63}")
_MOST_LABELS = 64


def topic_name(text: str) -> TopicName:
    """The name of a topic.

    Raises:
        ApiError: `INVALID_ARGUMENT`, worded as Google's emulator does.
    """
    return TopicName(*_parts(text, "topics"))


def subscription_id(text: str) -> tuple[str, str]:
    """Project and id of a subscription, whose ids follow the same rule as topics'."""
    return _parts(text, "subscriptions")


def project_of(text: str) -> str:
    """The project in `projects/PROJECT`."""
    collection, _, project = text.partition("/")
    if collection != "projects" or not _is_project(project):
        raise invalid(f"Invalid [projects] name: (name={text})")
    return project


def check_labels(labels: Mapping[str, str]) -> None:
    """Whether labels keep the documented rules, for letters of the Latin alphabet.

    Raises:
        ApiError: `INVALID_ARGUMENT` naming the first label that does not.
    """
    if len(labels) > _MOST_LABELS:
        raise invalid(f"A resource can have at most {_MOST_LABELS} labels, not {len(labels)}.")
    for key, value in sorted(labels.items()):
        if not _LABEL_KEY.fullmatch(key):
            raise invalid(f"Invalid label key: '{key}'.")
        if not _LABEL_VALUE.fullmatch(value):
            raise invalid(f"Invalid value of label '{key}': '{value}'.")


def _parts(text: str, kind: str) -> tuple[str, str]:
    match = _RESOURCE.fullmatch(text)
    if match is None or match["kind"] != kind or not _is_project(match["project"]) or not is_topic_id(match["id"]):
        raise invalid(f"Invalid [{kind}] name: (name={text})")
    return match["project"], match["id"]


def _is_project(text: str) -> bool:
    return is_project_id(text) or is_project_number(text)
