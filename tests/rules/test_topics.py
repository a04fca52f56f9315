from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from reconciler.model import DeclaredPolicy, Inherit, Origin, Unmanaged, Within
from reconciler.orgpolicy import EffectivePolicy
from reconciler.rules import TOPIC_RULES, Finding, check, check_topics
from tests.rules.topics import CATALOGUE, DEFAULTS, allowing, explicit, fleet, text, topic

EU = allowing("in:eu-locations")
UNDECIDED_HINT = (
    "  hint: capture the API's answer with `hedgerow policy snapshot`, or say what the value holds under `valueGroups` "
    "in the snapshot"
)


def found(policy: EffectivePolicy | None, declared: DeclaredPolicy) -> list[Finding]:
    return check_topics(fleet(topic("acme-orders/payments", declared)), {"acme-orders": policy}, CATALOGUE)


def texts(policy: EffectivePolicy | None, declared: DeclaredPolicy) -> list[str]:
    return [text(finding) for finding in found(policy, declared)]


@pytest.mark.parametrize(
    "declared",
    [
        Inherit(),
        Unmanaged(),
        explicit("europe-west1", "europe-west4"),
        explicit("europe-west1", enforce=True),
        explicit("europe-west1", enforce=False),
        Within(groups=("in:eu-locations",)),
        Within(groups=("in:eu-locations", "in:foo-locations")),
    ],
)
def test_nothing_is_wrong_with_a_topic_inside_what_is_allowed(declared: DeclaredPolicy) -> None:
    assert texts(EU, declared) == []


def test_a_region_that_is_not_allowed_is_an_error_that_names_only_the_offender() -> None:
    findings = found(EU, explicit("europe-west1", "us-east1"))

    assert [text(finding) for finding in findings] == [
        (
            "error: `payments`: region `us-east1` is not allowed in `acme-orders`  [region-not-allowed]\n"
            "  allowed: europe-west1, europe-west3 and 2 more (gcp.resourceLocations at folders/456, rule 1: "
            "in:eu-locations)\n"
            "  hint: remove the region, or declare `messageStoragePolicy: inherit` to follow the organization"
        )
    ]
    assert findings[0].subject == "projects/acme-orders/topics/payments"
    assert findings[0].origin == Origin(
        "acme-orders.yaml", ("topics", 0, "messageStoragePolicy", "allowedPersistenceRegions", "us-east1")
    )


def test_all_offending_regions_of_a_topic_are_one_finding() -> None:
    assert texts(allowing("europe-west1"), explicit("us-east1", "europe-west2")) == [
        (
            "error: `payments`: regions `europe-west2`, `us-east1` are not allowed in `acme-orders`  "
            "[region-not-allowed]\n"
            "  allowed: europe-west1 (gcp.resourceLocations at folders/456, rule 1: europe-west1)\n"
            "  hint: remove the regions, or declare `messageStoragePolicy: inherit` to follow the organization"
        )
    ]


def test_a_denied_region_is_explained_by_the_denial() -> None:
    policy = allowing("europe-west1", "us-east1", denied=["us-east1"])

    assert texts(policy, explicit("us-east1"))[0].splitlines()[1] == (
        "  allowed: europe-west1 (gcp.resourceLocations at folders/456, rule 1: deny us-east1)"
    )


def test_what_is_allowed_may_be_everything_but_some() -> None:
    policy = replace(allowing(denied=["us-east1"]), project="acme-orders")

    assert texts(policy, explicit("us-east1"))[0].splitlines()[1] == (
        "  allowed: all but us-east1 (gcp.resourceLocations at folders/456, rule 1: deny us-east1)"
    )


def test_an_undecided_region_is_not_an_error_and_names_the_value() -> None:
    assert texts(allowing("in:us-locations"), explicit("us-east1", "us-east7")) == [
        "undecided: `payments`: whether region `us-east7` is allowed in `acme-orders` is undecided  "
        "[region-undecided]\n"
        "  because the members of `in:us-locations` in rule 1 at folders/456 are not all certain\n" + UNDECIDED_HINT
    ]


