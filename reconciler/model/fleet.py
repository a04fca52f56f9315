"""A stack: its settings, and everything that its files declare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum

from reconciler.model.digest import digest
from reconciler.model.exemptions import Exemption
from reconciler.model.names import TopicName
from reconciler.model.publishers import ClientFacts, HedgingProfile, Publisher
from reconciler.model.pulumi import PulumiSettings
from reconciler.model.topics import Origin, Resolutions, TopicSpec

LIVE = "live"
"""The `policySource` of a stack that asks the API instead of a snapshot."""


class UnmanagedTopics(StrEnum):
    """What to do about live topics that no spec declares."""

    REPORT = "report"
    IGNORE = "ignore"
    RECONCILE = "reconcile"


class Reader(StrEnum):
    """Which API live topics are read from."""

    PUBSUB = "pubsub"
    """Pub/Sub itself, a list for each project: current, and it holds both fields of a storage policy."""
    ASSET = "asset"
    """Cloud Asset Inventory, one list for the organization: it lags, and lacks the in-transit flag."""


class RuleLevel(StrEnum):
    """How a stack takes what a rule finds, where that is not as the rule has it."""

    ERROR = "error"
    WARNING = "warning"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Guardrails on how much one run may change.

    Attributes:
        topics: most topics that may change, in number.
        percent: most topics that may change, in percent of those looked at.
        minimum_population: with fewer topics than this, the share is not judged.
    """

    topics: int = 500
    percent: float = 20
    minimum_population: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Where the Google Cloud APIs are; `None` means Google's own.

    `http://HOST:PORT` is plain-text gRPC without credentials; anything else is TLS with the ambient credentials.
    """

    pubsub: str | None = None
    org_policy: str | None = None
    resource_manager: str | None = None
    asset: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileSettings:
    """What a run does and how much of it; defaults are those of a stack that says nothing.

    Attributes:
        widening: whether a run may add a region to a topic or switch in-transit enforcement off.
        waves: sizes of the waves, each a number of topics or a share (`"10%"`).
        operations_per_minute: Pub/Sub administrator operations per quota project.
        quota_project: who pays the quota; `None` is the caller's own project, `topic` each topic's.
        settle: a project whose effective policy changed less than this ago is only reported.
        reader: where live topics are read from, which changes nothing about what is wanted.
        journal: a folder, relative to the working directory, or `gs://BUCKET/PREFIX`.

    Reader and journal do not count in comparisons and fingerprints.
    """

    resolutions: Resolutions = Resolutions()
    widening: bool = False
    limits: Limits = Limits()
    waves: tuple[str, ...] = ("1", "10%", "100%")
    operations_per_minute: int = 3000
    quota_project: str | None = None
    settle: timedelta = timedelta(hours=1)
    unmanaged: UnmanagedTopics = UnmanagedTopics.REPORT
    reader: Reader = field(default=Reader.PUBSUB, compare=False)
    journal: str = field(default="runs", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """`stack.yaml`, parsed.

    Attributes:
        name: the folder's name.
        folder: the folder as the user named it.
        organization: `organizations/NUMBER`.
        policy_source: path of the snapshot, relative to the working directory, or `live`.
        projects: the stack's scope, sorted.
        publisher_output: where rendered files go: a folder, relative to the working directory, or `gs://BUCKET/PREFIX`.
        renders_nightly: whether the stack says where, so that a run renders too.
        client_libraries: what the stack adds to hedgerow's facts about client libraries, by language.
        rules: what the stack makes of rules, by code; whether a rule allows that is a rule's question.
        pulumi: how the stack is declared, which changes nothing about what is wanted.

    Paths, endpoints and `pulumi` do not count in comparisons and fingerprints: where a checkout lies changes nothing.
    """

    name: str
    folder: str = field(compare=False)
    organization: str
    policy_source: str = field(compare=False)
    projects: tuple[str, ...]
    reconcile: ReconcileSettings = ReconcileSettings()
    rules: Mapping[str, RuleLevel] = field(default_factory=dict)
    publisher_output: str = field(default="dist/publishers", compare=False)
    renders_nightly: bool = field(default=False, compare=False)
    client_libraries: tuple[ClientFacts, ...] = ()
    endpoints: Endpoints = field(default=Endpoints(), compare=False)
    pulumi: PulumiSettings = field(default_factory=PulumiSettings, compare=False)
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """All that a stack declares, in canonical order: topics by name, publishers by service, and so on.

    Build it with `Fleet.of`; two fleets from the same entries in any order, from any files, are equal in everything
    but origins, and have the same `fingerprint`.
    """

    stack: Stack
    topics: tuple[TopicSpec, ...] = ()
    publishers: tuple[Publisher, ...] = ()
    profiles: tuple[HedgingProfile, ...] = ()
    exemptions: tuple[Exemption, ...] = ()
    by_name: Mapping[TopicName, TopicSpec] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        stack: Stack,
        topics: Iterable[TopicSpec] = (),
        publishers: Iterable[Publisher] = (),
        profiles: Iterable[HedgingProfile] = (),
        exemptions: Iterable[Exemption] = (),
    ) -> Fleet:
        """A fleet in canonical order.

        Raises:
            ValueError: for two topics of one name, which the loader refuses with both places.
        """
        ordered = tuple(sorted(topics, key=lambda topic: (topic.name.project, topic.name.topic)))
        by_name = {topic.name: topic for topic in ordered}
        if len(by_name) != len(ordered):
            raise ValueError("two topics of one name")
        return cls(
            stack=stack,
            topics=ordered,
            publishers=tuple(sorted(publishers, key=lambda publisher: publisher.service)),
            profiles=tuple(sorted(profiles, key=lambda profile: profile.name)),
            exemptions=tuple(sorted(exemptions, key=_exemption_order)),
            by_name=by_name,
        )

    @property
    def fingerprint(self) -> str:
        """`sha256:...` over everything declared, blind to order and to where it was written."""
        return digest([self.stack, [*_lines(self.topics)], self.publishers, self.profiles, self.exemptions])


def _lines(topics: Iterable[TopicSpec]) -> Iterator[str]:
    """Each topic as its name and a digest of everything else, which most topics share with others."""
    shared: dict[tuple[object, ...], str] = {}
    for topic in topics:
        # Labels and fields are mappings, which are no keys; written in another order they are only digested again.
        labels, fields = tuple(topic.labels.items()), repr(topic.fields)
        # Resolutions are compared by identity: they come from the stack's settings, and hashing them takes longer.
        rest = (topic.policy, id(topic.resolutions), labels, fields, topic.subscribers)
        if rest not in shared:
            shared[rest] = digest(replace(topic, name=_ANY))
        yield f"{topic.name} {shared[rest]}"


_ANY = TopicName("-", "-")


def _exemption_order(exemption: Exemption) -> tuple[object, ...]:
    return exemption.rule, exemption.topics, exemption.expires, exemption.owner, exemption.reason
