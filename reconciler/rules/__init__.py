"""Coded checks over a fleet and the organization's policy.

Pure. May import `hedging`, `orgpolicy` and `model`. Called by `cli`, `pulumi` and `report`.
"""

from reconciler.rules.findings import Finding, Rule, Severity

__all__ = ["Finding", "Rule", "Severity"]
