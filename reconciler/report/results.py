"""What a command that judges found, as one value that every format is written from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reconciler.errors import ExitCode, HedgerowError
from reconciler.report.baseline import Baseline, Known
from reconciler.report.diagnostics import Diagnostic, diagnostics_document
from reconciler.rules import Severity

FORMAT_VERSION = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What was looked at, so that "nothing wrong" and "nothing seen" never look alike.

    Attributes:
        policies: where the organization's policy came from: `the snapshot of 2026-11-30 02:00 UTC`.
        not_evaluated: the projects whose policy is not known, with the reason.
    """

    topics: int
    projects: int
    publishers: int
    policies: str
    not_evaluated: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What one run found.

    Attributes:
        stack: its name; `None` where the stack could not be read.
        diagnostics: everything to report, in the order of files and lines.
        looked: `None` where nothing could be looked at, because files are invalid or the run failed.
        accepted: the number of findings that a baseline accepts, and that are therefore not among `diagnostics`.
        obsolete: what the baseline accepts and nobody found.
        failure: what ended the run early.
        error_code: what an error among the diagnostics ends the run with.
    """

    stack: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    looked: Looked | None = None
    accepted: int = 0
    obsolete: tuple[Known, ...] = ()
    failure: HedgerowError | None = None
    error_code: ExitCode = ExitCode.INVALID

    @property
    def exit_code(self) -> ExitCode:
        """`error_code` for an error, 4 for what could not be evaluated, a failure's own code; else 0."""
        severities = {diagnostic.severity for diagnostic in self.diagnostics}
        not_evaluated = self.looked is not None and bool(self.looked.not_evaluated)
        return ExitCode.severest(
            self.failure.exit_code if self.failure else ExitCode.OK,
            self.error_code if Severity.ERROR in severities else ExitCode.OK,
            ExitCode.NOT_EVALUATED if not_evaluated or Severity.UNDECIDED in severities else ExitCode.OK,
        )

    def against(self, baseline: Baseline) -> Results:
        """The same without what a baseline accepts."""
        remaining, accepted, obsolete = baseline.split(self.diagnostics)
        return Results(
            stack=self.stack,
            diagnostics=remaining,
            looked=self.looked,
            accepted=accepted,
            obsolete=obsolete,
            failure=self.failure,
            error_code=self.error_code,
        )


def result_word(code: ExitCode) -> str:
    """An exit code as one word for scripts: `ok`, `invalid`, `not-evaluated`, `changes`..."""
    return code.name.lower().replace("_", "-")


def results_document(results: Results) -> dict[str, Any]:
    """Results as JSON values; `schemas/findings.schema.json` describes them."""
    looked = results.looked
    return {
        "formatVersion": FORMAT_VERSION,
        "stack": results.stack,
        "result": result_word(results.exit_code),
        "exitCode": int(results.exit_code),
        "counts": {str(s): sum(d.severity is s for d in results.diagnostics) for s in Severity},
        "lookedAt": looked
        and {
            "topics": looked.topics,
            "projects": looked.projects,
            "publishers": looked.publishers,
            "policies": looked.policies,
        },
        "notEvaluated": [
            {"project": project, "reason": reason}
            for project, reason in sorted(looked.not_evaluated.items() if looked else ())
        ],
        "findings": diagnostics_document(results.diagnostics),
        "baseline": {"accepted": results.accepted, "obsolete": [known.to_json() for known in results.obsolete]},
        "failure": results.failure
        and {
            "message": results.failure.message,
            "file": results.failure.position and results.failure.position.file,
            "hint": results.failure.hint,
        },
    }
