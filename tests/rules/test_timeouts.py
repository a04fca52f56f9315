import math
from datetime import timedelta
from typing import Any

import pytest

from reconciler.hedging import LIBRARIES
from reconciler.model import Fleet, Origin, RetrySettings
from tests.hedging.builders import fleet, ms, profile, published, publisher, seconds
from tests.rules.texts import codes, found, shown


def service(language: str, delay: timedelta | None = None, /, **retry: Any) -> Fleet:
    hedging = None if delay is None else profile(delay=delay)
    fields = {"client_version": "1.0.0"} if LIBRARIES[language].newest is None else {}
    return fleet(publisher(published(hedging=hedging, retry=RetrySettings(**retry)), language=language, **fields))


def test_the_message_shows_both_numbers_and_which_came_from_a_default() -> None:
    assert shown(found(service("java", seconds(5)))) == [
        (
            "checkout.yaml, `publishers[0].topics.orders.hedging`: error: `checkout`: hedge delay 5s is not below the "
            "initial RPC timeout 5s (the Java library's default)  [hedge-delay-timeout] checkout\n"
            "  topic: orders\n"
            "  client: the Java library refuses to build the publisher\n"
            "  hint: set `hedgeDelay` below 5s, or `retry.initialRpcTimeout` above 5s; "
            "Google advises long timeouts with short hedge delays"
        )
    ]


def test_the_message_names_the_total_timeout_where_that_is_reached() -> None:
    findings = found(
        service(
            "java", seconds(10), initial_rpc_timeout=seconds(12), max_rpc_timeout=seconds(12), total_timeout=seconds(10)
        )
    )
    assert codes(findings) == ["timeout-order", "hedge-delay-timeout"]
    assert findings[1].message == ("`checkout`: hedge delay 10s is not below the total timeout 10s (declared)")


def test_the_message_names_both_timeouts_where_both_are_reached() -> None:
    findings = found(service("java", seconds(10), max_rpc_timeout=seconds(10), total_timeout=seconds(10)))
    assert [(finding.message, finding.hint) for finding in findings] == [
        (
            (
                "`checkout`: hedge delay 10s is not below the initial RPC timeout 5s (the Java library's default) "
                "nor the total timeout 10s (declared)"
            ),
            (
                "set `hedgeDelay` below 5s, or `retry.initialRpcTimeout` and `retry.totalTimeout` above 10s; "
                "Google advises long timeouts with short hedge delays"
            ),
        )
    ]


@pytest.mark.parametrize("language", ["java", "go", "rust", "node", "python"])
def test_a_delay_that_is_not_below_the_declared_timeouts_is_an_error_for_every_language(language: str) -> None:
    retry = {"initial_rpc_timeout": ms(500), "max_rpc_timeout": seconds(60), "total_timeout": seconds(60)}
    assert "hedge-delay-timeout" in codes(found(service(language, ms(500), **retry)))
    assert "hedge-delay-timeout" not in codes(found(service(language, ms(499), **retry)))


@pytest.mark.parametrize(
    ("language", "delay", "retry", "expected"),
    [
        ("java", ms(4999), {}, ["timeout-tight"]),
        ("java", seconds(6), {"initial_rpc_timeout": seconds(12), "total_timeout": seconds(600)}, ["timeout-tight"]),
        ("java", seconds(6), {"initial_rpc_timeout": seconds(18)}, []),
        ("go", seconds(10), {}, []),
        ("rust", seconds(10), {}, []),
        ("node", seconds(10), {}, []),
        ("go", seconds(1), {"total_timeout": ms(500)}, ["timeout-range", "hedge-delay-timeout"]),
        ("go", seconds(1), {"total_timeout": seconds(0)}, ["timeout-range", "hedge-delay-timeout"]),
    ],
)
def test_defaults_are_those_of_the_language(
    language: str, delay: timedelta, retry: dict[str, timedelta], expected: list[str]
) -> None:
    assert codes(found(service(language, delay, **retry))) == expected


