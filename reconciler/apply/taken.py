"""What a store says when another run holds the lease."""

from __future__ import annotations


class Taken(Exception):
    """Another holds the lease; `record` is what it wrote there, which may be empty or half."""

    def __init__(self, record: bytes) -> None:
        super().__init__()
        self.record = record
