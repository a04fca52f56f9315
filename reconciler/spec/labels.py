"""Labels, by the API's rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from reconciler.model import Origin
from reconciler.spec.problems import Problems

MAX_LABELS = 64

_KEY = re.compile(r"[^\W\d_][\w-]{0,62}")
_VALUE = re.compile(r"[\w-]{0,63}")


def check_labels(labels: Mapping[str, str], entry: Origin, lead: str, problems: Problems, *, total: int = 0) -> None:
    """Notes labels of an entry that break the rules of Google Cloud's labels, and keys that Google keeps for itself.

    `total` counts them together with those that come from defaults. Letters may be of any alphabet, in lower case.
    """
    count = max(total, len(labels))
    if count <= MAX_LABELS and _are_labels(tuple(labels.items())):
        return
    at = entry.at("labels")
    if count > MAX_LABELS:
        problems.error("label-count", at, f"{lead}{count} labels, and a topic takes at most {MAX_LABELS}")
    for key, value in labels.items():
        if key.startswith("goog"):
            message = f"{lead}label `{key}`: keys that start with `goog` are Google's own"
            problems.error("label-key", at.at(key), message, hint="choose another key")
        elif not _KEY.fullmatch(key) or key != key.lower():
            hint = "write 1 to 63 lower-case letters, digits, `_` and `-`, starting with a letter"
            problems.error("label-key", at.at(key), f"{lead}`{key}` is not a label key", hint=hint)
        if not _VALUE.fullmatch(value) or value != value.lower():
            hint = "write up to 63 lower-case letters, digits, `_` and `-`"
            problems.error("label-value", at.at(key), f"{lead}`{value}` is not a value for label `{key}`", hint=hint)


@lru_cache(maxsize=4096)
def _are_labels(labels: tuple[tuple[str, str], ...]) -> bool:
    """Whether nothing is wrong with any label. Remembered, since a fleet repeats few different ones."""
    return all(
        not key.startswith("goog")
        and _KEY.fullmatch(key) is not None
        and _VALUE.fullmatch(value) is not None
        and (key, value) == (key.lower(), value.lower())
        for key, value in labels
    )
