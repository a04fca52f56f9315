"""A service's publishing side: hedging, retries, flow control, per topic."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from reconciler.model.names import TopicName
from reconciler.model.topics import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class HedgingProfile:
    """Publish hedging settings as declared; `reconciler.rules` judges whether the clients accept them.

    Attributes:
        name: the profile's name in the stack.
        hedge_delay: how long a publish request runs before a second one is sent.
        max_tokens: capacity of the token bucket, in hedges; the bucket starts empty.
        refill_ratio: tokens gained for each successful publish request.
    """

    name: str
    hedge_delay: timedelta
    max_tokens: int | float
    refill_ratio: float
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrySettings:
    """Timeouts of a publish request; `None` means the client library's default."""

    initial_rpc_timeout: timedelta | None = None
    max_rpc_timeout: timedelta | None = None
    rpc_timeout_multiplier: float | None = None
    total_timeout: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientFacts:
    """What a stack knows about a language's client library, beyond or against what hedgerow ships.

    Attributes:
        coordinates: its name where packages are published; needed for a language that hedgerow does not know.
        newest: its newest version.
        hedging_since: the first version that hedges.
        defaults: its own timeouts, as far as they are known.
        source: where the facts come from.
    """

    language: str
    coordinates: str | None = None
    newest: str | None = None
    hedging_since: str | None = None
    defaults: RetrySettings = RetrySettings()
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Batching:
    """Thresholds at which a batch of messages is sent; `None` means the client library's default."""

    max_messages: int | None = None
    max_bytes: int | None = None
    max_latency: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowControl:
    """Limits on messages not yet acknowledged by the service; `limit_exceeded` is `block`, `error` or `ignore`."""

    max_outstanding_messages: int | None = None
    max_outstanding_bytes: int | None = None
    limit_exceeded: str = "block"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTopic:
    """How one service publishes to one topic.

    Attributes:
        hedging: the profile, or `None` for off.
        hedging_origin: where hedging was chosen: the topic's entry, the service's, or defaults.
        ordering_origin: where ordering was chosen, if it is on.
        endpoint: `global` or a region; `None` leaves the choice to `reconciler.rules.with_endpoints`.
        origins: where the other settings were written, by key (`endpoint`, `retry.totalTimeout`): the topic's entry,
            the service's, or defaults.
    """

    topic: TopicName
    hedging: HedgingProfile | None
    hedging_origin: Origin
    retry: RetrySettings = RetrySettings()
    batching: Batching | None = None
    flow_control: FlowControl | None = None
    message_ordering: bool = False
    ordering_origin: Origin | None = None
    endpoint: str | None = None
    origins: tuple[tuple[str, Origin], ...] = field(default=(), compare=False)
    origin: Origin

    def origin_of(self, key: str) -> Origin:
        """Where a setting was written, if it was; else where the topic's entry is."""
        return next((origin for name, origin in self.origins if name == key), self.origin)


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """A service that publishes.

    Attributes:
        service: its name, and that of its generated file.
        language: `java`, `go`, `rust`, `python`, `node`, ...
        client_version: the client library's version; `None` means the newest that hedgerow knows.
        adapter: a second file in a framework's form, or `None`.
        regions: where the service runs.
        duplicates_tolerated: whether its subscribers cope with a message arriving twice, under two message ids.
        expected_requests_per_second: publish requests of one publisher object, if declared.
        give_up_after: how long its callers wait for a message to be published, if declared.
        lifetime: how long one of its processes lives, if declared.

    The last two are for the rules alone: they change no generated file, and do not count in comparisons and digests.
    """

    service: str
    language: str
    client_version: str | None = None
    adapter: str | None = None
    regions: tuple[str, ...] = ()
    duplicates_tolerated: bool = False
    expected_requests_per_second: float | None = None
    give_up_after: timedelta | None = field(default=None, compare=False)
    lifetime: timedelta | None = field(default=None, compare=False)
    topics: tuple[PublishedTopic, ...]
    origin: Origin
