"""A checkout and its cloud in a folder of its own: what the nights happen to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reconciler.model import RegionSet, StoragePolicy
from reconciler.sandbox import Sandbox, World
from reconciler.spec import load_catalogue, load_snapshot

ORGANIZATION = "organizations/123456789012"
LOCATIONS = f"{ORGANIZATION}/policies/gcp.resourceLocations"


def policy(*regions: str, flag: bool = False) -> StoragePolicy:
    """A storage policy."""
    return StoragePolicy(regions=RegionSet.of(*regions), enforce_in_transit=flag)


def allowing(*regions: str, on: str = ORGANIZATION) -> dict[str, object]:
    """The organization policy that allows just these regions, in v2 JSON."""
    values = [f"in:{region}-locations" for region in regions]
    return {
        "name": f"{on}/policies/gcp.resourceLocations",
        "spec": {"rules": [{"values": {"allowedValues": values}}]},
    }


def organization_file(projects: tuple[str, ...], allowed: tuple[str, ...], *, flag: bool = False) -> str:
    """A snapshot: the organization, these projects, and what it allows."""
    resources = "".join(
        f'  - {{name: projects/{project}, number: "{number}", parent: {ORGANIZATION}}}\n'
        for number, project in enumerate(projects, start=111111111111)
    )
    values = ", ".join(f'"in:{region}-locations"' for region in allowed)
    enforced = (
        f"  - name: {ORGANIZATION}/policies/pubsub.enforceInTransitRegions\n    spec: {{rules: [{{enforce: true}}]}}\n"
    )
    return (
        f"apiVersion: hedgerow/v1\norganization: {ORGANIZATION}\nresources:\n  - {{name: {ORGANIZATION}}}\n{resources}"
        f"policies:\n  - name: {LOCATIONS}\n    spec: {{rules: [{{values: {{allowedValues: [{values}]}}}}]}}\n"
        + (enforced if flag else "")
    )


def written(folder: Path, files: Mapping[str, str]) -> None:
    """Writes a checkout's files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def world_of(folder: Path) -> World:
    """The world that `policies/organization.yaml` describes, without topics."""
    world = World(catalogue=load_catalogue())
    world.load_snapshot(load_snapshot(folder / "policies/organization.yaml"))
    return world


def surroundings(box: Sandbox, **more: str) -> dict[str, str]:
    """The environment in which commands reach the sandbox."""
    reached = {name: value for name, value in box.environment().items() if name.startswith("HEDGEROW_")}
    return {**reached, **more}
