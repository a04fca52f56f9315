"""Topic resources as policies see them, and what is found about them as text."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from reconciler.model import Explicit, Inherit, TopicSpec
from reconciler.pulumi.pack.judge import Judge, load_judge
from reconciler.pulumi.pack.settings import Settings
from reconciler.pulumi.pack.topics import KEY, TopicResource
from reconciler.rules import Finding

TODAY = date(2026, 11, 30)
ORDERS = "acme-orders-prod"


def topic(*, urn: str = "urn:orders", default_project: Any = None, **properties: Any) -> TopicResource:
    """A topic `orders` of `acme-orders-prod`; a property that is given as `None` is one that it does not have."""
    given = {"name": "orders", "project": ORDERS, **properties}
    present = {key: value for key, value in given.items() if value is not None}
    return TopicResource(urn=urn, name="resource", properties=present, default_project=default_project)


def stating(regions: Any, flag: Any = False) -> dict[str, Any]:
    """A storage policy; a flag of `None` is left out."""
    return {"allowedPersistenceRegions": regions, **({} if flag is None else {"enforceInTransit": flag})}


def judging(snapshot: Path, **settings: Any) -> Judge:
    return load_judge(Settings(snapshot=snapshot, **settings), lambda: TODAY)


def declared(spec: TopicSpec) -> TopicResource | None:
    """A resource that declares what a spec does; `None` where no resource can, for `within` and `unmanaged`."""
    properties: dict[str, Any] = {"name": spec.name.topic, "project": spec.name.project}
    if KEY in spec.fields:
        properties[KEY] = spec.fields[KEY]
    match spec.policy:
        case Explicit(regions=regions, enforce_in_transit=flag):
            properties["messageStoragePolicy"] = stating(list(regions), flag)
        case Inherit():
            pass
        case _:
            return None
    return TopicResource(urn=str(spec.name), name=spec.name.topic, properties=properties)


def texts(findings: Iterable[Finding]) -> list[str]:
    """Each finding as a policy reports it, with the rule's code first."""
    return [
        "\n".join([f"{f.code}: {f.message}", *(f"  {d}" for d in f.details), *([f"  hint: {f.hint}"] * bool(f.hint))])
        for f in findings
    ]
