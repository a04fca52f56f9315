"""The tags of a resource, its own and those it inherits, as conditions ask about them.

Tags bind to organizations, folders and projects and are inherited downwards; a value bound nearer wins over another
value of the same key (Google's "Tags overview" and `EffectiveTag.inherited` of Resource Manager v3). Where nobody says
which tags a resource has, they are unknown, which is not the same as none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class TagKey:
    """The permanent ids of a tag key and of its values: `tagKeys/281`, and short value to `tagValues/47`."""

    id: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tags:
    """The effective tags of one resource.

    Attributes:
        values: namespaced key (`123456789012/env`) to short value (`prod`), as far as they are known.
        unknown_at: the nearest resource whose own tags are not known; a key that is not in `values` may be bound there
            or above. `None` where `values` is everything.
        keys: the permanent ids, by namespaced key, as far as they are known.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    unknown_at: str | None = None
    keys: Mapping[str, TagKey] = field(default_factory=dict)

    @classmethod
    def inherited(
        cls, own: Iterable[tuple[str, Mapping[str, str] | None]], keys: Mapping[str, TagKey] | None = None
    ) -> Tags:
        """The effective tags, from the own tags of a resource and its ancestors, nearest first (`None`: unknown)."""
        values: dict[str, str] = {}
        for node, tags in own:
            if tags is None:
                return cls(values=values, unknown_at=node, keys=keys or {})
            values = {**tags, **values}
        return cls(values=values, keys=keys or {})

    def has_key(self, key: str) -> bool | None:
        """Whether a tag of this namespaced key is bound; `None` where that is not known."""
        if key in self.values:
            return True
        return None if self.unknown_at else False

    def has_value(self, key: str, value: str) -> bool | None:
        """Whether the tag of this key has this short value; `None` where that is not known."""
        return self.values[key] == value if key in self.values else self.has_key(key)

    def has_key_id(self, key_id: str) -> bool | None:
        """The same as `has_key`, by the key's permanent id."""
        for key, known in self.keys.items():
            if known.id == key_id:
                return self.has_key(key)
        return self._of_unknown_id(self.values.keys() <= self.keys.keys())

    def has_value_id(self, key_id: str, value_id: str) -> bool | None:
        """The same as `has_value`, by the permanent ids."""
        for key, known in self.keys.items():
            if known.id == key_id:
                if key not in self.values:
                    return self.has_key(key)
                bound = known.values.get(self.values[key])
                return None if bound is None else bound == value_id
        return self._of_unknown_id(self.values.keys() <= self.keys.keys())

    def _of_unknown_id(self, has_all_ids: bool) -> bool | None:  # noqa: FBT001 - private, and a fact rather than a switch
        """An id that no known key has: certainly not bound, if the ids of everything that is bound are known."""
        return False if has_all_ids and self.unknown_at is None else None


NO_TAGS = Tags()
"""A resource without any tag."""
