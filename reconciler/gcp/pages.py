"""Walking the pages of a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from reconciler.errors import CallFailed


def walked(pages: Iterable[Any], method: str) -> Iterator[Any]:
    """The pages of a list call, each with its `next_page_token`, in order.

    Raises:
        CallFailed: when they turn in circles: a list that never ends is none to believe.
    """
    seen: set[str] = set()
    for page in pages:
        yield page
        if page.next_page_token in seen:
            raise CallFailed("INTERNAL", f"{method} handed out the same page token twice", is_transient=False)
        seen.add(page.next_page_token)