def test_what_is_certainly_wrong_is_an_error_whatever_else_is_undecided() -> None:
    codes = [finding.code for finding in found(allowing("in:us-locations"), explicit("europe-west1", "us-east7"))]

    assert codes == ["region-not-allowed"]


def test_a_region_that_the_catalogue_does_not_know_is_a_warning_with_its_date() -> None:
    findings = found(EffectivePolicy.unrestricted("acme-orders"), explicit("europe-west99"))

    assert [text(finding) for finding in findings] == [
        (
            "warning: `payments`: the catalogue of 2026-10-27 does not know region `europe-west99`  [region-unknown]\n"
            "  hint: check the spelling; a newer region can be named under `valueGroups` in the snapshot"
        )
    ]


def test_a_near_miss_gets_the_likely_name() -> None:
    findings = found(EffectivePolicy.unrestricted("acme-orders"), explicit("us-est1"))

    assert [finding.hint for finding in findings] == ["did you mean `us-east1`?"]


def test_unknown_regions_can_be_made_errors() -> None:
    topics = fleet(topic("acme-orders/payments", explicit("europe-west99")))
    policies = {"acme-orders": EffectivePolicy.unrestricted("acme-orders")}

    findings = check_topics(topics, policies, CATALOGUE, strict_regions=True)

    assert [(finding.code, finding.severity.value) for finding in findings] == [("region-unknown", "error")]


def test_within_without_an_allowed_region_is_an_error() -> None:
    assert texts(EU, Within(groups=("in:us-east1-locations",))) == [
        (
            "error: `payments`: no region within `in:us-east1-locations` is allowed in `acme-orders`  [within-empty]\n"
            "  allowed: europe-west1, europe-west3 and 2 more (gcp.resourceLocations at folders/456, rule 1: "
            "in:eu-locations)\n"
            "  hint: name groups that the organization allows, or declare `messageStoragePolicy: inherit`"
        )
    ]


def test_within_an_unknown_group_is_undecided_and_names_it() -> None:
    assert texts(EU, Within(groups=("in:foo-locations",))) == [
        "undecided: `payments`: whether `acme-orders` allows a region within `in:foo-locations` is undecided  "
        "[within-undecided]\n"
        "  because the members of `in:foo-locations` are not known\n" + UNDECIDED_HINT
    ]


def test_within_a_group_whose_members_are_not_all_certain_is_undecided() -> None:
    assert texts(allowing("in:us-locations"), Within(groups=("in:us-locations",))) == [
        "undecided: `payments`: which regions `acme-orders` allows within `in:us-locations` is undecided: "
        "perhaps us-east7  [within-undecided]\n"
        "  because the members of `in:us-locations` are not all certain\n"
        "  because the members of `in:us-locations` in rule 1 at folders/456 are not all certain\n" + UNDECIDED_HINT
    ]


def test_only_the_groups_that_are_not_certain_are_named_as_the_cause() -> None:
    policy = allowing("us-east1", "us-east7", "in:eu-locations")
    (found_text,) = texts(policy, Within(groups=("in:eu-locations", "in:us-locations")))

    assert found_text.splitlines()[1:-1] == ["  because the members of `in:us-locations` are not all certain"]


def test_in_transit_enforcement_cannot_be_switched_off_where_it_is_required() -> None:
    findings = found(allowing("europe-west1", in_transit=True), explicit("europe-west1", enforce=False))

    assert [text(finding) for finding in findings] == [
        (
            "error: `payments`: `enforceInTransit: false`, and `acme-orders` requires enforcement in transit  "
            "[in-transit-required]\n"
            "  required by: pubsub.enforceInTransitRegions\n"
            "  hint: write `enforceInTransit: inherit`, or leave it out"
        )
    ]
    assert findings[0].origin.path == ("topics", 0, "messageStoragePolicy", "enforceInTransit")


