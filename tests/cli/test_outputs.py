"""What `check` and `plan` write, in which forms, and where; also when the run fails."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from reconciler.report import schema_text
from tests.cli.conftest import ALLOWED, INVOICES, ORDERS, STACK, TOPICS, Company, policy
from tests.cli.test_exit_codes import DISALLOWED, MISTAKE

SARIF = json.loads((Path(__file__).parent.parent / "report/data/sarif-2.1.0-rtm.5.json").read_text("utf-8"))
FINDINGS = json.loads(schema_text("findings"))
REFUNDS = "projects/acme-billing-prod/topics/refunds"
MESSAGE = "`refunds`: region `us-east1` is not allowed in `acme-billing-prod`"
ALL = ["--format", "text", "--format", "github", "--format", "json=out.json", "--format", "sarif=out.sarif"]


def findings(company: Company, file: str = "out.json") -> Any:
    """A JSON file as `check` wrote it, which fits the published schema."""
    document = json.loads((company.folder / file).read_text("utf-8"))
    jsonschema.Draft202012Validator(FINDINGS).validate(document)
    return document


def sarif_run(company: Company, file: str = "out.sarif") -> Any:
    """The one run of a SARIF file, which fits the official schema."""
    document = json.loads((company.folder / file).read_text("utf-8"))
    jsonschema.Draft4Validator(SARIF).validate(document)
    return document["runs"][0]


def codes(found: Iterable[dict[str, Any]], key: str) -> list[str]:
    return [one[key] for one in found]


@pytest.fixture
def result(company: Company, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a workflow step's outputs."""
    file = company.folder / "github-output"
    file.write_text("before=1\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_OUTPUT", str(file))
    return file


def test_one_run_writes_every_form_that_is_asked_for(company: Company, result: Path) -> None:
    company.write("stacks/production/refunds.yaml", DISALLOWED)
    ended = company.hedgerow("check", *ALL)
    assert ended.code == 3
    position = "stacks/production/refunds.yaml:4:56"
    first, *_, last = ended.out.splitlines()
    assert first == f"{position}: error: {MESSAGE}  [region-not-allowed]"
    assert last.startswith(
        f"::error file=stacks/production/refunds.yaml,line=4,col=56,title=region-not-allowed::{MESSAGE}%0Aallowed: "
    )
    document = findings(company)
    assert (document["result"], document["exitCode"], document["counts"]) == (
        "invalid",
        3,
        {"error": 1, "warning": 0, "undecided": 0, "exempt": 0},
    )
    assert document["lookedAt"] == {
        "topics": 4,
        "projects": 2,
        "publishers": 1,
        "policies": "the snapshot policies/organization.yaml",
    }
    [finding] = document["findings"]
    assert (finding["file"], finding["line"], finding["column"], finding["subject"], finding["message"]) == (
        "stacks/production/refunds.yaml",
        4,
        56,
        REFUNDS,
        MESSAGE,
    )
    run = sarif_run(company)
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 3}]
    assert codes(run["results"], "ruleId") == ["region-not-allowed"]
    assert run["results"][0]["partialFingerprints"] == {"hedgerow/v1": finding["fingerprint"]}
    assert result.read_text("utf-8") == "before=1\nresult=invalid\n"


def test_files_that_cannot_be_read_are_findings_in_every_form(company: Company, result: Path) -> None:
    company.write("stacks/production/topics.yaml", MISTAKE)
    ended = company.hedgerow("check", *ALL)
    assert (ended.code, ended.err) == (3, "stack stacks/production\n2 errors\n")
    assert (
        "::error file=stacks/production/topics.yaml,line=10,col=24,title=spec-unknown-key::`billing`: unknown key"
        in (ended.out)
    )
    document = findings(company)
    assert (document["stack"], document["lookedAt"], document["result"]) == (None, None, "invalid")
    assert codes(document["findings"], "code") == ["spec-unknown-key", "spec-empty-value"]
    run = sarif_run(company)
    assert codes(run["results"], "ruleId") == ["spec-unknown-key", "spec-empty-value"]
    assert result.read_text("utf-8").endswith("result=invalid\n")


