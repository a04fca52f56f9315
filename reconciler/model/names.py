"""Names of projects and topics, parsed once."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reconciler.errors import InvalidInput

_PROJECT_ID = re.compile(r"(?:[a-z][a-z0-9.-]*:)?[a-z][a-z0-9-]{4,28}[a-z0-9]")
_PROJECT_NUMBER = re.compile(r"[1-9][0-9]{0,18}")
_TOPIC_ID = re.compile(r"(?!goog)[A-Za-z][A-Za-z0-9._~+%-]{2,254}")
_TOPIC_NAME = re.compile(r"projects/(?P<project>[^/]+)/topics/(?P<topic>[^/]+)")


def is_project_id(text: str) -> bool:
    """Whether `text` has the shape of a project id: 6 to 30 lower-case letters, digits and hyphens."""
    return _PROJECT_ID.fullmatch(text) is not None


def is_project_number(text: str) -> bool:
    """Whether `text` has the shape of a project number."""
    return _PROJECT_NUMBER.fullmatch(text) is not None


def is_topic_id(text: str) -> bool:
    """Whether `text` is a topic id by the API's rule.

    3 to 255 of letters, digits and `-._~+%`, starting with a letter, not with `goog` (Pub/Sub API reference,
    Topic.name).
    """
    return _TOPIC_ID.fullmatch(text) is not None


@dataclass(frozen=True, slots=True, order=True)
class TopicName:
    """`projects/PROJECT/topics/TOPIC`. Ordered by project, then topic."""

    project: str
    topic: str

    @classmethod
    def parse(cls, text: str) -> TopicName:
        """Reads the full name of a topic.

        Raises:
            InvalidInput: when it is not of the form `projects/P/topics/T`.
        """
        match = _TOPIC_NAME.fullmatch(text)
        if match is None:
            raise InvalidInput(f"`{text}` is not a topic name", hint="write `projects/PROJECT/topics/TOPIC`")
        return cls(match["project"], match["topic"])

    def __str__(self) -> str:
        return f"projects/{self.project}/topics/{self.topic}"
