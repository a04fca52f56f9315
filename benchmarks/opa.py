"""Conftest, the counterpart for rules on files: found, or built with Go into a cache; and one rule of ours in Rego."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from benchmarks.comparison import cache
from benchmarks.fleets import WrittenFleet
from reconciler.spec import load_catalogue, load_snapshot

MODULE = "github.com/open-policy-agent/conftest@v0.71.1"

RULE = """\
package main

import rego.v1

deny contains message if {
	some topic in input.topics
	some region in topic.messageStoragePolicy.allowedPersistenceRegions
	project := object.get(topic, "project", object.get(input, ["defaults", "project"], ""))
	not region in data.allowed[project]
	message := sprintf("`%s`: region `%s` is not allowed in `%s`", [topic.name, region, project])
}
"""
"""`region-not-allowed` for topics that list regions. The regions that each project allows are given: Rego would have
to evaluate the organization's policies for each file anew."""


def present_conftest() -> Path | None:
    """The `conftest` command on the path, or from an earlier build."""
    found = shutil.which("conftest") or shutil.which("conftest", path=cache())
    return Path(found) if found else None


def find_conftest() -> Path | str:
    """The `conftest` command, built into `$XDG_CACHE_HOME/hedgerow-benchmarks` where needed; else why there is none.

    Building takes some minutes, once.
    """
    if present := present_conftest():
        return present
    go = shutil.which("go")
    if go is None:
        return "Go, which builds it, is not installed"
    environment = {**os.environ, "GOBIN": str(cache())}
    built = subprocess.run([go, "install", MODULE], env=environment, capture_output=True, text=True, check=False)
    return present_conftest() or f"`go install {MODULE}` ended with {built.returncode}"


def conftest_program(command: Path, fleet: WrittenFleet, folder: Path) -> list[str | Path]:
    """The command line that checks a fleet's files against the rule, which is written to a folder."""
    rules, allowed = folder / "rules", folder / "allowed.json"
    rules.mkdir()
    (rules / "regions.rego").write_text(RULE, encoding="utf-8")
    snapshot, catalogue = load_snapshot(fleet.snapshot), load_catalogue()
    projects = sorted({path.parent.name for path in fleet.files})
    policies = {name: snapshot.effective_policy(name, catalogue) for name in projects}
    regions = {name: sorted(policy.allowed.certain.names) for name, policy in policies.items() if policy}
    allowed.write_text(json.dumps({"allowed": regions}), encoding="utf-8")
    return [command, "test", "--policy", rules, "--data", allowed, *(fleet.stack / project for project in projects)]
