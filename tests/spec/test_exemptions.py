"""Exemptions and levels of rules, from files to the model."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from reconciler.model import Exemption, Origin, RuleLevel
from tests.spec.stacks import STACK, load, orders, problem, problems

LEDGER = "projects/acme-orders-prod/topics/ledger"


def entry(**changes: str | None) -> str:
    fields = {
        "topics": f"[{LEDGER}]",
        "rule": "region-not-allowed",
        "reason": "migration, ticket PLAT-812",
        "owner": "orders@acme.example",
        "expires": "2027-03-31",
        **changes,
    }
    lines = [f"{key}: {value}" for key, value in fields.items() if value is not None]
    return "exemptions:\n  - " + "\n    ".join(lines) + "\n"


def test_an_exemption_has_topics_a_rule_a_reason_an_owner_and_a_last_day(tmp_path: Path) -> None:
    text = entry(topics=f"[{LEDGER}, projects/acme-orders-prod/topics/audit-*]")

    assert load(tmp_path, {"t.yaml": text}).fleet.exemptions == (
        Exemption(
            topics=(orders("audit-*"), orders("ledger")),
            rule="region-not-allowed",
            reason="migration, ticket PLAT-812",
            owner="orders@acme.example",
            expires=date(2027, 3, 31),
            origin=Origin("s/t.yaml", ("exemptions", 0)),
        ),
    )


def test_exemptions_come_from_every_file_in_one_order(tmp_path: Path) -> None:
    found = load(tmp_path, {"b.yaml": entry(rule="a-rule"), "a.yaml": entry(rule="b-rule")}).fleet.exemptions

    assert [(exemption.rule, exemption.origin.file) for exemption in found] == [
        ("a-rule", "s/b.yaml"),
        ("b-rule", "s/a.yaml"),
    ]


def test_a_day_may_be_in_quotes(tmp_path: Path) -> None:
    (exemption,) = load(tmp_path, {"t.yaml": entry(expires='"2027-03-31"')}).fleet.exemptions

    assert exemption.expires == date(2027, 3, 31)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (entry(owner=None), "2:5: error: `exemptions[0]`: the entry has no `owner`  [spec-missing-key]"),
        (
            entry(expires="31 March"),
            (
                '6:5: error: `exemptions[0]`: `expires` is the text "31 March", not a day  [spec-value]\n'
                "  hint: write for example `2027-03-31`"
            ),
        ),
        (
            entry(expires="2027-02-30"),
            "6:5: error: `exemptions[0]`: `expires`: there is no day `2027-02-30`  [spec-value]",
        ),
        (
            entry(expires="2027-03-31T12:00:00Z"),
            (
                '6:5: error: `exemptions[0]`: `expires` is the text "2027-03-31T12:00:00Z", not a day  [spec-value]\n'
                "  hint: write for example `2027-03-31`"
            ),
        ),
        (
            entry(topics="[ledger]"),
            (
                '2:14: error: `exemptions[0]`: `topics[0]` is the text "ledger", not the full name of a topic  '
                "[spec-value]\n  hint: write for example `projects/acme-orders-prod/topics/orders` or "
                "`projects/acme-orders-prod/topics/legacy-*`"
            ),
        ),
        (
            entry(topics="[projects/acme-orders-prod/topics/goog-x]"),
            (
                "2:14: error: `exemptions[0]`: `goog-x` is not a topic id  [topic-name]\n"
                "  hint: write a topic id, in which `*` stands for any characters"
            ),
        ),
        (
            entry(topics="[projects/acme-lab/topics/ledger]"),
            (
                "2:14: error: `exemptions[0]`: project `acme-lab` is not in the stack's scope  [topic-project]\n"
                "  hint: name a topic of the stack, or add the project to `projects` in `s/stack.yaml`"
            ),
        ),
        (
            entry(topics="[]"),
            (
                "2:5: error: `exemptions[0]`: `topics` is empty  [spec-empty-value]\n"
                "  hint: write something, or leave the key out"
            ),
        ),
        (
            entry(rule="Region Not Allowed"),
            (
                '3:5: error: `exemptions[0]`: `rule` is the text "Region Not Allowed", not the code of a rule  '
                "[spec-value]\n  hint: write for example `region-not-allowed`"
            ),
        ),
        (
            entry(until="soon"),
            (
                "7:5: error: `exemptions[0]`: unknown key `until`  [spec-unknown-key]\n"
                "  hint: known here: `topics`, `rule`, `reason`, `owner`, `expires`"
            ),
        ),
        (
            entry(reason='"see {ticket}"'),
            (
                "4:5: error: `exemptions[0]`: nothing fills in the placeholder `{ticket}`  [spec-placeholder]\n"
                "  hint: write the value out"
            ),
        ),
    ],
)
def test_what_is_wrong_with_an_exemption(tmp_path: Path, text: str, expected: str) -> None:
    assert problem(tmp_path, text) == f"s/t.yaml:{expected}"


def test_a_stack_sets_levels_of_rules(tmp_path: Path) -> None:
    text = STACK + "rules: {single-region: off, region-unknown: error, push-may-pause: warning}\n"

    assert load(tmp_path, {"stack.yaml": text}).fleet.stack.rules == {
        "push-may-pause": RuleLevel.WARNING,
        "region-unknown": RuleLevel.ERROR,
        "single-region": RuleLevel.OFF,
    }


def test_levels_count_in_the_fingerprint(tmp_path: Path) -> None:
    before = load(tmp_path, {}).fleet.fingerprint

    assert load(tmp_path, {"stack.yaml": STACK + "rules: {single-region: off}\n"}).fleet.fingerprint != before


def test_a_level_is_error_warning_or_off(tmp_path: Path) -> None:
    assert problems(tmp_path, {"stack.yaml": STACK + "rules: {single-region: info}\n"}) == [
        's/stack.yaml:5:9: error: `single-region` is the text "info", not `error`, `warning` or `off`  [spec-value]'
    ]