def test_a_tight_initial_timeout_is_a_warning() -> None:
    assert shown(found(service("java", seconds(1), initial_rpc_timeout=ms(1100)))) == [
        (
            "checkout.yaml, `publishers[0].topics.orders.hedging`: warning: `checkout`: initial RPC "
            "timeout 1.1s (declared) "
            "is less than 3 times the hedge delay 1s  [timeout-tight] checkout\n"
            "  topic: orders\n"
            "  hint: set `retry.initialRpcTimeout` to `3s` or more, or shorten `hedgeDelay`"
        )
    ]


def test_three_times_the_delay_is_not_tight() -> None:
    assert found(service("java", seconds(1), initial_rpc_timeout=seconds(3))) == []


def test_without_a_timeout_per_attempt_the_total_is_what_can_be_tight() -> None:
    assert [
        (finding.code, finding.hint) for finding in found(service("go", seconds(5), total_timeout=seconds(10)))
    ] == [("timeout-tight", "set `retry.totalTimeout` to `15s` or more, or shorten `hedgeDelay`")]


def test_an_attempt_longer_than_the_whole_request_is_an_error_even_without_hedging() -> None:
    retry = {"initial_rpc_timeout": seconds(90), "total_timeout": seconds(50)}
    assert shown(found(service("java", **retry))) == [
        (
            "checkout.yaml, `publishers[0].topics.orders`: error: `checkout`: initial RPC timeout 90s "
            "(declared) is longer "
            "than the maximum RPC timeout 60s (the Java library's default)  [timeout-order] checkout\n"
            "  topic: orders\n"
            "  hint: set `retry.initialRpcTimeout` to at most `60s`, or `retry.maxRpcTimeout` to at least `90s`"
        ),
        (
            "checkout.yaml, `publishers[0].topics.orders`: error: `checkout`: maximum RPC timeout 60s "
            "(the Java library's "
            "default) is longer than the total timeout 50s (declared)  [timeout-order] checkout\n"
            "  topic: orders\n"
            "  hint: set `retry.maxRpcTimeout` to at most `50s`, or `retry.totalTimeout` to at least `60s`"
        ),
    ]


@pytest.mark.parametrize("language", LIBRARIES)
def test_the_strictest_minima_hold_for_every_language(language: str) -> None:
    retry = {
        "initial_rpc_timeout": ms(9.999),
        "max_rpc_timeout": seconds(5),
        "total_timeout": ms(9999),
        "rpc_timeout_multiplier": 0.5,
    }
    findings = [finding for finding in found(service(language, **retry)) if finding.code == "timeout-range"]
    assert [(finding.code, finding.message, finding.hint) for finding in findings] == [
        (
            "timeout-range",
            "`checkout`: RPC timeout multiplier 0.5 is not a number from 1 up",
            "set `retry.rpcTimeoutMultiplier` to 1 for the same timeout at each attempt, or to more",
        ),
        (
            "timeout-range",
            "`checkout`: initial RPC timeout 9.999ms (declared) is below 10ms",
            "set `retry.initialRpcTimeout` to `10ms` or more",
        ),
        (
            "timeout-range",
            "`checkout`: total timeout 9.999s (declared) is below 10s",
            "set `retry.totalTimeout` to `10s` or more",
        ),
    ]


@pytest.mark.parametrize("multiplier", [math.nan, math.inf, 0, -1])
def test_a_multiplier_is_a_number_from_1_up(multiplier: float) -> None:
    assert codes(found(service("java", rpc_timeout_multiplier=multiplier))) == ["timeout-range"]


def test_the_minima_themselves_are_valid() -> None:
    retry = {"initial_rpc_timeout": ms(10), "max_rpc_timeout": seconds(10), "total_timeout": seconds(10)}
    assert found(service("java", **retry, rpc_timeout_multiplier=1)) == []


