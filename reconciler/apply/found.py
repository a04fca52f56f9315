"""What was found under a name where generated files go."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Something under a name.

    Attributes:
        content: `None` for what has no content of its own: a folder, a link.
        version: what a conditional write compares, where there is such a thing.
    """

    content: bytes | None
    version: object = field(default=None, compare=False)
