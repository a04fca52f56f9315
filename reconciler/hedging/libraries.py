"""The facts about Google's client libraries that hedgerow ships, as of 2026-11-30.

Each is marked with how it is known. *Run*: seen by running the library of the `newest` version against a scripted
server. *Read*: in the released source of that version. *Documented*: published documentation, not run. Timeouts of
releases much older than the `newest` may differ; generated files write all timeouts out, so that no application depends
on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType

from reconciler.hedging.clients import ClientLibrary, DefaultTimeouts, Evidence, Hedging, Mistake, Release

_JAVA = ClientLibrary(
    language="java",
    title="Java",
    coordinates="com.google.cloud:google-cloud-pubsub",
    newest="1.160.0",
    releases=(
        Release(
            since="1.156.0",
            hedging=Hedging.WALL_CLOCK,
            evidence=Evidence.READ,
            source="1.155.0 has no HedgingSettings; 1.156.0 to 1.158.0 use CurrentMillisClock",
        ),
        Release(
            since="1.159.0",
            hedging=Hedging.PRESENT,
            evidence=Evidence.RUN,
            source="read: 1.159.0 changed to a monotonic clock and survives exceptions in its queue; run: 1.160.0",
        ),
    ),
    defaults=DefaultTimeouts(
        initial=timedelta(seconds=5),
        multiplier=4,
        maximum=timedelta(seconds=60),
        total=timedelta(seconds=600),
    ),
    minimum_initial=timedelta(milliseconds=10),
    minimum_total=timedelta(seconds=10),
    reactions=MappingProxyType(
        {
            Mistake.RANGE: "throws `IllegalArgumentException` in the setter",
            Mistake.NEGATIVE: "throws `IllegalArgumentException` in the setter",
            Mistake.ZERO: "throws `IllegalArgumentException` in the setter",
            Mistake.NOT_A_NUMBER: "accepts it and never hedges",
            Mistake.FRACTION: "truncates delays to milliseconds and rounds ratios as 32-bit numbers",
            Mistake.DELAY_TIMEOUT: "refuses to build the publisher",
            Mistake.ORDERING: "refuses to build the publisher",
        }
    ),
    source="run: 1.160.0 (timeouts seen by the server, limits of setRetrySettings, all reactions)",
)

_GO = ClientLibrary(
    language="go",
    title="Go",
    coordinates="cloud.google.com/go/pubsub/v2",
    newest="v2.9.0",
    releases=(
        Release(
            since="v2.8.0",
            hedging=Hedging.PRESENT,
            evidence=Evidence.RUN,
            source="read: v2.7.0 has no hedging.go, v2.8.0 and v2.9.0 hedge alike; run: v2.9.0",
        ),
    ),
    defaults=DefaultTimeouts(initial=None, multiplier=1, maximum=None, total=timedelta(seconds=60)),
    reactions=MappingProxyType(
        {
            Mistake.RANGE: "fails every publish, from the first one on",
            Mistake.NEGATIVE: "fails every publish, from the first one on",
            Mistake.ZERO: "takes its own default instead",
            Mistake.NOT_A_NUMBER: "takes its own default instead",
            Mistake.FRACTION: "keeps delays and rounds ratios as 64-bit numbers",
            Mistake.DELAY_TIMEOUT: "silently does not hedge",
            Mistake.ORDERING: "fails every publish",
        }
    ),
    source="run: v2.9.0 (one deadline over all retries, `PublishSettings.Timeout`, 60 s; all reactions)",
)

_RUST = ClientLibrary(
    language="rust",
    title="Rust",
    coordinates="google-cloud-pubsub",
    newest="1.7.0",
    releases=(
        Release(
            since="1.5.0",
            hedging=Hedging.PRESENT,
            evidence=Evidence.RUN,
            source="read: hedging.rs of 1.5.0 and 1.6.0 equals that of 1.7.0; run: 1.7.0",
        ),
    ),
    defaults=DefaultTimeouts(initial=None, multiplier=1, maximum=None, total=timedelta(seconds=600)),
    flow_control=False,
    reactions=MappingProxyType(
        {
            Mistake.RANGE: "silently takes the nearest value in range",
            Mistake.NEGATIVE: "takes the smallest ratio (its delays and tokens cannot be negative)",
            Mistake.ZERO: "silently takes the smallest value in range",
            Mistake.NOT_A_NUMBER: "takes its own default instead",
            Mistake.FRACTION: "keeps delays and rounds ratios as 32-bit numbers",
            Mistake.DELAY_TIMEOUT: "never comes to send a hedge",
            Mistake.ORDERING: "silently does not hedge messages with an ordering key",
        }
    ),
    source="run: 1.7.0 (deadline of the original 600 s, no attempt timeout; all reactions); read: no flow control",
)

_NODE = ClientLibrary(
    language="node",
    title="Node.js",
    coordinates="@google-cloud/pubsub",
    newest="6.4.1",
    releases=(
        Release(
            since="6.4.0",
            hedging=Hedging.PRESENT,
            evidence=Evidence.DOCUMENTED,
            source="the reference of 6.4.1 lists the hedging settings; run: 6.3.2 has none",
        ),
    ),
    defaults=DefaultTimeouts(
        initial=timedelta(seconds=60),
        multiplier=1,
        maximum=timedelta(seconds=60),
        total=timedelta(seconds=600),
    ),
    reactions=MappingProxyType(
        {
            Mistake.RANGE: "throws `RangeError`",
            Mistake.NEGATIVE: "throws `RangeError`",
            Mistake.ZERO: "throws `RangeError`",
            Mistake.NOT_A_NUMBER: "throws `RangeError`",
            Mistake.DELAY_TIMEOUT: "refuses to build the publisher",
            Mistake.ORDERING: "refuses to build the publisher",
        }
    ),
    source="read: hedging.ts of the development branch; not run",
)

_PYTHON = ClientLibrary(
    language="python",
    title="Python",
    coordinates="google-cloud-pubsub",
    newest="2.44.0",
    defaults=DefaultTimeouts(
        initial=timedelta(seconds=60),
        multiplier=1,
        maximum=timedelta(seconds=60),
        total=timedelta(seconds=600),
    ),
    source="read: 2.44.0 has no hedging; PublisherOptions and the publisher's transport set the timeouts",
)

# Of the remaining libraries no sign of hedging is known; their timeouts and newest versions were not established.
_NOT_EXAMINED = "documented: the package's own manifest, for its name; nothing else examined"
_CSHARP = ClientLibrary(
    language="csharp", title="C#", coordinates="Google.Cloud.PubSub.V1", newest=None, source=_NOT_EXAMINED
)
_PHP = ClientLibrary(language="php", title="PHP", coordinates="google/cloud-pubsub", newest=None, source=_NOT_EXAMINED)
_RUBY = ClientLibrary(
    language="ruby", title="Ruby", coordinates="google-cloud-pubsub", newest=None, source=_NOT_EXAMINED
)
_CPP = ClientLibrary(language="cpp", title="C++", coordinates="google-cloud-cpp", newest=None, source=_NOT_EXAMINED)

LIBRARIES: Mapping[str, ClientLibrary] = MappingProxyType(
    {library.language: library for library in (_JAVA, _GO, _RUST, _NODE, _PYTHON, _CSHARP, _PHP, _RUBY, _CPP)}
)
"""The client libraries that hedgerow knows, by language; those with hedging first."""
