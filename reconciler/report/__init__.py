"""Results in words and as JSON values; nothing here computes a result, or prints.

May import `rules`, `reconcile` and below. Called by `cli`.
"""

from reconciler.report.diagnostics import Diagnostic, counted, diagnostics_document, diagnostics_text, tally
from reconciler.report.manual import manual, manual_list, manual_page
from reconciler.report.plan import allowed_text, cost, plan_summary, plan_text
from reconciler.report.run import run_document, run_summary, run_text, wave_text

__all__ = [
    "Diagnostic",
    "allowed_text",
    "cost",
    "counted",
    "diagnostics_document",
    "diagnostics_text",
    "manual",
    "manual_list",
    "manual_page",
    "plan_summary",
    "plan_text",
    "run_document",
    "run_summary",
    "run_text",
    "tally",
    "wave_text",
]
