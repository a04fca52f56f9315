from __future__ import annotations

import math
from datetime import timedelta
from pathlib import Path

import pytest

from reconciler.hedging import spec_digest
from reconciler.model import (
    Batching,
    FlowControl,
    HedgingProfile,
    Origin,
    PublishedTopic,
    Publisher,
    RetrySettings,
    TopicName,
)
from tests.spec.stacks import load, orders, problem, problems

PROFILES = "hedgingProfiles:\n  eager: {hedgeDelay: 200ms, maxTokens: 100, refillRatio: 0.05}\n"

AT = Origin("s/p.yaml", ("publishers", 0))

EAGER = HedgingProfile(
    name="eager",
    hedge_delay=timedelta(milliseconds=200),
    max_tokens=100,
    refill_ratio=0.05,
    origin=Origin("s/profiles.yaml", ("hedgingProfiles", "eager")),
)


def publisher(folder: Path, text: str, **more: str) -> Publisher:
    """The one publisher of a file, beside a file of profiles."""
    files = {"profiles.yaml": PROFILES, "p.yaml": text, **{f"{name}.yaml": body for name, body in more.items()}}
    found = load(folder, files).fleet.publishers
    assert len(found) == 1
    return found[0]


def test_what_a_service_says_of_its_callers_and_processes_is_read_and_changes_no_file(tmp_path: Path) -> None:
    text = """\
defaults: {lifetime: 15m}
publishers:
  - service: checkout
    language: java
    giveUpAfter: 10s
    topics: [{topic: projects/acme-orders-prod/topics/returns}]
"""
    said = publisher(tmp_path / "one", text)
    silent = publisher(tmp_path / "two", text.replace("{lifetime: 15m}", "{}").replace("    giveUpAfter: 10s\n", ""))
    assert (said.give_up_after, said.lifetime) == (timedelta(seconds=10), timedelta(minutes=15))
    assert (silent.give_up_after, silent.lifetime) == (None, None)
    assert spec_digest(said) == spec_digest(silent)


def test_a_publisher_is_read_whole(tmp_path: Path) -> None:
    text = """\
publishers:
  - service: checkout
    language: java
    clientVersion: 1.160.0
    adapter: spring
    regions: [europe-west1]
    duplicatesTolerated: true
    project: acme-orders-prod
    expectedRequestsPerSecond: 20
    topics:
      - topic: returns
        messageOrdering: true
        hedging: off
        endpoint: europe-west1
        batching: {maxMessages: 100, maxBytes: 1000, maxLatency: 10ms}
        flowControl: {maxOutstandingMessages: 1000, maxOutstandingBytes: 10MiB, limitExceededBehavior: error}
      - topic: projects/acme-billing-prod/topics/orders
        hedging: eager
        retry: {initialRpcTimeout: 10s, maxRpcTimeout: 60s, rpcTimeoutMultiplier: 4, totalTimeout: 10m}
"""
    topics = AT.at("topics")

    assert publisher(tmp_path, text) == Publisher(
        service="checkout",
        language="java",
        client_version="1.160.0",
        adapter="spring",
        regions=("europe-west1",),
        duplicates_tolerated=True,
        expected_requests_per_second=20,
        topics=(
            PublishedTopic(
                topic=TopicName("acme-billing-prod", "orders"),
                hedging=EAGER,
                hedging_origin=topics.at(1, "hedging"),
                retry=RetrySettings(
                    initial_rpc_timeout=timedelta(seconds=10),
                    max_rpc_timeout=timedelta(seconds=60),
                    rpc_timeout_multiplier=4,
                    total_timeout=timedelta(minutes=10),
                ),
                origin=topics.at(1),
            ),
            PublishedTopic(
                topic=orders("returns"),
                hedging=None,
                hedging_origin=topics.at(0, "hedging"),
                batching=Batching(max_messages=100, max_bytes=1000, max_latency=timedelta(milliseconds=10)),
                flow_control=FlowControl(
                    max_outstanding_messages=1000, max_outstanding_bytes=10 * 2**20, limit_exceeded="error"
                ),
                message_ordering=True,
                ordering_origin=topics.at(0, "messageOrdering"),
                endpoint="europe-west1",
                origin=topics.at(0),
            ),
        ),
        origin=AT,
    )


