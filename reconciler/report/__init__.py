"""Results in words and as JSON values; nothing here computes a result, or prints.

May import `rules`, `reconcile` and below. Called by `cli`.
"""

from reconciler.report.diagnostics import Diagnostic, counted, diagnostics_document, diagnostics_text, tally
from reconciler.report.explanation import explanation_document, explanation_text
from reconciler.report.foresight import foresight_document, foresight_summary, foresight_text
from reconciler.report.plan import allowed_text, cost, plan_summary, plan_text
from reconciler.report.policy_changes import policy_changes_document, policy_changes_text
from reconciler.report.run import run_document, run_summary, run_text, wave_text

__all__ = [
    "Diagnostic",
    "allowed_text",
    "cost",
    "counted",
    "diagnostics_document",
    "diagnostics_text",
    "explanation_document",
    "explanation_text",
    "foresight_document",
    "foresight_summary",
    "foresight_text",
    "plan_summary",
    "plan_text",
    "policy_changes_document",
    "policy_changes_text",
    "run_document",
    "run_summary",
    "run_text",
    "tally",
    "wave_text",
]
