"""Declared storage policies, read; equal ones are one object, since a fleet has few different ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from reconciler.model import DeclaredPolicy, Explicit, Inherit, Origin, RegionSet, Unmanaged, Within
from reconciler.spec.problems import Problems
from reconciler.spec.regions import read_groups, read_regions

INHERIT = Inherit()
UNMANAGED = Unmanaged()


@dataclass(slots=True)
class StoragePolicies:
    """Remembers the policies that were read without a remark."""

    _read: dict[tuple[str, ...], DeclaredPolicy] = field(default_factory=dict)

    def read(self, declared: Any, origin: Origin, lead: str, problems: Problems) -> DeclaredPolicy | None:
        """The policy that a `messageStoragePolicy` declares; `None` where something in it is wrong, which is noted."""
        if declared == "inherit":
            return INHERIT
        if declared == "unmanaged":
            return UNMANAGED
        flag = declared.get("enforceInTransit", "inherit")
        kind = "within" if "within" in declared else "allowedPersistenceRegions"
        written = declared[kind]
        key = (kind, str(flag), *written)
        if key in self._read:
            return self._read[key]
        enforce = None if flag == "inherit" else bool(flag)
        errors = problems.error_count
        policy: DeclaredPolicy
        if kind == "within":
            policy = Within(groups=read_groups(written, origin.at(kind), lead, problems), enforce_in_transit=enforce)
        else:
            regions = read_regions(written, origin.at(kind), lead, problems)
            policy = Explicit(regions=RegionSet.from_names(regions), enforce_in_transit=enforce)
        if problems.error_count > errors:
            return None
        if len(set(written)) == len(written):
            self._read[key] = policy
        return policy