def test_settings_come_from_the_topic_the_service_or_defaults_with_their_origin(tmp_path: Path) -> None:
    text = """\
defaults:
  project: acme-orders-prod
  language: go
  regions: [us-east1]
  hedging: eager
  messageOrdering: true
  retry: {totalTimeout: 100s, maxRpcTimeout: 7s}
  flowControl: {maxOutstandingMessages: 5}
publishers:
  - service: checkout
    retry: {totalTimeout: 200s}
    topics:
      - topic: first
      - topic: second
        hedging: off
        retry: {initialRpcTimeout: 3s}
        messageOrdering: false
"""
    defaults = Origin("s/p.yaml", ("defaults",))
    found = publisher(tmp_path, text)
    first, second = found.topics

    assert (found.language, found.regions) == ("go", ("us-east1",))
    assert (first.hedging, first.hedging_origin) == (EAGER, defaults.at("hedging"))
    assert (first.message_ordering, first.ordering_origin) == (True, defaults.at("messageOrdering"))
    assert first.retry == RetrySettings(max_rpc_timeout=timedelta(seconds=7), total_timeout=timedelta(seconds=200))
    assert first.flow_control == FlowControl(max_outstanding_messages=5)
    assert (second.hedging, second.hedging_origin) == (None, AT.at("topics", 1, "hedging"))
    assert (second.message_ordering, second.ordering_origin) == (False, None)
    assert second.retry == RetrySettings(
        initial_rpc_timeout=timedelta(seconds=3),
        max_rpc_timeout=timedelta(seconds=7),
        total_timeout=timedelta(seconds=200),
    )


def test_hedging_that_nobody_chose_is_off(tmp_path: Path) -> None:
    text = "publishers: [{service: checkout, language: go, project: acme-orders-prod, topics: [{topic: first}]}]"

    (topic,) = publisher(tmp_path, text).topics

    assert topic == PublishedTopic(
        topic=orders("first"),
        hedging=None,
        hedging_origin=AT.at("topics", 0),
        origin=AT.at("topics", 0),
    )


def test_an_id_alone_finds_the_one_declared_topic(tmp_path: Path) -> None:
    text = "publishers: [{service: checkout, language: go, topics: [{topic: orders}]}]"
    declared = "topics: [{name: projects/acme-billing-prod/topics/orders}]"

    (topic,) = publisher(tmp_path, text, zz=declared).topics

    assert topic.topic == TopicName("acme-billing-prod", "orders")


@pytest.mark.parametrize(
    ("value", "read"),
    [("-1", -1), ("0", 0), ("1e400", math.inf), ("10.5", 10.5), ("9007199254740993", 9007199254740993)],
)
def test_numbers_of_a_profile_are_left_to_the_rules(tmp_path: Path, value: str, read: float) -> None:
    text = f"hedgingProfiles: {{odd: {{hedgeDelay: -5s, maxTokens: {value}, refillRatio: .inf}}}}"

    (profile,) = load(tmp_path, {"t.yaml": text}).fleet.profiles

    assert (profile.hedge_delay, profile.max_tokens, profile.refill_ratio) == (timedelta(seconds=-5), read, math.inf)


def test_nan_reaches_the_rules_too(tmp_path: Path) -> None:
    text = "hedgingProfiles: {odd: {hedgeDelay: 1s, maxTokens: .nan, refillRatio: 0.1}}"

    (profile,) = load(tmp_path, {"t.yaml": text}).fleet.profiles

    assert math.isnan(profile.max_tokens)


def entry(body: str, topic: str = "{topic: projects/acme-orders-prod/topics/orders}") -> str:
    return f"{PROFILES}publishers:\n  - {{service: checkout, language: go, {body}topics: [{topic}]}}\n"


