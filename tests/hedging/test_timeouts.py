from dataclasses import replace
from datetime import timedelta

import pytest

from reconciler.hedging import LIBRARIES, Timeouts, resolve_timeouts, timeouts_reached
from reconciler.model import RetrySettings
from tests.hedging.builders import ms, seconds


def resolved(language: str, **retry: timedelta) -> Timeouts:
    timeouts = resolve_timeouts(RetrySettings(**retry), LIBRARIES[language])  # type: ignore[arg-type]
    assert timeouts is not None
    return timeouts


def spoken(timeouts: Timeouts) -> tuple[str, float, str, str]:
    return str(timeouts.initial), timeouts.multiplier, str(timeouts.maximum), str(timeouts.total)


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "java",
            (
                "5s (the Java library's default)",
                4,
                "60s (the Java library's default)",
                "600s (the Java library's default)",
            ),
        ),
        (
            "go",
            (
                "60s (the total timeout: the Go library has none per attempt)",
                1,
                "60s (the total timeout: the Go library has none per attempt)",
                "60s (the Go library's default)",
            ),
        ),
        (
            "rust",
            (
                "600s (the total timeout: the Rust library has none per attempt)",
                1,
                "600s (the total timeout: the Rust library has none per attempt)",
                "600s (the Rust library's default)",
            ),
        ),
        (
            "node",
            (
                "60s (the Node.js library's default)",
                1,
                "60s (the Node.js library's default)",
                "600s (the Node.js library's default)",
            ),
        ),
        (
            "python",
            (
                "60s (the Python library's default)",
                1,
                "60s (the Python library's default)",
                "600s (the Python library's default)",
            ),
        ),
    ],
)
def test_what_is_not_declared_is_the_librarys_default(language: str, expected: tuple[str, float, str, str]) -> None:
    assert spoken(resolved(language)) == expected


def test_what_is_declared_wins() -> None:
    retry = RetrySettings(
        initial_rpc_timeout=seconds(10),
        max_rpc_timeout=seconds(20),
        rpc_timeout_multiplier=1.5,
        total_timeout=seconds(30),
    )
    timeouts = resolve_timeouts(retry, LIBRARIES["java"])
    assert timeouts is not None
    assert spoken(timeouts) == ("10s (declared)", 1.5, "20s (declared)", "30s (declared)")


def test_a_library_without_attempt_timeouts_follows_the_declared_total() -> None:
    timeouts = resolved("go", total_timeout=seconds(20))
    assert (timeouts.initial.value, timeouts.maximum.value) == (seconds(20), seconds(20))


def test_unknown_defaults_are_not_guessed() -> None:
    complete = RetrySettings(
        initial_rpc_timeout=seconds(10),
        max_rpc_timeout=seconds(20),
        rpc_timeout_multiplier=1,
        total_timeout=seconds(30),
    )
    timeouts = resolve_timeouts(complete, LIBRARIES["csharp"])
    assert timeouts is not None
    assert spoken(timeouts) == ("10s (declared)", 1, "20s (declared)", "30s (declared)")
    for missing in ("initial_rpc_timeout", "max_rpc_timeout", "rpc_timeout_multiplier", "total_timeout"):
        assert resolve_timeouts(replace(complete, **{missing: None}), LIBRARIES["csharp"]) is None


@pytest.mark.parametrize(
    ("language", "retry", "delay", "reached"),
    [
        ("java", {}, ms(4999), []),
        ("java", {}, ms(5000), ["initial RPC timeout"]),
        ("java", {"initial_rpc_timeout": ms(5001)}, ms(5000), []),
        ("java", {"initial_rpc_timeout": seconds(12), "total_timeout": seconds(600)}, seconds(6), []),
        ("java", {"initial_rpc_timeout": seconds(12), "total_timeout": seconds(10)}, seconds(10), ["total timeout"]),
        ("java", {"total_timeout": seconds(10)}, seconds(10), ["initial RPC timeout", "total timeout"]),
        ("go", {"total_timeout": ms(500)}, ms(500), ["total timeout"]),
        ("go", {"total_timeout": ms(501)}, ms(500), []),
        ("go", {"initial_rpc_timeout": ms(500)}, ms(500), ["initial RPC timeout"]),
        ("rust", {}, seconds(10), []),
    ],
)
def test_a_delay_must_be_strictly_below_both_timeouts(
    language: str, retry: dict[str, timedelta], delay: timedelta, reached: list[str]
) -> None:
    assert [name for name, _ in timeouts_reached(delay, resolved(language, **retry))] == reached