def test_switching_off_is_undecided_where_the_requirement_is() -> None:
    policy = allowing("europe-west1", in_transit=None)

    assert texts(policy, Within(groups=("in:eu-locations",), enforce_in_transit=False)) == [
        (
            "undecided: `payments`: `enforceInTransit: false`, and whether `acme-orders` requires "
            "enforcement in transit "
            "is undecided  [in-transit-undecided]\n"
            "  because the policy at organizations/1 for in-transit enforcement has a rule without `enforce`\n"
            "  hint: write `enforceInTransit: true`, or capture the API's answer with `hedgerow policy snapshot`"
        )
    ]


def test_regions_of_ones_own_need_a_decided_flag() -> None:
    """What a program declares is definite, so an undecided requirement cannot be left to the organization."""
    policy = allowing("europe-west1", in_transit=None)

    assert texts(policy, explicit("europe-west1", enforce=True)) == []
    assert texts(policy, explicit("europe-west1")) == [
        (
            "undecided: `payments`: no `enforceInTransit`, and whether `acme-orders` requires enforcement in transit "
            "is undecided  [in-transit-undecided]\n"
            "  because the policy at organizations/1 for in-transit enforcement has a rule without `enforce`\n"
            "  hint: write `enforceInTransit: true`, or capture the API's answer with `hedgerow policy snapshot`"
        )
    ]


@pytest.mark.parametrize("enforce", [True, None])
def test_what_the_organization_requires_can_be_inherited_or_declared(enforce: bool | None) -> None:
    assert texts(allowing("europe-west1", in_transit=True), explicit("europe-west1", enforce=enforce)) == []


def test_a_project_without_a_known_policy_is_not_evaluated() -> None:
    findings = found(None, explicit("us-east1"))

    assert [text(finding) for finding in findings] == [
        (
            "undecided: `acme-orders`: 1 topic is not evaluated: no policy is known for the project  "
            "[project-not-in-policy]\n"
            "  hint: capture a snapshot that holds it with `hedgerow policy snapshot`, or correct the project's id"
        )
    ]
    assert findings[0].origin == Origin("stack.yaml", ("projects", "acme-orders"))


def test_a_policy_that_admits_nothing_is_reported_once_for_all_topics_of_the_project() -> None:
    topics = fleet(
        topic("acme-orders/a"),
        topic("acme-orders/b", explicit("us-east1")),
        topic("acme-orders/c", Within(groups=("in:eu-locations",))),
        topic("acme-orders/d", Unmanaged()),
    )

    findings = check_topics(topics, {"acme-orders": allowing("us", "global")}, CATALOGUE)

    assert [text(finding) for finding in findings] == [
        (
            "error: `acme-orders`: the organization's policy allows no Pub/Sub region, and 3 topics "
            "are declared there  "
            "[policy-admits-nothing]\n"
            "  cause: the allowed values (us, global) name no Pub/Sub region, at folders/456\n"
            "  hint: allow a region for the project, for example `in:eu-locations`, or remove the topics"
        )
    ]


def test_a_denial_of_everything_is_the_cause() -> None:
    policy = allowing("europe-west1", denied=["in:eu-locations"])

    assert found(policy, Inherit())[0].details == (
        "cause: gcp.resourceLocations at folders/456, rule 1: deny in:eu-locations",
    )


def test_an_answer_that_allows_nothing_is_its_own_cause() -> None:
    policy = replace(allowing("us"), steps=(), source="live")

    assert found(policy, Inherit())[0].details == ("cause: live allows nothing",)


def test_inheriting_an_undecided_policy_is_undecided() -> None:
    assert texts(allowing("in:foo-locations"), Inherit()) == [
        "undecided: `acme-orders`: 1 topic is not evaluated: no region is certain to be allowed  [policy-undecided]\n"
        "  because unknown value `in:foo-locations` in rule 1 at folders/456\n" + UNDECIDED_HINT
    ]


def test_an_answer_that_differs_from_the_policies_is_reported() -> None:
    policy = replace(EU, disagreement="the API's answer differs from the policies in the snapshot: it allows us-east1")

    assert texts(policy, Inherit()) == [
        (
            "warning: `acme-orders`: the API's answer differs from the policies in the snapshot: it allows us-east1  "
            "[policy-disagreement]\n"
            "  hint: capture the snapshot again with `hedgerow policy snapshot`; the API's answer is used until then"
        )
    ]