ORDERS = "topic: projects/acme-orders-prod/topics/orders"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            entry("", f"{{{ORDERS}, hedging: egaer}}"),
            "4:97: error: `checkout`: there is no hedging profile `egaer`  [profile-unknown]\n  hint: write `eager`",
        ),
        (
            entry("", f"{{{ORDERS}, hedging: fast}}"),
            (
                "4:97: error: `checkout`: there is no hedging profile `fast`  [profile-unknown]\n"
                "  hint: declare it under `hedgingProfiles`, or write `off`"
            ),
        ),
        (
            entry("", f"{{{ORDERS}, hedging: false}}"),
            (
                "4:97: error: `checkout`: `hedging` is `false` where the name of a hedging profile, or `off` belongs  "
                "[spec-type]\n  hint: write `off`"
            ),
        ),
        (
            entry("", f"{{{ORDERS}, hedging: true}}"),
            (
                "4:97: error: `checkout`: `hedging` is `true` where the name of a hedging profile, or `off` belongs  "
                "[spec-type]\n  hint: write the name of a profile"
            ),
        ),
        (
            entry("", "{topic: orders}"),
            (
                "4:49: error: `checkout`: no topic `orders` is declared  [topic-project]\n"
                "  hint: write its full name, or `project` beside `service`"
            ),
        ),
        (
            entry("", "{topic: orders}") + "topics:\n"
            "  - {name: projects/acme-orders-prod/topics/orders}\n"
            "  - {name: projects/acme-billing-prod/topics/orders}\n",
            (
                "4:49: error: `checkout`: several projects have a topic `orders`: acme-billing-prod, acme-orders-prod  "
                "[topic-project]\n  hint: write its full name, or `project` beside `service`"
            ),
        ),
        (
            entry("", "{topic: projects/acme-orders-prod/orders}"),
            (
                "4:49: error: `checkout`: `projects/acme-orders-prod/orders` is not a topic name  [topic-name]\n"
                "  hint: write `projects/PROJECT/topics/TOPIC`"
            ),
        ),
        (
            entry("", "{topic: projects/acme-orders-prod/topics/x}"),
            "4:49: error: `checkout`: `x` is not a topic id  [topic-name]",
        ),
        (
            entry("", "{topic: projects/My Project/topics/orders}"),
            "4:49: error: `checkout`: `My Project` is not a project id  [topic-project]",
        ),
        (
            entry("", f"{{{ORDERS}}}, {{{ORDERS}}}"),
            (
                "4:98: error: `checkout`: topic `orders` is listed twice  [published-twice]\n"
                "  first at s/t.yaml:4:48\n  hint: keep one of them"
            ),
        ),
        (
            entry("") + "  - {service: checkout, language: go, topics: [{topic: projects/acme-lab/topics/x-1}]}\n",
            (
                "5:5: error: `checkout`: the service is declared twice  [publisher-duplicate]\n"
                "  first at s/t.yaml:4:5\n  hint: keep one of them"
            ),
        ),
        (
            entry("regions: [eu], "),
            (
                "4:49: error: `checkout`: `eu` is a multi-region, and Pub/Sub keeps messages in single regions  "
                "[region-multi]\n  hint: list the regions one by one"
            ),
        ),
        (
            entry("expectedRequestsPerSecond: .inf, "),
            "4:39: error: `checkout`: `expectedRequestsPerSecond` is inf, not a finite number  [spec-range]",
        ),
        (
            entry("giveUpAfter: 0.0000001s, "),
            "4:39: error: `checkout`: `giveUpAfter`: `0.0000001s` is not a whole number of microseconds  [spec-value]",
        ),
        (
            entry("retry: {totalTimeout: 0.0000001s}, "),
            "4:39: error: `checkout`: `totalTimeout`: `0.0000001s` is not a whole number of microseconds  [spec-value]",
        ),
        (
            entry("", f"{{{ORDERS}, flowControl: {{maxOutstandingBytes: 1.5B}}}}"),
            "4:111: error: `checkout`: `maxOutstandingBytes`: `1.5B` is not a whole number of bytes  [spec-value]",
        ),
        (
            entry("", f"{{{ORDERS}, flowControl: {{maxOutstandingBytes: 10 MB}}}}"),
            (
                '4:111: error: `checkout`: `maxOutstandingBytes` is the text "10 MB", not a size in '
                "bytes  [spec-value]\n"
                "  hint: write for example `1000000B` or `10MiB`"
            ),
        ),
        (
            entry("clientVersion: 1.160, "),
            (
                "4:39: error: `checkout`: `clientVersion` is the number 1.16 where a version belongs  [spec-type]\n"
                "  hint: put quotes around it"
            ),
        ),
        (
            entry("adapter: $x, "),
            '4:39: error: `checkout`: `adapter` is the text "$x", not `spring`, `configmap`, `properties` or `env`  [spec-value]',
        ),
        (
            entry("project: '{x}', "),
            (
                "4:39: error: `checkout`: nothing fills in the placeholder `{x}`  [spec-placeholder]\n"
                "  hint: write the value out"
            ),
        ),
        (
            "publishers: [{service: checkout, topics: [{" + ORDERS + "}]}]",
            (
                "1:14: error: `checkout`: the entry has no `language`  [spec-missing-key]\n"
                "  hint: write `language: java` (or go, rust, python, node, ...) here or in `defaults`"
            ),
        ),
        (
            "hedgingProfiles: {off: {hedgeDelay: 1s, maxTokens: 1, refillRatio: 0.1}}",
            (
                "1:19: error: `off` is no name for a profile: it means that hedging is off  [profile-name]\n"
                "  hint: choose another name"
            ),
        ),
        (
            "hedgingProfiles: {eager: {hedgeDelay: 1s, maxTokens: 1}}",
            "1:19: error: `eager`: the entry has no `refillRatio`  [spec-missing-key]",
        ),
        (
            "hedgingProfiles: {eager: {hedgeDelay: 99999999999999999999d, maxTokens: 1, refillRatio: 0.1}}",
            "1:27: error: `eager`: `hedgeDelay`: `99999999999999999999d` is too large  [spec-value]",
        ),
        (
            "defaults: {hedging: fast}\ntopics: []",
            (
                "1:12: error: there is no hedging profile `fast`  [profile-unknown]\n"
                "  hint: declare it under `hedgingProfiles`, or write `off`"
            ),
        ),
        (
            "defaults: {regions: [eu]}\ntopics: []",
            (
                "1:22: error: `eu` is a multi-region, and Pub/Sub keeps messages in single regions  [region-multi]\n"
                "  hint: list the regions one by one"
            ),
        ),
    ],
)
def test_what_is_wrong_with_a_publisher(tmp_path: Path, text: str, expected: str) -> None:
    assert problem(tmp_path, text) == f"s/t.yaml:{expected}"


