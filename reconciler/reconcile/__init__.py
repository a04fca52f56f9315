"""Desired state, drift, resolutions, plans, guardrails, and the values that a run results in.

Pure: live topics and policies are passed in. May import `orgpolicy`, `model` and `errors`. Called by `apply`, `report`,
`pulumi` and `cli`.
"""

from reconciler.reconcile.desired import Desired, desired
from reconciler.reconcile.drift import Drift, Kind, Standing, compare
from reconciler.reconcile.foresight import Foresight, Prospect, foresee
from reconciler.reconcile.guardrails import Refusal, judge
from reconciler.reconcile.outcome import Outcome, Run, Status, Wave
from reconciler.reconcile.plan import LiveProject, Plan, Row, make_plan
from reconciler.reconcile.policies import ProjectPolicy, Unavailable
from reconciler.reconcile.resolve import UPDATE_MASK, Change, Decision, differences, resolve
from reconciler.reconcile.saved import SavedPlan, change_document, plan_document, read_plan

__all__ = [
    "UPDATE_MASK",
    "Change",
    "Decision",
    "Desired",
    "Drift",
    "Foresight",
    "Kind",
    "LiveProject",
    "Outcome",
    "Plan",
    "ProjectPolicy",
    "Prospect",
    "Refusal",
    "Row",
    "Run",
    "SavedPlan",
    "Standing",
    "Status",
    "Unavailable",
    "Wave",
    "change_document",
    "compare",
    "desired",
    "differences",
    "foresee",
    "judge",
    "make_plan",
    "plan_document",
    "read_plan",
    "resolve",
]
