from __future__ import annotations

import re
from pathlib import Path

import pytest

from reconciler.rules import ALL_RULES, PUBLISHER_RULES, RESOURCE_RULES, TOPIC_RULES, Rule, Severity
from reconciler.rules.setting_rules import SETTING_RULES
from tests.rules.examples import codes

RULES = pytest.mark.parametrize("rule", ALL_RULES.values(), ids=lambda rule: rule.code)

EVERY_RULE = pytest.mark.parametrize(
    "rule", [*ALL_RULES.values(), *RESOURCE_RULES.values()], ids=lambda rule: rule.code
)

EXEMPT_AND_SO_FOUND = {"rule-fixed", "exemption-expired", "exemption-expiring", "exemption-unused"}
"""Rules whose mended examples still hold a finding, because that is exempt."""


def test_every_rule_is_registered_once_by_its_code() -> None:
    rules = (*TOPIC_RULES, *PUBLISHER_RULES, *SETTING_RULES)

    assert list(ALL_RULES.items()) == [(rule.code, rule) for rule in rules]
    assert len(ALL_RULES) == len(rules)


def test_the_registry_holds_every_rule_that_the_room_defines() -> None:
    room = Path(__file__).parents[2] / "reconciler" / "rules"
    defined = sum(len(re.findall(r"= Rule\(", path.read_text("utf-8"))) for path in room.glob("*.py"))

    assert len(ALL_RULES) + len(RESOURCE_RULES) == defined
    assert ALL_RULES.keys() & RESOURCE_RULES.keys() == set()


@EVERY_RULE
def test_a_rule_says_in_one_line_what_it_demands(rule: Rule) -> None:
    assert re.fullmatch(r"[A-Z`][^\n]{10,98}[^.\n]", rule.title)


@EVERY_RULE
def test_a_rule_gives_its_reason_as_one_paragraph(rule: Rule) -> None:
    assert rule.because.endswith((".", ")."))
    assert "\n" not in rule.because


@RULES
def test_an_example_breaks_its_rule(rule: Rule, tmp_path: Path) -> None:
    assert rule.example is not None
    assert rule.code in codes(rule.example.breaks, tmp_path)


@RULES
def test_a_mended_example_breaks_no_rule(rule: Rule, tmp_path: Path) -> None:
    assert rule.example is not None
    exempt = {"region-not-allowed", "region-unknown"} if rule.code in EXEMPT_AND_SO_FOUND else set()
    assert codes(rule.example.mends, tmp_path) - exempt == set()


def test_what_is_undecided_is_neither_adjusted_nor_exempted() -> None:
    undecided = [rule for rule in ALL_RULES.values() if rule.severity is Severity.UNDECIDED]

    assert [rule.code for rule in undecided if rule.adjustable or rule.exemptable] == []
