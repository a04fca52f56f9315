"""Results in words and as JSON values; nothing here computes a result, or prints.

May import `rules`, `reconcile` and below. Called by `cli`.
"""

from reconciler.report.diagnostics import Diagnostic, counted, diagnostics_document, diagnostics_text, tally
from reconciler.report.plan import allowed_text, cost, held_text, plan_summary, plan_text
from reconciler.report.recorded import recorded_document, recorded_line, recorded_text
from reconciler.report.reversal import reversal_document, reversal_text
from reconciler.report.run import run_document, run_summary, run_text, wave_text

__all__ = [
    "Diagnostic",
    "allowed_text",
    "cost",
    "counted",
    "diagnostics_document",
    "diagnostics_text",
    "held_text",
    "plan_summary",
    "plan_text",
    "recorded_document",
    "recorded_line",
    "recorded_text",
    "reversal_document",
    "reversal_text",
    "run_document",
    "run_summary",
    "run_text",
    "tally",
    "wave_text",
]
