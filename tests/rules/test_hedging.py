from dataclasses import replace
from datetime import timedelta

import pytest

from reconciler.hedging import LIBRARIES, Hedging
from reconciler.model import FlowControl, Origin, Subscriber
from reconciler.rules.publishers import check_publishers
from tests.hedging.builders import fleet, profile, published, publisher, seconds, spec
from tests.rules.texts import CATALOGUE, codes, found, shown

SUPPORTED = "supported: java since 1.156.0, go since v2.8.0, rust since 1.5.0, node since 6.4.0 (by its documentation)"


def test_hedging_in_a_library_without_it_is_an_error_that_lists_those_that_have_it() -> None:
    assert shown(found(fleet(publisher(published(hedging=profile()), language="python")))) == [
        (
            "checkout.yaml, `publishers[0].topics.orders.hedging`: error: `checkout`: the Python library "
            "`google-cloud-pubsub` has no publish hedging  [hedging-unsupported] checkout\n"
            "  topic: orders\n"
            f"  {SUPPORTED}\n"
            "  hint: declare `hedging: off` for this service"
        )
    ]


def test_hedging_in_a_version_without_it_is_an_error_that_names_the_version_to_take() -> None:
    service = publisher(published(hedging=profile()), published("returns", profile()), client_version="1.155.0")
    assert shown(found(fleet(service))) == [
        (
            "checkout.yaml, `publishers[0].topics.orders.hedging`: error: `checkout`: version 1.155.0 of "
            "`com.google.cloud:google-cloud-pubsub` has no publish hedging  [hedging-unsupported] checkout\n"
            "  topics: orders, returns\n"
            f"  {SUPPORTED}\n"
            "  hint: build the service with 1.159.0 or later, or declare `hedging: off` for it"
        )
    ]


@pytest.mark.parametrize(
    ("language", "version", "expected"),
    [
        ("java", "1.155.0", ["hedging-unsupported"]),
        ("java", "1.156.0", ["hedging-version-clock"]),
        ("java", "1.158.0", ["hedging-version-clock"]),
        ("java", "1.159.0", []),
        ("java", None, []),
        ("go", "v2.7.0", ["hedging-unsupported"]),
        ("go", "v2.8.0", []),
        ("go", None, []),
        ("rust", "1.4.0", ["hedging-unsupported"]),
        ("rust", "1.5.0", []),
        ("rust", None, []),
        ("node", "6.3.2", ["hedging-unsupported"]),
        ("node", "6.4.0", []),
        ("node", None, []),
        ("python", None, ["hedging-unsupported"]),
        ("csharp", "3.0.0", ["hedging-unsupported", "timeout-unknown"]),
        ("php", "2.0.0", ["hedging-unsupported", "timeout-unknown"]),
        ("ruby", "3.0.0", ["hedging-unsupported", "timeout-unknown"]),
        ("cpp", "2.0.0", ["hedging-unsupported", "timeout-unknown"]),
        ("cobol", "1.0.0", ["language-unknown"]),
        ("java", "latest", ["client-version"]),
    ],
)
def test_each_language_and_version_hedges_or_is_refused(
    language: str, version: str | None, expected: list[str]
) -> None:
    service = publisher(published(hedging=profile()), language=language, client_version=version)
    assert sorted(codes(found(fleet(service)))) == sorted(expected)


@pytest.mark.parametrize("language", ["python", "java"])
def test_without_hedging_no_version_is_too_old(language: str) -> None:
    assert found(fleet(publisher(published(), language=language, client_version="1.0.0"))) == []


def test_java_that_times_hedges_by_the_wall_clock_is_a_warning() -> None:
    assert shown(found(fleet(publisher(published(hedging=profile()), client_version="1.157.0")))) == [
        (
            "checkout.yaml, `publishers[0]`: warning: `checkout`: version 1.157.0 of "
            "`com.google.cloud:google-cloud-pubsub` "
            "times hedges by the wall clock  [hedging-version-clock] checkout\n"
            "  hint: build the service with 1.159.0 or later"
        )
    ]


