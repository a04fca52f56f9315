"""The rules on what is known of a project's policy: their codes, how bad it is to break them, and why they exist."""

from __future__ import annotations

from reconciler.rules.findings import Example, Rule, Severity

POLICY_ADMITS_NOTHING = Rule(
    code="policy-admits-nothing",
    severity=Severity.ERROR,
    title="The organization allows a project with topics at least one Pub/Sub region",
    because="A policy that allows only zones, multi-regions or `global`, or denies everything, leaves Pub/Sub no "
    "region: no topic can be created in the project.",
    example=Example(
        breaks="""\
policies:
  - name: projects/acme-lab/policies/gcp.resourceLocations
    spec: {rules: [{values: {allowedValues: [us, eu]}}]}
topics:
  - name: projects/acme-lab/topics/trials
""",
        mends="""\
policies:
  - name: projects/acme-lab/policies/gcp.resourceLocations
    spec: {rules: [{values: {allowedValues: ["in:europe-west1-locations"]}}]}
topics:
  - name: projects/acme-lab/topics/trials
""",
    ),
)

POLICY_UNDECIDED = Rule(
    code="policy-undecided",
    severity=Severity.UNDECIDED,
    title="At least one region is certain to be allowed to a project with topics",
    because="A topic that inherits needs at least one region that is certainly allowed; an undecided policy is never "
    "taken for an open one.",
    example=Example(
        breaks="""\
topics:
  - name: projects/acme-lab/topics/trials
""",
        mends="""\
valueGroups:
  in:acme-lab-locations: [europe-west1]
topics:
  - name: projects/acme-lab/topics/trials
""",
    ),
)

POLICY_DISAGREEMENT = Rule(
    code="policy-disagreement",
    severity=Severity.WARNING,
    title="The snapshot's policies come to what the API answered",
    because="A snapshot may hold both the policies and what the API made of them. Where hedgerow's own evaluation "
    "comes to another result, one of the two is wrong: the policies are not all there, or the evaluation has a fault.",
    example=Example(
        breaks="""\
effective:
  - name: projects/111111111111/policies/gcp.resourceLocations
    spec: {rules: [{values: {allowedValues: [europe-west1]}}]}
""",
        mends="""\
effective:
  - name: projects/111111111111/policies/gcp.resourceLocations
    spec: {rules: [{values: {allowedValues: [europe-west1, europe-west4]}}]}
""",
    ),
    adjustable=True,
)

PROJECT_NOT_IN_POLICY = Rule(
    code="project-not-in-policy",
    severity=Severity.UNDECIDED,
    title="A policy is on record for every project with topics",
    because="A project without a policy on record is not a project without restrictions. Its topics are reported as "
    "not evaluated.",
    example=Example(
        breaks="""\
topics:
  - name: projects/acme-new/topics/arrivals
""",
        mends="""\
resources:
  - {name: projects/acme-new, parent: folders/456}
topics:
  - name: projects/acme-new/topics/arrivals
""",
    ),
)

POLICY_RULES = (POLICY_ADMITS_NOTHING, POLICY_UNDECIDED, POLICY_DISAGREEMENT, PROJECT_NOT_IN_POLICY)
"""Every rule on projects."""
