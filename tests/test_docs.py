"""The stack that the documentation shows is one that loads and passes its rules."""

from __future__ import annotations

import json
import os
import re
from datetime import date
from pathlib import Path

from reconciler.model import TopicName
from reconciler.pulumi.pack.judge import OWN_RULES, SHARED_RULES
from reconciler.pulumi.pack.settings import Settings, read_settings
from reconciler.report import manual
from reconciler.rules import ALL_RULES, RESOURCE_RULES, Severity, check
from reconciler.spec import load_catalogue, load_fleet, load_snapshot

DOCS = Path(__file__).resolve().parents[1] / "docs"
_FILE = re.compile(r"^```yaml (?P<path>\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_stack_in_the_documentation_loads_and_breaks_no_rule(tmp_path: Path) -> None:
    stack = tmp_path / "stacks" / "production"
    for block in _FILE.finditer((DOCS / "specs.md").read_text("utf-8")):
        path = stack / block["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block["text"], encoding="utf-8")
    loaded = load_fleet(stack)
    snapshot = load_snapshot(Path(loaded.fleet.stack.policy_source))
    catalogue = load_catalogue().with_groups(snapshot.value_groups)
    policies = {project: snapshot.effective_policy(project, catalogue) for project in loaded.fleet.stack.projects}
    findings = check(loaded.fleet, policies, catalogue, today=date(2026, 11, 30))
    assert [topic.name.topic for topic in loaded.fleet.topics] == [
        "ledger",
        "audit",
        "events-europe-west1",
        "events-europe-west4",
        "legacy",
        "orders",
        "orders-by-region",
        "payments",
    ]
    assert loaded.warnings == ()
    assert [finding for finding in findings if finding.severity in (Severity.ERROR, Severity.UNDECIDED)] == []


def test_the_manual_of_rules_is_what_the_rules_say() -> None:
    path = DOCS / "rules.md"
    wanted = manual(ALL_RULES.values(), RESOURCE_RULES.values())
    if os.environ.get("HEDGEROW_UPDATE"):
        path.write_text(wanted, encoding="utf-8")

    assert path.read_text("utf-8") == wanted


def test_the_configuration_of_the_policy_pack_in_the_documentation_can_be_read_and_names_policies() -> None:
    text = (DOCS / "policy-pack.md").read_text("utf-8")
    config = json.loads(text.partition("```json\n")[2].partition("```")[0])
    settings = read_settings(config.pop("organization"), Settings(snapshot=Path("none.yaml")))
    policies = {*(rule.code for rule in (*OWN_RULES, *SHARED_RULES)), "live-storage-policy"}

    assert settings.snapshot == Path("../organization.yaml")
    assert settings.exemptions[0].topics == (TopicName("acme-orders-prod", "legacy-*"),)
    assert config.keys() - policies == set()
    assert {code for code in (*policies, "organization") if f"`{code}`" not in text} == set()