def test_a_library_whose_defaults_are_not_known_needs_all_timeouts_declared() -> None:
    assert shown(found(service("csharp", total_timeout=seconds(600)))) == [
        (
            "checkout.yaml, `publishers[0].topics.orders`: error: `checkout`: the default timeouts of "
            "the C# library are "
            "not known  [timeout-unknown] checkout\n"
            "  topic: orders\n"
            "  hint: declare `initialRpcTimeout`, `rpcTimeoutMultiplier`, `maxRpcTimeout` and `totalTimeout` in `retry`"
        )
    ]


def test_a_topic_listed_twice_is_named_once() -> None:
    topic = published(retry=RetrySettings(total_timeout=seconds(20)))
    findings = found(fleet(publisher(topic, topic)))
    assert [(finding.code, finding.details) for finding in findings] == [
        ("published-twice", ()),
        ("timeout-order", ("topic: orders",)),
    ]


def test_one_mistake_in_many_topics_of_a_service_is_one_finding() -> None:
    retry = RetrySettings(total_timeout=seconds(20))
    topics = [published(topic, retry=retry) for topic in ("orders", "returns", "audit", "ledger", "events")]
    (finding,) = found(fleet(publisher(*topics)))
    assert (finding.code, finding.details) == ("timeout-order", ("topics: audit, events, ledger and 2 more",))


@pytest.mark.parametrize(
    ("origin", "layer"),
    [
        (Origin("stack/defaults.yaml", ("defaults", "retry", "initialRpcTimeout")), "in `defaults`"),
        (Origin("checkout.yaml", ("publishers", 0, "retry", "initialRpcTimeout")), "for the service"),
        (Origin("checkout.yaml", ("publishers", 0, "topics", 0, "retry", "initialRpcTimeout")), "for the topic"),
    ],
)
def test_the_message_names_the_layer_of_a_timeout_and_stands_there(origin: Origin, layer: str) -> None:
    topic = published(retry=RetrySettings(initial_rpc_timeout=ms(9)), origins=(("retry.initialRpcTimeout", origin),))
    (finding,) = found(fleet(publisher(topic)))
    assert (finding.code, finding.origin, finding.message) == (
        "timeout-range",
        origin,
        f"`checkout`: initial RPC timeout 9ms (declared {layer}) is below 10ms",
    )


def test_callers_that_give_up_before_the_library_get_late_duplicates() -> None:
    """Python, as in the report of a caller that gave up after 10 s."""
    service = publisher(published("orders"), published("returns"), language="python", give_up_after=seconds(10))
    assert shown(found(fleet(service))) == [
        (
            "checkout.yaml, `publishers[0].topics.orders`: warning: `checkout`: callers give up after 10s, and the "
            "library goes on publishing until 600s (the Python library's default)  [late-duplicates] checkout\n"
            "  topics: orders, returns\n"
            "  hint: set `retry.totalTimeout` to `10s`, or let callers wait as long as the library does"
        )
    ]


@pytest.mark.parametrize(
    ("language", "total", "patience", "expected"),
    [
        ("python", None, seconds(600), []),
        ("python", None, ms(599_999), ["late-duplicates"]),
        ("java", seconds(60), seconds(60), []),
        ("java", seconds(61), seconds(60), ["late-duplicates"]),
        ("go", None, seconds(60), []),
        ("java", None, None, []),
        ("java", None, seconds(0), ["publisher-value-range"]),
        ("java", None, seconds(-1), ["publisher-value-range"]),
    ],
)
def test_late_is_before_the_total_timeout(
    language: str, total: timedelta | None, patience: timedelta | None, expected: list[str]
) -> None:
    retry = RetrySettings(total_timeout=total, max_rpc_timeout=total and min(total, seconds(60)))
    service = publisher(published(retry=retry), language=language, give_up_after=patience)
    assert codes(found(fleet(service))) == expected
