"""Desired state, drift, resolutions, plans, guardrails, and the values that a run results in.

Pure: live topics and policies are passed in. May import `orgpolicy`, `model` and `errors`. Called by `apply`, `report`,
`pulumi` and `cli`.
"""

from reconciler.reconcile.aftermath import live_after
from reconciler.reconcile.desired import Desired, desired
from reconciler.reconcile.drift import Drift, Kind, Standing, compare
from reconciler.reconcile.foresight import Foresight, Prospect, foresee
from reconciler.reconcile.guardrails import Refusal, judge, judge_results, mostly
from reconciler.reconcile.history import History
from reconciler.reconcile.holds import WIDENING, Hold, holds
from reconciler.reconcile.inventory import ReadAgain, Settled, settle, to_read_again
from reconciler.reconcile.outcome import Outcome, Run, Status, Wave
from reconciler.reconcile.plan import LiveProject, Plan, Row
from reconciler.reconcile.planner import make_plan
from reconciler.reconcile.policies import ProjectPolicy, Unavailable, all_available, fingerprints
from reconciler.reconcile.recorded import Entry, Recorded, recorded
from reconciler.reconcile.resolve import UPDATE_MASK, Change, Decision, differences, resolve
from reconciler.reconcile.revert import Reversal, Stay, Why, reverse, words
from reconciler.reconcile.saved import SavedPlan, change_document, plan_document, read_change, read_plan

__all__ = [
    "UPDATE_MASK",
    "WIDENING",
    "Change",
    "Decision",
    "Desired",
    "Drift",
    "Entry",
    "Foresight",
    "History",
    "Hold",
    "Kind",
    "LiveProject",
    "Outcome",
    "Plan",
    "ProjectPolicy",
    "Prospect",
    "ReadAgain",
    "Recorded",
    "Refusal",
    "Reversal",
    "Row",
    "Run",
    "SavedPlan",
    "Settled",
    "Standing",
    "Status",
    "Stay",
    "Unavailable",
    "Wave",
    "Why",
    "all_available",
    "change_document",
    "compare",
    "desired",
    "differences",
    "fingerprints",
    "foresee",
    "holds",
    "judge",
    "judge_results",
    "live_after",
    "make_plan",
    "mostly",
    "plan_document",
    "read_change",
    "read_plan",
    "recorded",
    "resolve",
    "reverse",
    "settle",
    "to_read_again",
    "words",
]