def test_a_snapshot_that_cannot_be_read_is_a_finding_too(company: Company) -> None:
    company.write("policies/organization.yaml", "apiVersion: hedgerow/v1\n")
    ended = company.hedgerow("check", "--format", "json=out.json")
    assert ended.code == 3
    assert codes(findings(company)["findings"], "file") == ["policies/organization.yaml"] * 2
    assert ended.out.startswith("policies/organization.yaml: error: the file has no `organization`")


def test_a_run_that_ends_early_leaves_its_reason_in_every_form(company: Company, result: Path) -> None:
    ended = company.hedgerow("check", "elsewhere", *ALL)
    message = "`elsewhere` is no stack: neither it nor stacks/elsewhere has a stack.yaml"
    assert ended.code == 64
    assert ended.out == f"::error title=hedgerow::{message}%0Ahint: name one of: production\n"
    assert ended.err == f"error: {message}\n  hint: name one of: production\n"
    assert findings(company)["failure"] == {"message": message, "file": None, "hint": "name one of: production"}
    assert sarif_run(company)["invocations"][0]["executionSuccessful"] is False
    assert result.read_text("utf-8").endswith("result=usage\n")


def test_what_was_not_evaluated_is_told_as_data(company: Company, result: Path) -> None:
    company.write("stacks/production/stack.yaml", STACK.replace("[acme-", "[acme-unknown, acme-"))
    assert company.hedgerow("check", "--format", "json=out.json").code == 4
    document = findings(company)
    assert document["notEvaluated"] == [{"project": "acme-unknown", "reason": "not in the snapshot"}]
    assert document["result"] == "not-evaluated"
    assert result.read_text("utf-8").endswith("result=not-evaluated\n")


def test_text_stays_on_stdout_unless_another_form_takes_it(company: Company) -> None:
    company.write("stacks/production/refunds.yaml", DISALLOWED)
    with_file = company.hedgerow("check", "--format", "sarif=out.sarif")
    assert with_file.out == company.hedgerow("check").out
    assert company.hedgerow("check", "--format", "sarif").json == json.loads((company.folder / "out.sarif").read_text())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "xml"], "`xml` is no format; choose from text, json, sarif, github"),
        (["--format", "sarif="], "`sarif=` names no file"),
        (
            ["--format", "text", "--format", "json"],
            "`json` cannot share stdout with another format; give one of them a file: json=FILE",
        ),
        (["--format", "json=a", "--format", "sarif=a"], "two formats would be written to the same file"),
    ],
)
def test_forms_that_make_no_sense_are_refused_before_anything_runs(
    company: Company, arguments: list[str], message: str
) -> None:
    ended = company.hedgerow("check", *arguments)
    assert (ended.code, ended.out) == (64, "")
    assert ended.err.endswith(f"Error: Invalid value for '--format': {message}\n")


def test_a_file_that_cannot_be_written_ends_the_run(company: Company) -> None:
    ended = company.hedgerow("check", "--format", "json=no/such/folder.json")
    assert (ended.code, ended.err.splitlines()[-1]) == (
        1,
        "error: no/such/folder.json cannot be written: No such file or directory",
    )