def test_a_table_of_ones_own_decides_what_hedges() -> None:
    old = replace(LIBRARIES["java"].releases[0], since="1.0.0", hedging=Hedging.WALL_CLOCK)
    own = {"java": replace(LIBRARIES["java"], newest=None, releases=(old,))}
    service = publisher(published(hedging=profile()), client_version="1.1.0")
    findings = check_publishers(fleet(service), {}, CATALOGUE, libraries=own)
    assert [(finding.code, finding.hint) for finding in findings] == [
        ("hedging-version-clock", "build the service with 1.0.0 or later")
    ]
    unversioned = fleet(replace(service, client_version=None))
    assert codes(check_publishers(unversioned, {}, CATALOGUE, libraries=own)) == ["client-version"]


def test_hedging_and_ordering_of_one_entry_exclude_each_other() -> None:
    assert shown(found(fleet(publisher(published(hedging=profile(), message_ordering=True))))) == [
        (
            "checkout.yaml, `publishers[0].topics.orders`: error: `checkout`: hedging `eager` and "
            "message ordering exclude "
            "each other  [hedging-ordering] checkout\n"
            "  topic: orders\n"
            "  hedging: checkout.yaml, `publishers[0].topics.orders.hedging`\n"
            "  ordering: checkout.yaml, `publishers[0].topics.orders`\n"
            "  client: the Java library refuses to build the publisher\n"
            "  hint: declare `hedging: off` for this topic, or publish to it without ordering"
        )
    ]


def test_both_places_are_named_where_hedging_is_inherited() -> None:
    topic = published(
        hedging=profile(),
        hedging_origin=Origin("defaults.yaml", ("defaults", "hedging")),
        message_ordering=True,
        ordering_origin=Origin("checkout.yaml", ("publishers", 0, "topics", 1, "messageOrdering")),
    )
    (finding,) = found(fleet(publisher(topic, language="rust")))
    assert finding.details == (
        "topic: orders",
        "hedging: defaults.yaml, `defaults.hedging`",
        "ordering: checkout.yaml, `publishers[0].topics[1].messageOrdering`",
        "client: the Rust library silently does not hedge messages with an ordering key",
    )


@pytest.mark.parametrize("language", [*LIBRARIES, "cobol"])
def test_hedging_and_ordering_exclude_each_other_in_every_language(language: str) -> None:
    service = publisher(published(hedging=profile(), message_ordering=True), language=language, client_version="9.0.0")
    assert "hedging-ordering" in codes(found(fleet(service)))


def test_ordering_alone_is_fine() -> None:
    assert found(fleet(publisher(published(message_ordering=True)))) == []


def test_hedging_needs_a_statement_about_duplicates_and_names_who_would_get_them() -> None:
    service = publisher(published("orders", profile()), published("returns"), duplicates_tolerated=False)
    topics = (spec("orders", spec().policy, Subscriber(name="billing"), Subscriber(name="audit")), spec("returns"))
    assert shown(found(fleet(service, topics=topics))) == [
        (
            "checkout.yaml, `publishers[0]`: error: `checkout`: hedging can deliver a message twice, and "
            "nothing says that "
            "this is tolerated  [duplicates-not-stated] checkout\n"
            "  topic: orders\n"
            "  subscribers: audit, billing\n"
            "  hint: declare `duplicatesTolerated: true` once every subscriber copes with it, or `hedging: off`"
        )
    ]


def test_where_nobody_is_listed_as_a_subscriber_nobody_is_named() -> None:
    service = publisher(published("orders", profile()), duplicates_tolerated=False)
    findings = found(fleet(service, topics=()))
    assert [(finding.code, finding.details) for finding in findings] == [
        ("duplicates-not-stated", ("topic: orders",)),
        ("topic-not-declared", ("topic: orders",)),
    ]


def test_without_hedging_nothing_needs_stating() -> None:
    assert found(fleet(publisher(published(), duplicates_tolerated=False))) == []


def test_a_first_hedge_that_comes_late_is_a_warning() -> None:
    service = publisher(
        published("orders", profile("slow", ratio=0.001)),
        published("returns", profile("slow", ratio=0.001)),
        published("audit", profile()),
        expected_requests_per_second=1.5,
    )
    assert shown(found(fleet(service))) == [
        (
            "checkout.yaml, `publishers[0].topics.orders.hedging`: warning: `checkout`: the first hedge "
            "comes after 1,000 "
            "successful requests of a publisher object, about 11 minutes at 1.5 a second  [first-hedge-late] checkout\n"
            "  profile: `slow`, refill ratio 0.001\n"
            "  topics: orders, returns\n"
            "  hint: raise `refillRatio` (at most 0.2), or declare `hedging: off`"
        )
    ]


