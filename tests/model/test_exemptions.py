from __future__ import annotations

from datetime import date

import pytest

from reconciler.model import Exemption, Exemptions, Fleet, Origin, TopicName
from tests.rules.topics import STACK

TODAY = date(2026, 11, 30)


def exemption(*topics: str, rule: str = "single-region", expires: date = TODAY, owner: str = "a") -> Exemption:
    names = tuple(sorted(TopicName("acme-orders", topic) for topic in topics))
    return Exemption(topics=names, rule=rule, reason="r", owner=owner, expires=expires, origin=Origin("e.yaml"))


def found(*exemptions: Exemption, topic: str = "ledger", rule: str = "single-region") -> Exemption | None:
    return Exemptions.in_force(exemptions, TODAY).of(rule, TopicName("acme-orders", topic))


@pytest.mark.parametrize(
    ("pattern", "topic", "is_covered"),
    [
        ("ledger", "ledger", True),
        ("ledger", "ledger-2", False),
        ("ledger-*", "ledger-2", True),
        ("ledger-*", "ledger-", True),
        ("ledger-*", "ledger", False),
        ("*-old", "ledger-old", True),
        ("a*c*e", "abcde", True),
        ("a.c*", "abcde", False),
        ("*", "anything", True),
    ],
)
def test_a_star_stands_for_any_characters_of_a_topic_id(pattern: str, topic: str, is_covered: bool) -> None:
    one = exemption(pattern)

    assert one.covers(TopicName("acme-orders", topic)) is is_covered
    assert found(one, topic=topic) == (one if is_covered else None)


def test_an_exemption_covers_topics_of_its_projects_only() -> None:
    assert not exemption("*").covers(TopicName("acme-billing", "ledger"))
    assert Exemptions.in_force([exemption("*")], TODAY).of("single-region", TopicName("acme-billing", "ledger")) is None


def test_an_exemption_is_from_one_rule() -> None:
    assert found(exemption("ledger"), rule="endpoint-outside") is None


@pytest.mark.parametrize("topic", ["ledger", "led*"])
def test_an_exemption_counts_up_to_its_last_day(topic: str) -> None:
    last, past = exemption(topic, expires=TODAY), exemption(topic, expires=date(2026, 11, 29))

    assert found(last) == last
    assert found(past) is None
    assert str(last) == "exempt until 2026-11-30 (a)"


@pytest.mark.parametrize("topics", [("ledger", "ledger"), ("ledger", "led*"), ("led*", "ledger"), ("led*", "*ger")])
def test_of_several_exemptions_the_one_that_lives_longest_counts(topics: tuple[str, str]) -> None:
    longer, shorter = exemption(topics[0], expires=date(2027, 1, 1)), exemption(topics[1])

    assert found(shorter, longer) == found(longer, shorter) == longer


def test_exemptions_are_part_of_what_a_fleet_declares() -> None:
    one, other = exemption("ledger"), exemption("ledger", owner="b")

    assert Fleet.of(STACK, exemptions=[other, one]).exemptions == (one, other)
    assert Fleet.of(STACK, exemptions=[one, other]).fingerprint == Fleet.of(STACK, exemptions=[other, one]).fingerprint
    assert Fleet.of(STACK, exemptions=[one]).fingerprint != Fleet.of(STACK, exemptions=[other]).fingerprint
