"""A preview from which nothing follows."""

from __future__ import annotations

from reconciler.errors import NotEvaluated


class UnreadablePreview(NotEvaluated):
    """What was given is no whole preview, so that nobody knows what it would do; never "nothing"."""
