"""The rules on topics as any Pulumi program declares them, which a spec cannot break: codes, severities, reasons.

Their examples are Pulumi programs in YAML. Facts about the provider are from the source of terraform-provider-google
(`google/services/pubsub/resource_pubsub_topic.go`, commit e03b7622a26c), about the policy SDK from pulumi-policy 1.21.
"""

from __future__ import annotations

from collections.abc import Mapping

from reconciler.rules.findings import Example, Rule, Severity

_PROGRAM = """\
resources:
  orders:
    type: gcp:pubsub:Topic
    properties:
      project: acme-orders-prod
      name: orders
"""


def _topic(policy: str = "") -> str:
    """A program with one topic, and its storage policy as YAML."""
    return f"{_PROGRAM}      messageStoragePolicy: {policy}\n" if policy else _PROGRAM


ORGANIZATION = Rule(
    code="organization",
    severity=Severity.UNDECIDED,
    title="The organization's policies are at hand",
    because="Every other rule needs to know what the organization allows. Where the snapshot or the pack's settings "
    "cannot be used, no topic is evaluated, and what is not evaluated is not taken for right.",
)

TOPIC_FORM = Rule(
    code="topic-form",
    severity=Severity.ERROR,
    title="A topic's project, id, regions and key have the form that Pub/Sub asks for",
    because="A storage policy lists regions: no zones, no multi-regions, no value groups of organization policies and "
    "no exclusions (Google's page on message storage policies). What has another form cannot be compared with what is "
    "allowed, and fails when the topic is made.",
    example=Example(
        breaks=_topic("{allowedPersistenceRegions: [europe-west1-b], enforceInTransit: false}"),
        mends=_topic("{allowedPersistenceRegions: [europe-west1], enforceInTransit: false}"),
    ),
)

STORAGE_POLICY_EMPTY = Rule(
    code="storage-policy-empty",
    severity=Severity.ERROR,
    title="A storage policy lists at least one region",
    because="An empty list does not mean that every region is allowed, but that none is: the topic is misconfigured, "
    "and every publish to it fails (Pub/Sub API reference, MessageStoragePolicy). A topic that is to follow the "
    "organization has no `messageStoragePolicy` at all.",
    example=Example(
        breaks=_topic("{allowedPersistenceRegions: [], enforceInTransit: false}"),
        mends=_topic("{allowedPersistenceRegions: [europe-west1], enforceInTransit: false}"),
    ),
)

STORAGE_POLICY_NOT_STATED = Rule(
    code="storage-policy-not-stated",
    severity=Severity.ERROR,
    title="A topic states its regions where that is demanded",
    because="The provider leaves a storage policy that a program does not state to the service, and shows no "
    "difference when it changes or is taken out of the program (the field is optional and computed). Projects where "
    "that must not happen are named in the pack's configuration, under `statedIn`; the example names all.",
    example=Example(
        breaks=_topic(), mends=_topic("{allowedPersistenceRegions: [europe-west1], enforceInTransit: false}")
    ),
)

IN_TRANSIT_NOT_STATED = Rule(
    code="in-transit-not-stated",
    severity=Severity.ERROR,
    title="A storage policy says whether its regions are enforced in transit",
    because="The provider takes a flag that is left out for `false`: where the organization requires enforcement, "
    "every preview shows a difference, and every update of the policy switches enforcement off "
    "(https://github.com/GoogleCloudPlatform/cloud-foundation-fabric/issues/3738).",
    example=Example(
        breaks=_topic("{allowedPersistenceRegions: [europe-west1]}"),
        mends=_topic("{allowedPersistenceRegions: [europe-west1], enforceInTransit: false}"),
    ),
)

VALUE_UNKNOWN = Rule(
    code="value-unknown",
    severity=Severity.UNDECIDED,
    title="What decides about a topic's regions is known in a preview",
    because="A rule that meets a value which only the update will know is skipped by Pulumi's policy SDK, however "
    "mandatory it is (https://github.com/pulumi/pulumi-policy/issues/258). Projects, regions, the in-transit flag and "
    "keys are therefore plain values, or values that are known beforehand.",
    example=Example(
        breaks=_topic("{allowedPersistenceRegions: ['${bucket.location}'], enforceInTransit: false}"),
        mends=_topic("{allowedPersistenceRegions: [europe-west1], enforceInTransit: false}"),
    ),
)

TOPIC_DUPLICATE = Rule(
    code="topic-duplicate",
    severity=Severity.ERROR,
    title="A topic is declared by one resource of the stack",
    because="The service has one topic of a name: the second resource cannot create it (409, already exists), and of "
    "two storage policies declared for it only one can be in force.",
    example=Example(
        breaks=_PROGRAM + _PROGRAM.removeprefix("resources:\n").replace("orders:", "again:", 1),
        mends=_PROGRAM,
    ),
)

LIVE_STORAGE_POLICY = Rule(
    code="live-storage-policy",
    severity=Severity.WARNING,
    title="What the service has for a topic is what the organization allows",
    because="Organization policies are not retroactive, and topics get changed outside the program. A stack's state "
    "holds what the service answered last, so after a refresh this rule tells where messages may really rest. It is a "
    "warning because the nightly job repairs it, and because it comes after an update has been made.",
)

RESOURCE_RULES: Mapping[str, Rule] = {
    rule.code: rule
    for rule in (
        ORGANIZATION,
        TOPIC_FORM,
        STORAGE_POLICY_EMPTY,
        STORAGE_POLICY_NOT_STATED,
        IN_TRANSIT_NOT_STATED,
        VALUE_UNKNOWN,
        TOPIC_DUPLICATE,
        LIVE_STORAGE_POLICY,
    )
}
"""Every rule of the policy pack that `hedgerow check` does not have, by its code."""
