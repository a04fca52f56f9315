"""Pages of sorted names, with tokens that mean nothing to the client."""

from __future__ import annotations

import base64
import binascii
from bisect import bisect_right
from collections.abc import Sequence

from reconciler.sandbox.errors import invalid

DEFAULT_SIZE = 100
"""What a list call that names no page size gets (observed for ListTopics)."""

LARGEST_SIZE = 1000


def page(names: Sequence[str], size: int, token: str) -> tuple[Sequence[str], str]:
    """The names after `token`, at most `size` of them, and the token of the next page (empty: no more).

    A token keeps the place by name, so that creations and deletions between two pages neither repeat nor skip others.
    Sizes over 1,000 are cut to it.

    Raises:
        ApiError: `INVALID_ARGUMENT` for a negative size or a token that no list call handed out.
    """
    if size < 0:
        raise invalid("The page size must not be negative.")
    start = bisect_right(names, _name_in(token)) if token else 0
    end = start + min(size or DEFAULT_SIZE, LARGEST_SIZE)
    chosen = names[start:end]
    return chosen, _token_after(chosen[-1]) if end < len(names) else ""


def _token_after(name: str) -> str:
    return base64.urlsafe_b64encode(b"after:" + name.encode()).decode()


def _name_in(token: str) -> str:
    try:
        kind, _, name = base64.b64decode(token, altchars=b"-_", validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        kind, name = "", ""
    if kind != "after":
        raise invalid("The page token is invalid.")
    return name
