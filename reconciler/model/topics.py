"""Topics: as declared in a spec, and as they are live."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from reconciler.model.names import TopicName
from reconciler.model.storage import DeclaredPolicy, StoragePolicy


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """Where something was written: a file and the keys and indexes that lead to it.

    Lines and columns are looked up only when a message needs them (`reconciler.spec.positions`).
    """

    file: str
    path: tuple[str | int, ...] = ()

    def at(self, *keys: str | int) -> Origin:
        """The origin of something inside this one."""
        return Origin(self.file, (*self.path, *keys))


class Resolution(StrEnum):
    """What a reconciliation does about a drift. The first three are the console's."""

    RESTRICT = "restrict"
    """Remove what is not allowed: `L ∩ A`."""
    EXTEND = "extend"
    """Add what is wanted: `L ∪ W`."""
    RECOMPUTE = "recompute"
    """Let the server compute the policy anew from the organization's."""
    ENFORCE = "enforce"
    """Write exactly what is wanted."""
    REPORT = "report"
    """Write nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolutions:
    """The resolution for each kind of drift; the defaults are those of a stack that says nothing."""

    disallowed: Resolution = Resolution.RESTRICT
    missing: Resolution = Resolution.REPORT
    mixed: Resolution = Resolution.RESTRICT
    spec: Resolution = Resolution.ENFORCE
    in_transit: Resolution = Resolution.ENFORCE
    empty: Resolution = Resolution.REPORT


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscriber:
    """Who reads a topic, from which regions, and how (`pull`, `push` or `export`)."""

    name: str
    regions: tuple[str, ...] = ()
    delivery: str = "pull"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSpec:
    """One declared topic.

    Attributes:
        policy: the declared storage policy.
        labels: user labels.
        resolutions: those of the stack, with the topic's own put over them.
        fields: other Topic fields under their REST names, verbatim (`messageRetentionDuration`, `kmsKeyName`, ...).
        subscribers: for the rules on in-transit enforcement.
        origin: the topic's entry.
        policy_origin: where its storage policy was written: the entry, or the defaults that it takes it from.
        field_origins: the same for `fields`.
        subscribers_origin: the same for `subscribers`, if any are listed.
    """

    name: TopicName
    policy: DeclaredPolicy
    labels: Mapping[str, str] = field(default_factory=dict)
    resolutions: Resolutions = Resolutions()
    fields: Mapping[str, Any] = field(default_factory=dict)
    subscribers: tuple[Subscriber, ...] = ()
    origin: Origin
    policy_origin: Origin
    field_origins: Mapping[str, Origin] = field(default_factory=dict, compare=False)
    subscribers_origin: Origin | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTopic:
    """What a topic looks like in the cloud, as far as hedgerow looks at it.

    Attributes:
        policy: `None` where the topic has no storage policy.
        in_transit_known: false where the source cannot tell the flag (Cloud Asset Inventory omits it).
    """

    name: TopicName
    policy: StoragePolicy | None
    in_transit_known: bool = True