def test_an_output_file_of_github_that_cannot_be_written_fails_nothing(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_OUTPUT", "no/such/folder")
    assert company.hedgerow("check").code == 0


def test_a_baseline_accepts_what_was_there_and_reports_what_is_new(company: Company) -> None:
    company.write("stacks/production/refunds.yaml", DISALLOWED)
    written = company.hedgerow("check", "--write-baseline", "baseline.json")
    assert (written.code, written.out) == (0, "")
    assert written.err.endswith(
        "nothing wrong; 1 finding accepted by the baseline\n1 finding accepted in baseline.json\n"
    )
    assert json.loads((company.folder / "baseline.json").read_text("utf-8")) == {
        "formatVersion": "1",
        "accepted": [{"code": "region-not-allowed", "subject": REFUNDS, "message": MESSAGE}],
    }
    moved = DISALLOWED.replace("topics:", "# moved\ntopics:\n  - {name: projects/acme-billing-prod/topics/other}")
    company.write("stacks/production/refunds.yaml", moved)
    assert company.hedgerow("check", "--baseline", "baseline.json").code == 0
    company.write("stacks/production/refunds.yaml", moved.replace("us-east1", "us-east4"))
    ended = company.hedgerow("check", "--baseline", "baseline.json", "--format", "json=out.json")
    assert ended.code == 3
    assert ended.err.splitlines()[-3:] == [
        f"the baseline accepts what nobody finds any more: {MESSAGE}  [region-not-allowed]",
        "  hint: take it out of the baseline, or write that anew with `--write-baseline FILE`",
        "1 error",
    ]
    document = findings(company)
    assert codes(document["findings"], "message") == [MESSAGE.replace("us-east1", "us-east4")]
    assert document["baseline"] == {
        "accepted": 0,
        "obsolete": [{"code": "region-not-allowed", "subject": REFUNDS, "message": MESSAGE}],
    }


def test_a_baseline_does_not_accept_files_that_cannot_be_read(company: Company) -> None:
    company.write("stacks/production/topics.yaml", MISTAKE)
    assert company.hedgerow("check", "--write-baseline", "baseline.json").code == 3
    assert not (company.folder / "baseline.json").exists()


def test_a_baseline_that_is_not_there_or_not_text_ends_the_run(company: Company) -> None:
    assert company.hedgerow("check", "--baseline", "no.json").err == (
        "error: no.json cannot be read: No such file or directory\n"
    )
    (company.folder / "binary").write_bytes(b"\xff")
    assert company.hedgerow("check", "--baseline", "binary").err == "error: binary is not UTF-8\n"


def test_a_baseline_is_not_read_and_written_in_one_run(company: Company) -> None:
    ended = company.hedgerow("check", "--baseline", "a.json", "--write-baseline", "a.json")
    assert (ended.code, ended.err.splitlines()[-1]) == (
        64,
        "Error: --baseline and --write-baseline exclude each other",
    )


@pytest.mark.parametrize("kind", ["baseline", "findings", "plan"])
def test_the_schemas_of_reports_are_published(company: Company, kind: str) -> None:
    printed = company.hedgerow("schema", kind).json
    jsonschema.Draft202012Validator.check_schema(printed)
    assert printed["$id"] == f"urn:hedgerow:{kind}:1"


def test_a_plan_tells_each_drift_at_the_line_that_declares_the_topic(company: Company, result: Path) -> None:
    ended = company.hedgerow("plan", "--format", "github", "--format", "sarif=out.sarif", "--format", "json=plan.json")
    assert ended.code == 0
    details = "%0Aproject: acme-orders-prod%0Ahint: restrict is proposed: hedgerow plan, then hedgerow apply"
    assert ended.out.splitlines() == [
        (
            "::error file=stacks/production/topics.yaml,line=4,col=5,title=drift-disallowed::"
            f"`orders`: disallowed: - us-east1{details}"
        ),
        (
            "::error file=stacks/production/topics.yaml,line=5,col=5,title=drift-disallowed::"
            f"`returns`: disallowed: - us-east1{details}"
        ),
    ]
    run = sarif_run(company)
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 0}]
    assert codes(run["results"], "ruleId") == ["drift-disallowed", "drift-disallowed"]
    assert (company.folder / "plan.json").read_text("utf-8") == company.hedgerow("plan", "--format", "json").out
    assert result.read_text("utf-8") == "before=1\nresult=changes\nresult=changes\n"


def drift_lines(company: Company) -> list[str]:
    """Title and message of each annotation of a plan, without details and hints."""
    printed = company.hedgerow("plan", "--format", "github").out.splitlines()
    return [line.partition(",title=")[2].partition("%0A")[0] for line in printed]


