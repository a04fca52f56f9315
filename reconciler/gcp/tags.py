"""How Resource Manager names tags and what they are bound to."""

from __future__ import annotations

from typing import Any

FULL_NAME = "//cloudresourcemanager.googleapis.com/"
"""What the full resource name of an organization, folder or project starts with; projects follow by number."""


def short_value(tag: Any) -> str:
    """The short value of an effective tag: `prod` of `123456789012/env/prod`."""
    return str(tag.namespaced_tag_value).removeprefix(f"{tag.namespaced_tag_key}/")
