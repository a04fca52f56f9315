"""The stack that the documentation shows is one that loads and passes its rules."""

from __future__ import annotations

import os
import re
from datetime import date
from pathlib import Path

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