def test_every_kind_of_drift_is_told(company: Company) -> None:
    company.write("stacks/production/topics.yaml", TOPICS.partition("publishers:")[0] + KINDS)
    company.world.put_topic(INVOICES, policy(*ALLOWED))
    company.world.put_topic(ORDERS, policy(ALLOWED[0], "us-east1"))
    company.world.put_topic("projects/acme-orders-prod/topics/returns", policy(ALLOWED[0]))
    company.world.put_topic("projects/acme-orders-prod/topics/empty", policy())
    company.world.put_topic("projects/acme-orders-prod/topics/flag", policy(*ALLOWED, flag=True))
    company.world.put_topic("projects/acme-orders-prod/topics/spec", policy(*ALLOWED))
    company.world.put_topic("projects/acme-orders-prod/topics/theirs", policy("us-east1"))
    company.world.put_topic("projects/acme-orders-prod/topics/undeclared", policy("us-east1"))
    assert drift_lines(company) == [
        "drift-unmanaged::`undeclared`: unmanaged, and disallowed: - us-east1",
        "drift-mixed::`orders`: mixed: - us-east1, + europe-west4",
        "drift-missing::`returns`: missing: + europe-west4",
        "drift-absent::`absent`: declared, but not live",
        "drift-empty::`empty`: publishing fails: the live storage policy allows no region",
        "drift-in-transit::`flag`: in sync but for enforceInTransit on -> off",
        "drift-spec::`spec`: spec: - europe-west4 (allowed, not wanted)",
        "drift-unmanaged::`theirs`: unmanaged, and disallowed: - us-east1",
    ]


KINDS = """\
  - name: projects/acme-orders-prod/topics/absent
  - name: projects/acme-orders-prod/topics/empty
  - name: projects/acme-orders-prod/topics/flag
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west1, europe-west4], enforceInTransit: false}
  - name: projects/acme-orders-prod/topics/spec
    messageStoragePolicy: {allowedPersistenceRegions: [europe-west1]}
  - name: projects/acme-orders-prod/topics/theirs
    messageStoragePolicy: unmanaged
"""


def test_a_topic_that_was_not_evaluated_is_a_warning_with_the_way_out(company: Company, result: Path) -> None:
    company.world.deny("acme-orders-prod", "orgpolicy")
    ended = company.hedgerow("plan", "--format", "github")
    assert ended.code == 4
    first = ended.out.splitlines()[0]
    assert first.startswith(
        "::warning file=stacks/production/topics.yaml,line=4,col=5,title=drift-undecided::`orders`: not evaluated: "
    )
    assert "%0Ahint: the caller needs `orgpolicy.policy.get`" in first
    assert result.read_text("utf-8").endswith("result=not-evaluated\n")


def test_a_plan_that_cannot_be_made_says_why_in_every_form(company: Company, result: Path) -> None:
    company.write("stacks/production/topics.yaml", MISTAKE)
    ended = company.hedgerow("plan", *ALL)
    assert (ended.code, ended.err) == (3, "stack stacks/production\n2 errors\n")
    assert codes(findings(company)["findings"], "code") == ["spec-unknown-key", "spec-empty-value"]
    assert codes(sarif_run(company)["results"], "ruleId") == ["spec-unknown-key", "spec-empty-value"]
    assert company.hedgerow("plan", "elsewhere", *ALL).code == 64
    assert findings(company)["failure"]["hint"] == "name one of: production"
    assert result.read_text("utf-8") == "before=1\nresult=invalid\nresult=usage\n"


def test_a_plan_without_drift_is_ok(company: Company, result: Path) -> None:
    company.world.put_topic(ORDERS, policy(*ALLOWED))
    company.world.put_topic("projects/acme-orders-prod/topics/returns", policy(*ALLOWED))
    ended = company.hedgerow("plan", "--format", "github", "--exit-code")
    assert (ended.code, ended.out) == (0, "")
    assert result.read_text("utf-8").endswith("result=ok\n")


def test_a_resolution_that_is_refused_gives_its_reason_as_the_hint(company: Company) -> None:
    restricting = "topics/orders\n    resolutions: {mixed: restrict}\n"
    company.write("stacks/production/topics.yaml", TOPICS.replace("topics/orders\n", restricting, 1))
    company.world.put_topic(ORDERS, policy("us-east1"))
    first = company.hedgerow("plan", "--format", "github").out.splitlines()[0]
    assert first == (
        "::error file=stacks/production/topics.yaml,line=4,col=5,title=drift-mixed::"
        "`orders`: mixed: - us-east1, + europe-west1, + europe-west4%0Aproject: acme-orders-prod%0A"
        "hint: restrict is refused: nothing of what the topic has is allowed, and an empty list is never written"
    )
