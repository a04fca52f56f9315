"""The organization's policy as a command needs it: from the stack's snapshot, and from the API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reconciler.cli.surroundings import connection
from reconciler.model import LIVE, Fleet
from reconciler.orgpolicy import Catalogue, EffectivePolicy
from reconciler.reconcile import Unavailable
from reconciler.spec import load_catalogue, load_snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What the stack's policy source says.

    Attributes:
        catalogue: with the snapshot's own value groups.
        policies: by project of the stack; `None` for a project that the source does not have.
        source: for messages: `the snapshot of 2026-11-30 02:00 UTC`, `the live policies`.
    """

    catalogue: Catalogue
    policies: Mapping[str, EffectivePolicy | Unavailable | None]
    source: str

    @property
    def known(self) -> dict[str, EffectivePolicy | None]:
        """The policies that could be read; `None` for the others."""
        return {p: e if isinstance(e, EffectivePolicy) else None for p, e in self.policies.items()}


def snapshot_policies(fleet: Fleet) -> Declared:
    """The effective policies of a stack's projects as its snapshot has them.

    Raises:
        InvalidSpecs: when the snapshot cannot be used.
    """
    snapshot = load_snapshot(Path(fleet.stack.policy_source))
    catalogue = load_catalogue().with_groups(snapshot.value_groups)
    captured = (snapshot.captured_at or "").replace("T", " ").removesuffix("Z").removesuffix(":00")
    return Declared(
        catalogue=catalogue,
        policies={project: snapshot.effective_policy(project, catalogue) for project in fleet.stack.projects},
        source=f"the snapshot of {captured} UTC" if captured else f"the snapshot {fleet.stack.policy_source}",
    )


def declared_policies(fleet: Fleet) -> Declared:
    """The same from whichever source the stack names."""
    if fleet.stack.policy_source != LIVE:
        return snapshot_policies(fleet)
    catalogue = load_catalogue()
    return Declared(catalogue=catalogue, policies=live_policies(fleet, catalogue), source="the live policies")


def live_policies(fleet: Fleet, catalogue: Catalogue) -> Mapping[str, EffectivePolicy | Unavailable]:
    """The effective policies of a stack's projects as the API answers them now."""
    link = connection(fleet.stack)
    from reconciler.gcp import Organization, read_policies  # see `connection`

    return read_policies(fleet.stack.projects, Organization(link, catalogue))