def test_a_profile_twice_names_both_places(tmp_path: Path) -> None:
    assert problems(tmp_path, {"a.yaml": PROFILES, "b.yaml": PROFILES}) == [
        (
            "s/b.yaml:2:3: error: `eager`: the hedging profile is declared twice  [profile-duplicate]\n"
            "  first at s/a.yaml:2:3\n  hint: keep one of them"
        )
    ]


def test_what_is_missing_because_another_file_is_wrong_is_not_reported(tmp_path: Path) -> None:
    files = {
        "a.yaml": "colour: red\n",
        "b.yaml": "publishers: [{service: checkout, topics: [{topic: orders, hedging: eager}]}]\ntopics: [{name: abc}]",
    }

    assert problems(tmp_path, files) == [
        (
            "s/a.yaml:1:1: error: unknown key `colour`  [spec-unknown-key]\n"
            "  hint: known here: `apiVersion`, `defaults`, `topics`, `hedgingProfiles`, `publishers`, `exemptions`"
        )
    ]


def test_a_profile_that_is_wrong_is_not_missing_too(tmp_path: Path) -> None:
    text = entry("hedging: odd, ")
    text = text.replace("  eager:", "  odd: {hedgeDelay: 0.0000001s, maxTokens: 1, refillRatio: 0.1}\n  eager:")

    assert problem(tmp_path, text) == (
        "s/t.yaml:2:9: error: `odd`: `hedgeDelay`: `0.0000001s` is not a whole number of microseconds  [spec-value]"
    )