def test_a_wrong_default_is_one_finding_that_counts_the_topics_it_reaches() -> None:
    wide = explicit("europe-west1", "us-east1")
    topics = fleet(
        topic("acme-billing/x", wide, default=DEFAULTS),
        topic("acme-lab/b", wide, default=DEFAULTS),
        topic("acme-lab/a", wide, default=DEFAULTS),
        topic("acme-orders/y", wide, default=DEFAULTS),
    )
    policies = {
        "acme-billing": EffectivePolicy.unrestricted("acme-billing"),
        "acme-lab": allowing("europe-west1", project="acme-lab"),
        "acme-orders": EffectivePolicy.unrestricted("acme-orders"),
    }

    findings = check_topics(topics, policies, CATALOGUE)

    assert [text(finding) for finding in findings] == [
        (
            "error: 2 topics in 1 project take region `us-east1` from this default; it is not allowed there  "
            "[region-not-allowed]\n"
            "  in `acme-lab`: a, b\n"
            "    allowed: europe-west1 (gcp.resourceLocations at folders/456, rule 1: europe-west1)\n"
            "  hint: remove the region, or declare `messageStoragePolicy: inherit` to follow the organization"
        )
    ]
    assert findings[0].subject == "acme-lab"
    assert findings[0].origin == DEFAULTS.at("allowedPersistenceRegions", "us-east1")


def test_a_default_that_is_wrong_in_several_projects_names_them_all() -> None:
    topics = fleet(
        topic("acme-billing/x", explicit("europe-north9"), default=DEFAULTS),
        topic("acme-lab/a", explicit("europe-north9"), default=DEFAULTS),
    )
    policies = {name: EffectivePolicy.unrestricted(name) for name in ("acme-billing", "acme-lab")}

    findings = check_topics(topics, policies, CATALOGUE)

    assert [(finding.subject, finding.message, finding.details) for finding in findings] == [
        (
            "defaults",
            (
                "2 topics in 2 projects take region `europe-north9` from this default; the catalogue "
                "of 2026-10-27 does "
                "not know it"
            ),
            ("in `acme-billing`: x", "in `acme-lab`: a"),
        )
    ]


def test_one_topic_takes_a_default() -> None:
    topics = fleet(topic("acme-lab/a", explicit("europe-north9"), default=DEFAULTS))

    findings = check_topics(topics, {"acme-lab": EffectivePolicy.unrestricted("acme-lab")}, CATALOGUE)

    assert findings[0].message.startswith("1 topic in 1 project takes region `europe-north9` from this default")


def test_defaults_in_the_topics_own_file_count_as_defaults() -> None:
    own_file = Origin("acme-lab.yaml", ("defaults", "messageStoragePolicy"))
    topics = fleet(topic("acme-lab/a", explicit("europe-north9"), default=own_file))

    findings = check_topics(topics, {"acme-lab": EffectivePolicy.unrestricted("acme-lab")}, CATALOGUE)

    assert "from this default" in findings[0].message


def test_check_orders_findings_by_file_and_entry() -> None:
    topics = [
        replace(
            topic("acme-orders/t" + str(index), explicit("us-east1")),
            origin=Origin("a.yaml", ("topics", index)),
            policy_origin=Origin("a.yaml", ("topics", index, "messageStoragePolicy")),
        )
        for index in (10, 9, 2)
    ]

    findings = check(fleet(*topics, topic("acme-lab/x")), {"acme-orders": EU}, CATALOGUE, today=date(2026, 11, 30))

    assert [(finding.origin.file, finding.origin.path[1]) for finding in findings] == [
        ("a.yaml", 2),
        ("a.yaml", 9),
        ("a.yaml", 10),
        ("stack.yaml", "acme-lab"),
    ]


def test_every_rule_has_a_code_of_its_own_and_a_reason() -> None:
    assert len({rule.code for rule in TOPIC_RULES}) == len(TOPIC_RULES)
    assert all(rule.because.endswith(".") for rule in TOPIC_RULES)
