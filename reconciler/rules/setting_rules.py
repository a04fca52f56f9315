"""The rules on what a stack says about rules: levels and exemptions."""

from __future__ import annotations

import re

from reconciler.rules.findings import Example, Rule, Severity

_EXEMPTION = """\
exemptions:
  - topics: [projects/PROJECT/topics/shipments]
    rule: RULE
    reason: subscribers move to Europe, ticket PLAT-812
    owner: orders@acme.example
    expires: DAY
topics:
  - name: projects/PROJECT/topics/shipments
    messageStoragePolicy: {allowedPersistenceRegions: [REGION]}
"""


def _until(day: str) -> str:
    """A topic with a region that is not allowed, and is exempt until a day."""
    return _exemption("acme-orders-prod", "region-not-allowed", day, "us-east1")


def _exemption(project: str, rule: str, day: str, region: str) -> str:
    filled = {"PROJECT": project, "RULE": rule, "DAY": day, "REGION": region}
    return re.sub("|".join(filled), lambda match: filled[match[0]], _EXEMPTION)


RULE_UNKNOWN = Rule(
    code="rule-unknown",
    severity=Severity.ERROR,
    title="`rules` and `exemptions` name rules that exist",
    because="A misspelled code would leave the rule as it is, or a finding in force, and nobody would notice.",
    example=Example(breaks="rules: {region-unknwon: error}\n", mends="rules: {region-unknown: error}\n"),
)

RULE_FIXED = Rule(
    code="rule-fixed",
    severity=Severity.ERROR,
    title="Only rules that allow it are set to another level, or exempted from",
    because=(
        "Rules that fail closed (what is undecided is never taken for right), that keep a storage policy from being "
        "empty, or whose breach makes a client library or a call fail are not a matter of taste: without them the "
        "error only comes later. `region-not-allowed` and `in-transit-required` cannot be switched off for a stack "
        "either, but single topics can be exempted from them, until a day and by an owner."
    ),
    example=Example(breaks="rules: {region-not-allowed: off}\n", mends=_until("2027-12-31")),
)

EXEMPTION_EXPIRED = Rule(
    code="exemption-expired",
    severity=Severity.ERROR,
    title="No exemption is past its last day",
    because=(
        "An exemption counts up to and including the day under `expires`, in UTC. Afterwards the rule holds again, "
        "also for the nightly job; the entry is an error until somebody removes or renews it, so that an exception "
        "never becomes the rule by being forgotten."
    ),
    example=Example(breaks=_until("2026-01-31"), mends=_until("2027-12-31")),
)

EXEMPTION_EXPIRING = Rule(
    code="exemption-expiring",
    severity=Severity.WARNING,
    title="No exemption has its last day within 30 days",
    because="From the day after on the finding is an error, and the nightly job takes what is not allowed away.",
    example=Example(breaks=_until("2026-12-15"), mends=_until("2027-12-31")),
    adjustable=True,
)

EXEMPTION_UNUSED = Rule(
    code="exemption-unused",
    severity=Severity.WARNING,
    title="Every exemption exempts something",
    because=(
        "An exemption without a finding hides the next one that comes. What the nightly job finds is not known here, "
        "so an exemption from `region-not-allowed` counts as used wherever it names a declared topic."
    ),
    example=Example(
        breaks=_exemption("acme-open", "region-unknown", "2027-12-31", "europe-west1"),
        mends=_exemption("acme-open", "region-unknown", "2027-12-31", "europe-west99"),
    ),
    adjustable=True,
)

SETTING_RULES = (RULE_UNKNOWN, RULE_FIXED, EXEMPTION_EXPIRED, EXEMPTION_EXPIRING, EXEMPTION_UNUSED)
"""Every rule on what a stack says about rules."""
