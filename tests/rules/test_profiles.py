import math
from datetime import timedelta

import pytest

from reconciler.hedging import LIBRARIES, render
from reconciler.model import Fleet, HedgingProfile
from reconciler.rules.publishers import check_publishers
from tests.hedging.builders import STACK, fleet, ms, profile, published, publisher, seconds, spec
from tests.rules.texts import CATALOGUE, codes, found, shown

INVALID = {
    "delay-zero": (profile(delay=ms(0)), "hedge-delay-range"),
    "delay-below": (profile(delay=ms(99)), "hedge-delay-range"),
    "delay-above": (profile(delay=ms(10_001)), "hedge-delay-range"),
    "delay-fraction": (profile(delay=ms(100.5)), "hedge-delay-range"),
    "tokens-zero": (profile(tokens=0), "max-tokens-range"),
    "tokens-negative": (profile(tokens=-1), "max-tokens-range"),
    "tokens-above": (profile(tokens=251), "max-tokens-range"),
    "ratio-below": (profile(ratio=0.0009), "refill-ratio-range"),
    "ratio-above": (profile(ratio=0.2001), "refill-ratio-range"),
    "ratio-nan": (profile(ratio=math.nan), "refill-ratio-range"),
    "ratio-inf": (profile(ratio=math.inf), "refill-ratio-range"),
    "ratio-fraction": (profile(ratio=0.0555), "refill-ratio-range"),
}


@pytest.mark.parametrize("language", LIBRARIES)
@pytest.mark.parametrize("case", INVALID)
def test_a_value_that_some_client_does_not_take_is_an_error_for_every_language(case: str, language: str) -> None:
    invalid, code = INVALID[case]
    findings = found(fleet(publisher(published(hedging=invalid), language=language)))
    assert [finding.severity for finding in findings if finding.code == code] == ["error"]


@pytest.mark.parametrize("language", LIBRARIES)
@pytest.mark.parametrize("case", INVALID)
def test_even_without_the_rules_no_file_comes_of_such_a_value(case: str, language: str) -> None:
    invalid, _ = INVALID[case]
    service = publisher(published(hedging=invalid), language=language, client_version="9.0.0")
    with pytest.raises(ValueError, match=r"^(hedging profile eager: |checkout: version 9|projects/)"):
        render(fleet(service))


@pytest.mark.parametrize(
    "valid",
    [
        profile(delay=ms(100), tokens=1, ratio=0.001),
        profile(delay=ms(4999), tokens=250, ratio=0.2),
        profile("standard", seconds(1), 50, 0.1),
    ],
)
@pytest.mark.parametrize("language", ["java", "go", "rust", "node"])
def test_bounds_and_defaults_are_valid(valid: HedgingProfile, language: str) -> None:
    findings = found(fleet(publisher(published(hedging=valid), language=language)))
    assert [finding for finding in findings if finding.severity == "error"] == []


def test_the_finding_says_what_each_client_would_do_with_a_range_error() -> None:
    assert shown(found(fleet(publisher(published(hedging=profile(delay=ms(99))))))) == [
        (
            "profiles.yaml, `hedgingProfiles.eager.hedgeDelay`: error: "
            "`eager`: hedge delay 99ms is not between 100ms and 10s  [hedge-delay-range] eager\n"
            "  used by: `checkout` (1 topic)\n"
            "  clients: Java throws `IllegalArgumentException` in the setter; Go fails every publish, "
            "from the first one "
            "on; Rust silently takes the nearest value in range; Node.js throws `RangeError`\n"
            "  hint: set `hedgeDelay` to a whole number of milliseconds from `100ms` to `10s`"
        )
    ]


def test_the_finding_on_a_zero_tells_how_to_switch_hedging_off() -> None:
    assert shown(found(fleet(publisher(published(hedging=profile(tokens=0)), language="go")))) == [
        (
            "profiles.yaml, `hedgingProfiles.eager.maxTokens`: error: "
            "`eager`: max tokens 0 is not between 1 and 250  [max-tokens-range] eager\n"
            "  used by: `checkout` (1 topic)\n"
            "  clients: Java throws `IllegalArgumentException` in the setter; Go takes its own default instead; Rust "
            "silently takes the smallest value in range; Node.js throws `RangeError`\n"
            "  hint: set `maxTokens` to a whole number from 1 to 250; to switch hedging off, declare `hedging: off`"
        )
    ]


def test_a_profile_that_many_topics_use_is_reported_once() -> None:
    bad = profile(ratio=math.nan)
    services = [publisher(published("orders", bad), published("returns", bad), service=service) for service in "abcde"]
    (finding,) = found(fleet(*services))
    assert finding.details[0] == "used by: `a`, `b`, `c` and 2 more (10 topics)"


def test_a_profile_that_nobody_uses_is_judged_too() -> None:
    unused = Fleet.of(STACK, profiles=[profile(tokens=-1)])
    (finding,) = found(unused)
    assert (finding.code, finding.details) == (
        "max-tokens-range",
        (
            "used by: no publisher",
            (
                "clients: Java throws `IllegalArgumentException` in the setter; Go fails every publish, "
                "from the first one "
                "on; Rust takes the smallest ratio (its delays and tokens cannot be negative); "
                "Node.js throws `RangeError`"
            ),
        ),
    )


def test_nothing_is_said_about_clients_that_cannot_even_be_asked() -> None:
    (finding,) = found(Fleet.of(STACK, profiles=[profile(tokens=50.5)]))
    assert (finding.message, finding.details) == (
        "`eager`: max tokens 50.5 is not a whole number",
        ("used by: no publisher",),
    )


def test_a_profile_that_is_used_but_not_listed_is_judged_too() -> None:
    service = publisher(published(hedging=profile(tokens=0)))
    unlisted = Fleet.of(STACK, [spec()], [service])
    assert codes(found(unlisted)) == ["max-tokens-range"]


def test_one_entry_is_reported_once_even_where_its_values_equal_nothing() -> None:
    declared, used = (profile(ratio=float("nan")) for _ in range(2))
    (finding,) = found(Fleet.of(STACK, [spec()], [publisher(published(hedging=used))], [declared]))
    assert finding.details[0] == "used by: `checkout` (1 topic)"


def test_nothing_is_said_about_clients_of_which_nothing_is_known() -> None:
    invalid = Fleet.of(STACK, profiles=[profile(tokens=0)])
    (finding,) = check_publishers(invalid, {}, CATALOGUE, libraries={"php": LIBRARIES["php"]})
    assert finding.details == ("used by: no publisher",)


def test_all_problems_of_all_profiles_are_found_at_once() -> None:
    bad, worse = profile("bad", tokens=0), profile("worse", timedelta(), 0, 0)
    service = publisher(published("orders", bad), published("returns", worse))
    findings = found(fleet(service))
    assert [(finding.subject, finding.code) for finding in findings] == [
        ("bad", "max-tokens-range"),
        ("worse", "hedge-delay-range"),
        ("worse", "max-tokens-range"),
        ("worse", "refill-ratio-range"),
    ]
