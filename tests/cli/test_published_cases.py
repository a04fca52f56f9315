"""What users of hedging and publisher settings have met, from specs to files: what is refused leaves no file behind."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from reconciler.cli.main import run

STACK = """\
apiVersion: hedgerow/v1
organization: organizations/123456789012
policySource: ../../policies/organization.yaml
projects: [acme-orders-prod]
"""
ORGANIZATION = """\
apiVersion: hedgerow/v1
organization: organizations/123456789012
resources:
  - {name: organizations/123456789012}
  - {name: projects/acme-orders-prod, number: "111111111111", parent: organizations/123456789012}
"""
EAGER = {"hedgeDelay": "200ms", "maxTokens": 100, "refillRatio": 0.05}
HEDGED = {"duplicatesTolerated": True}
ORDERED = {"messageOrdering": True}
WEST4 = {"messageStoragePolicy": {"allowedPersistenceRegions": ["europe-west4"]}}
ENFORCED = {"messageStoragePolicy": {"allowedPersistenceRegions": ["europe-west4"], "enforceInTransit": True}}


def render(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    profile: dict[str, Any],
    topic: dict[str, Any],
    service: Any,
    on: Any,
) -> tuple[int, list[str], list[str]]:
    """Renders one service with one topic; returns the exit code, the codes of all findings, and the files written."""
    (folder / "stacks/production").mkdir(parents=True)
    (folder / "policies").mkdir()
    specs = {
        "apiVersion": "hedgerow/v1",
        "defaults": {"project": "acme-orders-prod"},
        "hedgingProfiles": {"eager": {**EAGER, **profile}},
        "topics": [{"name": "orders", **on}],
        "publishers": [{"service": "checkout", **service, "topics": [{"topic": "orders", **topic}]}],
    }
    (folder / "stacks/production/stack.yaml").write_text(STACK, encoding="utf-8")
    (folder / "policies/organization.yaml").write_text(ORGANIZATION, encoding="utf-8")
    # JSON is YAML, but for what YAML alone can say.
    text = json.dumps(specs).replace("NaN", ".nan").replace("Infinity", ".inf")
    (folder / "stacks/production/specs.yaml").write_text(text, encoding="utf-8")
    code = run(["render"])
    captured = capsys.readouterr()
    found = re.findall(r"  \[([a-z-]+)\]$", captured.out + captured.err, re.MULTILINE)
    written = [path.name for path in (folder / "stacks/production").glob("dist/**/*") if path.is_file()]
    return int(code), found, written


def retry(**seconds: str) -> dict[str, Any]:
    return {"retry": seconds}


REFUSED: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any], str]] = {
    # What is 0 in one library is the default in the next and clamped in a third.
    "no-tokens": ({"maxTokens": 0}, {}, {}, {}, "max-tokens-range"),
    "negative-tokens": ({"maxTokens": -1}, {}, {}, {}, "max-tokens-range"),
    "too-many-tokens": ({"maxTokens": 251}, {}, {}, {}, "max-tokens-range"),
    "ratio-below": ({"refillRatio": 0.0009}, {}, {}, {}, "refill-ratio-range"),
    "ratio-above": ({"refillRatio": 0.2001}, {}, {}, {}, "refill-ratio-range"),
    "ratio-not-a-number": ({"refillRatio": float("nan")}, {}, {}, {}, "refill-ratio-range"),
    "delay-below": ({"hedgeDelay": "99ms"}, {}, {}, {}, "hedge-delay-range"),
    "delay-above": ({"hedgeDelay": "10.001s"}, {}, {}, {}, "hedge-delay-range"),
    "delay-without-unit": ({"hedgeDelay": 1}, {}, {}, {}, "spec-type"),
    # Java does not start; Go and Rust are never hedged.
    "delay-at-the-initial-timeout": ({"hedgeDelay": "5s"}, {}, {"language": "java"}, {}, "hedge-delay-timeout"),
    "delay-at-the-total-timeout": (
        {"hedgeDelay": "10s"},
        retry(initialRpcTimeout="12s", maxRpcTimeout="12s", totalTimeout="10s"),
        {"language": "java"},
        {},
        "hedge-delay-timeout",
    ),
    "go-timeout-below-the-delay": ({"hedgeDelay": "1s"}, retry(totalTimeout="500ms"), {}, {}, "hedge-delay-timeout"),
    "java-total-below-10s": ({}, retry(totalTimeout="9.999s"), {"language": "java"}, {}, "timeout-range"),
    "java-initial-below-10ms": ({}, retry(initialRpcTimeout="9ms"), {"language": "java"}, {}, "timeout-range"),
    "ordering": ({}, ORDERED, {}, {}, "hedging-ordering"),
    "ordering-of-the-service": ({}, {}, ORDERED, {}, "hedging-ordering"),
    "an-earlier-drafts-field": ({"maxHedgedAttempts": 3}, {}, {}, {}, "spec-unknown-key"),
    "duplicates-not-stated": ({}, {}, {"duplicatesTolerated": False}, {}, "duplicates-not-stated"),
    "endpoint-outside": ({}, {"endpoint": "europe-west1"}, {}, WEST4, "endpoint-outside"),
    "in-transit-outside": ({}, {"endpoint": "global"}, {"regions": ["us-east1"]}, ENFORCED, "in-transit-outside"),
    **{
        f"hedging-in-{language}": ({}, {}, {"language": language, "clientVersion": "1.0.0"}, {}, "hedging-unsupported")
        for language in ("python", "csharp", "php", "ruby", "cpp")
    },
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_client_refuses_changes_or_ignores_is_refused_for_go_too_and_no_file_is_written(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    profile, topic, service, on, expected = REFUSED[case]
    topic, service = {"hedging": "eager", **topic}, {"language": "go", **HEDGED, **service}
    code, found, written = render(tmp_path, capsys, profile, topic, service, on)
    assert (code, expected in found, written) == (3, True, []), found


ACCEPTED: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any], list[str]]] = {
    "the-lower-bounds": ({"hedgeDelay": "100ms", "maxTokens": 1, "refillRatio": 0.001}, {}, {}, {}, []),
    "the-upper-bounds": ({"hedgeDelay": "10s", "maxTokens": 250, "refillRatio": 0.2}, {}, {}, {}, []),
    "just-below-javas-default": ({"hedgeDelay": "4999ms"}, {}, {"language": "java"}, {}, ["timeout-tight"]),
    "below-a-longer-initial-timeout": (
        {"hedgeDelay": "6s"},
        retry(initialRpcTimeout="12s", totalTimeout="600s"),
        {"language": "java"},
        {},
        ["timeout-tight"],
    ),
    "a-tight-timeout": (
        {"hedgeDelay": "1s"},
        retry(initialRpcTimeout="1.1s"),
        {"language": "java"},
        {},
        ["timeout-tight"],
    ),
    "a-slow-service": ({}, {}, {"expectedRequestsPerSecond": 0.03}, {}, ["first-hedge-late"]),
    "a-short-lived-one": ({}, {}, {"expectedRequestsPerSecond": 1, "lifetime": "10s"}, {}, ["hedging-short-lived"]),
    "a-busy-one": ({}, {}, {"expectedRequestsPerSecond": 200}, {}, ["flow-control-missing"]),
    "impatient-callers": (
        {},
        {"hedging": "off"},
        {"language": "python", "giveUpAfter": "10s"},
        {},
        ["late-duplicates"],
    ),
    "ordered-through-a-region": ({}, {"hedging": "off", **ORDERED, "endpoint": "europe-west4"}, {}, WEST4, []),
    "ordered-through-the-global-endpoint": (
        {},
        {"hedging": "off", **ORDERED, "endpoint": "global"},
        {"regions": ["us-east1"]},
        WEST4,
        ["single-region", "publisher-outside-regions", "ordering-endpoint"],
    ),
    "publishers-elsewhere": (
        {},
        {},
        {"regions": ["us-east1"]},
        WEST4,
        ["single-region", "publisher-outside-regions"],
    ),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_only_helps_little_is_written_with_a_warning(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    profile, topic, service, on, expected = ACCEPTED[case]
    topic, service = {"hedging": "eager", **topic}, {"language": "go", **HEDGED, **service}
    code, found, written = render(tmp_path, capsys, profile, topic, service, on)
    assert (code, sorted(found), written) == (0, sorted(expected), ["checkout.json"])


@pytest.mark.parametrize("language", ["java", "go", "rust", "python", "node"])
def test_a_file_states_the_attempts_and_the_total_timeout_and_the_version_that_they_are_from(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, found, _ = render(tmp_path, capsys, {}, {"hedging": "off"}, {"language": language}, {})
    document = json.loads((tmp_path / "stacks/production/dist/publishers/checkout.json").read_bytes())
    (topic,) = document["topics"].values()
    first, total = {
        "java": ("5s", "600s"),
        "go": ("60s", "60s"),
        "rust": ("600s", "600s"),
        "python": ("60s", "600s"),
        "node": ("60s", "600s"),
    }[language]
    assert (code, found) == (0, [])
    assert (topic["retry"]["initialRpcTimeout"], topic["retry"]["totalTimeout"]) == (first, total)
    assert document["clientLibrary"]["version"] != ""
    assert "hedging" not in topic


def test_spring_gets_what_is_below_a_second_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Spring's own publisher properties are whole seconds; those under hedgerow's prefix are durations."""
    monkeypatch.chdir(tmp_path)
    service = {"language": "java", "adapter": "spring", **HEDGED}
    topic = {"hedging": "eager", **retry(initialRpcTimeout="1500ms")}
    code, found, written = render(tmp_path, capsys, {}, topic, service, {})
    assert (code, found, sorted(written)) == (0, [], ["application-checkout.yaml", "checkout.json"])
    rendered = (tmp_path / "stacks/production/dist/publishers/application-checkout.yaml").read_text("utf-8")
    assert 'initial-rpc-timeout: "1500ms"\n' in rendered