@pytest.mark.parametrize(
    ("ratio", "rate", "expected"),
    [
        (0.1, 10 / 600, []),
        (0.1, 10 / 601, ["first-hedge-late"]),
        (0.001, 1000 / 600, []),
        (0.001, 1000 / 601, ["first-hedge-late"]),
        (0.2, 0.001, ["first-hedge-late"]),
        (0.001, None, []),
        (0.001, 0, ["publisher-value-range"]),
        (0.0004, 0.001, ["refill-ratio-range"]),
    ],
)
def test_late_is_more_than_ten_minutes(ratio: float, rate: float | None, expected: list[str]) -> None:
    service = publisher(published(hedging=profile(ratio=ratio)), expected_requests_per_second=rate)
    assert codes(found(fleet(service))) == expected


def test_hedging_at_a_high_rate_without_flow_control_is_a_warning() -> None:
    limited = FlowControl(max_outstanding_messages=1000, max_outstanding_bytes=1_000_000)
    service = publisher(
        published("orders", profile()),
        published("returns", profile(), flow_control=limited),
        published("audit"),
        expected_requests_per_second=100,
    )
    assert shown(found(fleet(service))) == [
        (
            "checkout.yaml, `publishers[0].topics.orders`: warning: `checkout`: 100 requests a second "
            "are hedged without "
            "publisher flow control  [flow-control-missing] checkout\n"
            "  topic: orders\n"
            "  hint: declare `flowControl` with `maxOutstandingMessages` and `maxOutstandingBytes`"
        )
    ]


@pytest.mark.parametrize(
    ("flow_control", "rate", "expected"),
    [
        (None, 99, []),
        (None, None, []),
        (FlowControl(), 100, ["flow-control-incomplete", "flow-control-missing"]),
        (FlowControl(max_outstanding_messages=1, limit_exceeded="ignore"), 100, ["flow-control-missing"]),
        (FlowControl(max_outstanding_messages=1), 100, ["flow-control-incomplete"]),
        (FlowControl(max_outstanding_messages=1, max_outstanding_bytes=1), 100, []),
        (FlowControl(max_outstanding_messages=1, max_outstanding_bytes=1, limit_exceeded="error"), 100, []),
    ],
)
def test_flow_control_is_what_limits_something(
    flow_control: FlowControl | None, rate: float | None, expected: list[str]
) -> None:
    service = publisher(published(hedging=profile(), flow_control=flow_control), expected_requests_per_second=rate)
    assert codes(found(fleet(service))) == expected


def test_the_clients_own_defaults_pass_every_rule() -> None:
    service = publisher(published(hedging=profile("standard", seconds(1), 50, 0.1)), expected_requests_per_second=20)
    assert found(fleet(service)) == []


def test_a_service_that_ends_before_its_first_hedge_is_a_warning() -> None:
    service = publisher(
        published("orders", profile()), published("audit"), expected_requests_per_second=0.5, lifetime=seconds(30)
    )
    assert shown(found(fleet(service))) == [
        (
            "checkout.yaml, `publishers[0].topics.orders.hedging`: warning: `checkout`: a process lives for 30s, about "
            "15 requests at 0.5 a second, and the first hedge comes after 20  [hedging-short-lived] checkout\n"
            "  profile: `eager`, refill ratio 0.05\n"
            "  topic: orders\n"
            "  hint: raise `refillRatio` (at most 0.2), or declare `hedging: off`"
        )
    ]


@pytest.mark.parametrize(
    ("ratio", "rate", "lifetime", "expected"),
    [
        (0.2, 1, seconds(5), []),
        (0.2, 1, seconds(4.9), ["hedging-short-lived"]),
        (0.1, 1, seconds(10), []),
        (0.1, 1, seconds(9.9), ["hedging-short-lived"]),
        (0.001, 1, seconds(1000), ["first-hedge-late"]),
        (0.001, 1, seconds(999), ["first-hedge-late", "hedging-short-lived"]),
        (0.1, None, seconds(1), []),
        (0.1, 1, None, []),
        (0.1, 1, seconds(0), ["publisher-value-range"]),
    ],
)
def test_short_is_less_than_the_first_hedge_takes(
    ratio: float, rate: float | None, lifetime: timedelta | None, expected: list[str]
) -> None:
    service = publisher(published(hedging=profile(ratio=ratio)), expected_requests_per_second=rate, lifetime=lifetime)
    assert codes(found(fleet(service))) == expected
