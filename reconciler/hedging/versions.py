"""Versions of client libraries, as far as they need comparing."""

from __future__ import annotations

import re
from dataclasses import dataclass

_VERSION = re.compile(
    r"v?(?P<numbers>[0-9]{1,9}(?:\.[0-9]{1,9}){0,3})(?P<suffix>[-.]?[A-Za-z][0-9A-Za-z.-]*)?(?:\+.*)?"
)


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A version number, ordered; `1.160.0-SNAPSHOT` and `2.0.0rc1` come before the release that they lead to."""

    numbers: tuple[int, int, int, int]
    is_release: bool = True

    @classmethod
    def parse(cls, text: str) -> Version | None:
        """Reads up to four numbers with an optional `v` before and a pre-release behind; `None` for anything else.

        Numbers that are left out count as 0; build metadata behind a `+` does not count.
        """
        match = _VERSION.fullmatch(text)
        if match is None:
            return None
        numbers = [int(number) for number in match["numbers"].split(".")]
        first, second, third, fourth = (*numbers, 0, 0, 0)[:4]
        return cls((first, second, third, fourth), match["suffix"] is None)
