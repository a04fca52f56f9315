from datetime import timedelta
from typing import Any

import pytest

from reconciler.model import Batching, FlowControl, RetrySettings
from tests.hedging.builders import fleet, ms, profile, published, publisher, seconds
from tests.rules.texts import codes, found, shown

BOTH = FlowControl(max_outstanding_messages=1, max_outstanding_bytes=1)
ATTEMPTS = RetrySettings(initial_rpc_timeout=seconds(10), max_rpc_timeout=seconds(20), rpc_timeout_multiplier=2)


@pytest.mark.parametrize(
    ("fields", "message", "hint"),
    [
        (
            {"batching": Batching(max_messages=1001)},
            "1001 for `batching.maxMessages` is above 1000",
            "set it to `1000` or less, or leave it out for the library's default",
        ),
        (
            {"batching": Batching(max_bytes=10 * 2**20)},
            "10485760 for `batching.maxBytes` is above 10000000",
            "set it to `10000000` or less, or leave it out for the library's default",
        ),
        (
            {"batching": Batching(max_latency=timedelta(days=1, milliseconds=1))},
            "86400.001s for `batching.maxLatency` is above 86400s",
            "set it to `86400s` or less, or leave it out for the library's default",
        ),
        (
            {"flow_control": FlowControl(max_outstanding_messages=1, max_outstanding_bytes=2**53 + 1)},
            "9007199254740993 for `flowControl.maxOutstandingBytes` is above 9007199254740992",
            "set it to `9007199254740992` or less, or leave it out for the library's default",
        ),
    ],
)
def test_more_than_a_request_or_a_file_can_hold_is_an_error(fields: dict[str, Any], message: str, hint: str) -> None:
    (finding,) = found(fleet(publisher(published(**fields))))
    assert (finding.code, finding.severity, finding.message, finding.hint) == (
        "publisher-limit",
        "error",
        f"`checkout`: {message}",
        hint,
    )


def test_the_limits_themselves_are_accepted() -> None:
    batching = Batching(max_messages=1000, max_bytes=10_000_000, max_latency=timedelta(days=1))
    flow_control = FlowControl(max_outstanding_messages=2**53, max_outstanding_bytes=2**53)
    assert found(fleet(publisher(published(batching=batching, flow_control=flow_control)))) == []


@pytest.mark.parametrize("language", ["go", "rust"])
def test_a_timeout_per_attempt_that_the_library_lacks_is_a_warning(language: str) -> None:
    title = language.title()
    assert shown(found(fleet(publisher(published(retry=ATTEMPTS), language=language)))) == [
        (
            f"checkout.yaml, `publishers[0].topics.orders`: warning: `checkout`: the {title} library has no timeout "
            "per attempt, so nothing uses `retry.initialRpcTimeout`, `retry.maxRpcTimeout`, "
            "`retry.rpcTimeoutMultiplier`  [setting-ineffective] checkout\n"
            "  topic: orders\n"
            "  hint: leave it out: `retry.totalTimeout` alone counts for this service"
        )
    ]


def test_flow_control_in_rust_is_a_warning() -> None:
    service = publisher(published(flow_control=BOTH), language="rust")
    assert shown(found(fleet(service))) == [
        (
            "checkout.yaml, `publishers[0].topics.orders`: warning: `checkout`: the Rust library has no publisher flow "
            "control, so nothing uses `flowControl`  [setting-ineffective] checkout\n"
            "  topic: orders\n"
            "  hint: leave it out, and limit the messages under way in the service itself"
        )
    ]


@pytest.mark.parametrize("language", ["java", "node", "python", "csharp"])
def test_what_a_library_has_or_may_have_is_effective(language: str) -> None:
    complete = RetrySettings(
        initial_rpc_timeout=seconds(10),
        max_rpc_timeout=seconds(20),
        rpc_timeout_multiplier=2,
        total_timeout=seconds(60),
    )
    topic = published(retry=complete, flow_control=BOTH)
    assert codes(found(fleet(publisher(topic, language=language, client_version="9.9.9")))) == []


def test_at_a_high_rate_rust_is_told_to_limit_itself() -> None:
    topic = published(hedging=profile(), flow_control=BOTH)
    findings = found(fleet(publisher(topic, language="rust", expected_requests_per_second=100)))
    assert [(finding.code, finding.hint) for finding in findings] == [
        ("flow-control-missing", "limit the messages under way in the service itself: the Rust library cannot"),
        ("setting-ineffective", "leave it out, and limit the messages under way in the service itself"),
    ]


def test_a_total_timeout_beyond_what_a_duration_holds_is_an_error() -> None:
    longest = seconds(9_223_372_036)
    assert found(fleet(publisher(published(retry=RetrySettings(total_timeout=longest))))) == []
    (finding,) = found(fleet(publisher(published(retry=RetrySettings(total_timeout=longest + ms(1))))))
    assert (finding.code, finding.message, finding.hint) == (
        "timeout-range",
        "`checkout`: total timeout 9223372036.001s (declared) is above 9223372036s",
        "set `retry.totalTimeout` to what a caller can wait for",
    )


@pytest.mark.parametrize(
    ("control", "behavior", "missing"),
    [
        (FlowControl(), "block", "`maxOutstandingMessages` and `maxOutstandingBytes`"),
        (FlowControl(max_outstanding_messages=1), "block", "`maxOutstandingBytes`"),
        (FlowControl(max_outstanding_bytes=1, limit_exceeded="error"), "error", "`maxOutstandingMessages`"),
    ],
)
def test_flow_control_with_a_limit_left_out_is_an_error(control: FlowControl, behavior: str, missing: str) -> None:
    assert shown(found(fleet(publisher(published(flow_control=control))))) == [
        (
            f"checkout.yaml, `publishers[0].topics.orders`: error: `checkout`: flow control that is to `{behavior}` "
            f"lacks {missing}  [flow-control-incomplete] checkout\n"
            "  topic: orders\n"
            "  hint: declare both limits, or `limitExceededBehavior: ignore`"
        )
    ]


def test_flow_control_that_is_ignored_needs_no_limit() -> None:
    assert found(fleet(publisher(published(flow_control=FlowControl(limit_exceeded="ignore"))))) == []
