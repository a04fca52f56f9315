"""What a Pub/Sub client library does with publish settings: the shape of the facts, not the facts.

The facts that hedgerow ships are in `reconciler.hedging.libraries`; whoever knows a newer library builds its own
`ClientLibrary` and passes it on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from reconciler.hedging.versions import Version


class Hedging(StrEnum):
    """Whether a release can hedge publish requests."""

    ABSENT = "absent"
    WALL_CLOCK = "wall-clock"
    """It can, but times its hedges by the wall clock: a step of the clock delays hedges or sends them in a burst."""
    PRESENT = "present"


class Mistake(StrEnum):
    """A kind of bad value, as far as libraries differ in what they do with it."""

    RANGE = "range"
    NEGATIVE = "negative"
    ZERO = "zero"
    NOT_A_NUMBER = "not-a-number"
    NOT_WHOLE = "not-whole"
    """A fraction or infinity where the clients' own types hold whole numbers only: none can even be asked."""
    FRACTION = "fraction"
    DELAY_TIMEOUT = "delay-timeout"
    ORDERING = "ordering"


class Evidence(StrEnum):
    """How a fact is known."""

    RUN = "run"
    """Seen by running the library against a scripted server."""
    READ = "read"
    """In the released source of exactly these versions."""
    DOCUMENTED = "documented"


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultTimeouts:
    """Timeouts that a library uses where the application sets none.

    Attributes:
        initial: of the first attempt; `None` means that a library has no timeout per attempt, only the total.
        multiplier: by which the timeout of each retry grows.
        maximum: of any attempt; `None` as for `initial`.
        total: over all attempts.
    """

    initial: timedelta | None
    multiplier: float
    maximum: timedelta | None
    total: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """How a library behaves from the version `since` on, up to the next entry of its list.

    Attributes:
        evidence: how the fact is known at best.
        source: what was run, read or documented.
    """

    since: str
    hedging: Hedging
    evidence: Evidence
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientLibrary:
    """The facts about one language's library.

    Attributes:
        language: as written in specs.
        title: the language's name in messages.
        coordinates: the library's name where its language's packages are published.
        newest: the newest version that hedgerow knows, as that ecosystem spells it; `None` if it knows none.
        releases: where hedging changed, oldest first; empty for a library without hedging in any known version.
        defaults: its timeouts; `None` if hedgerow does not know them, so that a spec must state all of them.
        minimum_initial: the shortest initial RPC timeout that it accepts, if it has such a limit.
        minimum_total: the shortest total timeout that it accepts, if it has such a limit.
        flow_control: whether its publisher can limit the messages under way.
        reactions: what it does with a bad value, for messages: a clause after the language's name.
        source: where defaults and limits come from.
    """

    language: str
    title: str
    coordinates: str
    newest: str | None
    releases: tuple[Release, ...] = ()
    defaults: DefaultTimeouts | None = None
    minimum_initial: timedelta | None = None
    minimum_total: timedelta | None = None
    flow_control: bool = True
    reactions: Mapping[Mistake, str] = field(default_factory=dict)
    source: str

    def hedging_in(self, version: str) -> Hedging:
        """Whether a version can hedge. One newer than all that is known behaves like the newest known.

        Raises:
            ValueError: when `version` is not a version number.
        """
        parsed = Version.parse(version)
        if parsed is None:
            raise ValueError(f"{version!r} is not a version number")
        hedging = Hedging.ABSENT
        for release in self.releases:
            since = Version.parse(release.since)
            if since is not None and since <= parsed:
                hedging = release.hedging
        return hedging

    @property
    def attempt_timeouts(self) -> bool:
        """Whether an attempt can have a timeout of its own, as far as that is known."""
        return self.defaults is None or self.defaults.initial is not None

    @property
    def hedging_since(self) -> Release | None:
        """The first release with hedging, if any has it."""
        return next((release for release in self.releases if release.hedging is not Hedging.ABSENT), None)

    @property
    def recommended(self) -> Release | None:
        """The first release whose hedging has no known flaw, if there is one."""
        return next((release for release in self.releases if release.hedging is Hedging.PRESENT), None)
