"""Results in words, as JSON values and in the forms of other tools; nothing here computes a result, or prints.

May import `rules`, `reconcile`, `preview` and below. Called by `cli`.
"""

from reconciler.report.adoption import adoption_document, adoption_text
from reconciler.report.agreement import agreement_document, agreement_summary, agreement_text
from reconciler.report.annotations import annotations_text
from reconciler.report.baseline import Baseline, Known, baseline_text, read_baseline
from reconciler.report.diagnostics import Diagnostic, counted, diagnostics_document, diagnostics_text, tally
from reconciler.report.drift import DRIFT_RULES, drift_findings
from reconciler.report.explanation import explanation_document, explanation_text
from reconciler.report.file_changes import changes_of_a_file
from reconciler.report.foresight import foresight_document, foresight_summary, foresight_text
from reconciler.report.guard import GUARD_RULES, guard_diagnostics, guard_document, guard_summary
from reconciler.report.manual import manual, manual_list, manual_page
from reconciler.report.plan import allowed_text, cost, held_text, plan_summary, plan_text
from reconciler.report.policy_changes import policy_changes_document, policy_changes_text
from reconciler.report.preview import changed_steps, counts_text, preview_text
from reconciler.report.publisher import explained
from reconciler.report.recorded import recorded_document, recorded_line, recorded_text
from reconciler.report.rendering import (
    FileStatus,
    Rendering,
    ServiceFiles,
    read_rendering,
    rendering_document,
    rendering_text,
)
from reconciler.report.results import Looked, Results, result_word, results_document
from reconciler.report.reversal import reversal_document, reversal_text
from reconciler.report.run import run_document, run_summary, run_text, wave_text
from reconciler.report.sarif import sarif_document
from reconciler.report.schema import SCHEMAS, schema_text

__all__ = [
    "DRIFT_RULES",
    "GUARD_RULES",
    "SCHEMAS",
    "Baseline",
    "Diagnostic",
    "FileStatus",
    "Known",
    "Looked",
    "Rendering",
    "Results",
    "ServiceFiles",
    "adoption_document",
    "adoption_text",
    "agreement_document",
    "agreement_summary",
    "agreement_text",
    "allowed_text",
    "annotations_text",
    "baseline_text",
    "changed_steps",
    "changes_of_a_file",
    "cost",
    "counted",
    "counts_text",
    "diagnostics_document",
    "diagnostics_text",
    "drift_findings",
    "explained",
    "explanation_document",
    "explanation_text",
    "foresight_document",
    "foresight_summary",
    "foresight_text",
    "guard_diagnostics",
    "guard_document",
    "guard_summary",
    "held_text",
    "manual",
    "manual_list",
    "manual_page",
    "plan_summary",
    "plan_text",
    "policy_changes_document",
    "policy_changes_text",
    "preview_text",
    "read_baseline",
    "read_rendering",
    "recorded_document",
    "recorded_line",
    "recorded_text",
    "rendering_document",
    "rendering_text",
    "result_word",
    "results_document",
    "reversal_document",
    "reversal_text",
    "run_document",
    "run_summary",
    "run_text",
    "sarif_document",
    "schema_text",
    "tally",
    "wave_text",
]
