"""The rules over topic resources: the same answers as `hedgerow check`, and those that only the pack gives."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.errors import InvalidInput
from reconciler.model import Exemption, Origin, TopicName
from reconciler.pulumi.pack.judge import OWN_RULES, SHARED_RULES
from reconciler.pulumi.pack.settings import SCHEMA, Settings, read_settings
from reconciler.pulumi.pack.topics import UNKNOWN, TopicResource
from reconciler.rules import Rule
from reconciler.spec import load_fleet
from tests.pack.resources import ORDERS, declared, judging, stating, texts, topic
from tests.rules.examples import codes

EUROPE = stating(["europe-west1", "us-east1"])
NOT_ALLOWED = (
    "region-not-allowed: `orders`: region `us-east1` is not allowed in `acme-orders-prod`\n"
    "  allowed: europe-west1, europe-west4 (gcp.resourceLocations at folders/456, rule 1: "
    "in:europe-west1-locations, in:europe-west4-locations)\n"
    "  hint: remove what is not allowed, or leave `messageStoragePolicy` out to follow the organization"
)


def exemption(rule: str = "region-not-allowed", expires: date = date(2027, 6, 30)) -> Exemption:
    return Exemption(
        topics=(TopicName(ORDERS, "ord*"),),
        rule=rule,
        reason="subscribers move to Europe",
        owner="orders@acme.example",
        expires=expires,
        origin=Origin("config"),
    )


def test_a_disallowed_region_is_found_with_the_words_of_check_and_a_hint_for_programs(snapshot: Path) -> None:
    assert texts(judging(snapshot).findings(topic(messageStoragePolicy=EUROPE))) == [NOT_ALLOWED]


def test_a_topic_that_breaks_no_rule_is_left_in_peace(snapshot: Path) -> None:
    judge = judging(snapshot)
    sound = topic(messageStoragePolicy=stating(["europe-west1"]))

    assert (judge.findings(sound), judge.findings(sound), judge.findings(topic())) == ((), (), ())


@pytest.mark.parametrize(
    ("project", "code"),
    [("acme-new", "project-not-in-policy"), ("acme-lab", "policy-undecided"), ("acme-open", None)],
)
def test_what_is_not_known_about_a_project_is_said_of_each_of_its_topics(
    project: str, code: str | None, snapshot: Path
) -> None:
    found = judging(snapshot).findings(topic(project=project))

    assert [finding.code for finding in found] == ([code] if code else [])


def test_a_region_that_hangs_on_an_unknown_value_is_undecided(snapshot: Path) -> None:
    found = judging(snapshot).findings(topic(project="acme-lab", messageStoragePolicy=stating(["europe-west1"])))

    assert [finding.code for finding in found] == ["policy-undecided", "region-undecided"]


def test_enforcement_that_is_switched_off_where_it_is_required_is_found(snapshot: Path) -> None:
    found = judging(snapshot).findings(
        topic(project="acme-billing-prod", messageStoragePolicy=stating(["europe-west1"]))
    )

    assert texts(found) == [
        (
            "in-transit-required: `orders`: `enforceInTransit: false`, and `acme-billing-prod` requires enforcement in "
            "transit\n  required by: pubsub.enforceInTransitRegions\n  hint: write `enforceInTransit: true`"
        )
    ]


def test_regions_have_to_be_stated_where_that_is_demanded_and_only_there(snapshot: Path) -> None:
    judge = judging(snapshot, stated_in=("acme-orders-*",))

    assert texts(judge.findings(topic())) == [
        (
            "storage-policy-not-stated: `orders`: topics of `acme-orders-prod` have to state their regions, and this one "
            "does not\n  hint: write `messageStoragePolicy` with `allowedPersistenceRegions` and `enforceInTransit`"
        )
    ]
    assert judge.findings(topic(messageStoragePolicy=stating(["europe-west1"]))) == ()
    assert judge.findings(topic(project="acme-open")) == ()


def test_an_exempt_topic_is_let_through_until_the_day(snapshot: Path) -> None:
    resource = topic(messageStoragePolicy=EUROPE)

    assert judging(snapshot, exemptions=(exemption(),)).findings(resource) == ()
    expired = judging(snapshot, exemptions=(exemption(expires=date(2026, 11, 29)),))
    assert texts(expired.findings(resource)) == [NOT_ALLOWED]


def test_a_topic_whose_name_is_not_known_is_nobodys_exemption(snapshot: Path) -> None:
    judge = judging(snapshot, exemptions=(exemption(),))

    found = judge.findings(topic(name=UNKNOWN, messageStoragePolicy=EUROPE))

    assert texts(found) == [NOT_ALLOWED.replace("`orders`", "`resource`")]


def test_the_second_resource_of_a_topic_is_found_however_often_each_is_looked_at(snapshot: Path) -> None:
    judge = judging(snapshot)
    first, second = topic(urn="urn:one"), topic(urn="urn:two", project="111111111111")

    found = [judge.findings(resource) for resource in (first, second, first, second)]

    duplicate = (
        "topic-duplicate: `orders`: another resource declares the topic `projects/acme-orders-prod/topics/orders` too\n"
        "  first: urn:one\n  hint: keep one of them"
    )
    assert [texts(one) for one in found] == [[], [duplicate], [], [duplicate]]


@pytest.mark.parametrize(
    ("resource", "regions"),
    [
        (
            topic(messageStoragePolicy=stating(["us-east1", "europe-west4", "europe-west1"])),
            ["europe-west4", "europe-west1"],
        ),
        (topic(messageStoragePolicy=stating(["europe-west1"])), None),
        (topic(messageStoragePolicy=stating(["us-east1"])), None),
        (topic(), None),
        (topic(messageStoragePolicy=UNKNOWN), None),
        (topic(project="acme-new", messageStoragePolicy=EUROPE), None),
        (topic(project="acme-lab", messageStoragePolicy=EUROPE), None),
    ],
    ids=["some", "nothing to drop", "nothing left", "inherits", "unknown", "project unknown", "undecided"],
)
def test_a_remedy_drops_what_is_certainly_not_allowed_and_never_everything(
    resource: TopicResource, regions: list[str] | None, snapshot: Path
) -> None:
    assert judging(snapshot).remedied(resource) == regions


@settings(max_examples=30)
@given(st.lists(st.sampled_from(["europe-west1", "europe-west2", "europe-west4", "us-east1"]), unique=True, min_size=1))
def test_what_a_remedy_leaves_is_allowed_and_never_nothing(snapshot: Path, regions: list[str]) -> None:
    judge = judging(snapshot)
    left = judge.remedied(topic(messageStoragePolicy=stating(regions)))

    allowed = [region for region in regions if region in ("europe-west1", "europe-west4")]
    assert left == (None if allowed in ([], regions) else allowed)
    if left:
        assert judge.findings(topic(messageStoragePolicy=stating(left))) == ()


def test_an_exempt_topic_is_not_remedied(snapshot: Path) -> None:
    assert judging(snapshot, exemptions=(exemption(),)).remedied(topic(messageStoragePolicy=EUROPE)) is None


REPAIR = "\n  hint: let `hedgerow reconcile` repair it, or see `hedgerow plan` for what it would do"
ANYWHERE = "the service has no storage policy for it, so its messages may rest anywhere"


@pytest.mark.parametrize(
    ("resource", "found"),
    [
        (topic(messageStoragePolicy=stating(["europe-west1"])), None),
        (
            topic(messageStoragePolicy=EUROPE),
            (
                "region `us-east1` is not allowed in `acme-orders-prod`  [region-not-allowed]\n"
                "  allowed: europe-west1, europe-west4 (gcp.resourceLocations at folders/456, rule 1: "
                "in:europe-west1-locations, in:europe-west4-locations)"
            ),
        ),
        (
            topic(messageStoragePolicy=stating([])),
            "the service has no region for it, so every publish fails  [storage-policy-empty]",
        ),
        (topic(), f"{ANYWHERE}  [region-not-allowed]\n  allowed: europe-west1, europe-west4"),
        (topic(project="acme-open"), None),
        (
            topic(project="acme-lab"),
            (
                f"{ANYWHERE}, and whether that is allowed is undecided  [region-undecided]\n"
                "  because unknown value `in:acme-lab-locations` in rule 1 at projects/acme-lab"
            ),
        ),
        (topic(project="acme-new"), "not evaluated: no policy is known for `acme-new`  [project-not-in-policy]"),
        (
            topic(project="acme-billing-prod", messageStoragePolicy=stating(["europe-west1"], None)),
            (
                "`enforceInTransit: false`, and `acme-billing-prod` requires enforcement in transit  [in-transit-required]\n"
                "  required by: pubsub.enforceInTransitRegions"
            ),
        ),
        (topic(project="acme-open", messageStoragePolicy=stating(["europe-west99"])), None),
        (topic(messageStoragePolicy=UNKNOWN), None),
        (topic(messageStoragePolicy=stating(UNKNOWN)), None),
        (topic(messageStoragePolicy=stating(["us-east1"], UNKNOWN)), None),
        (topic(project=UNKNOWN, messageStoragePolicy=EUROPE), None),
    ],
)
def test_what_the_service_has_is_held_against_what_is_allowed(
    resource: TopicResource, found: str | None, snapshot: Path
) -> None:
    wanted = [f"live-storage-policy: `orders`: {found}{REPAIR}"] if found else []
    assert texts(judging(snapshot).live_findings(resource)) == wanted


def test_what_was_told_about_a_declaration_is_not_told_again_as_live(snapshot: Path) -> None:
    judge, resource = judging(snapshot), topic(messageStoragePolicy=EUROPE)

    told = {finding.message for finding in judge.findings(resource)}

    assert judge.live_findings(resource, told) == ()


@pytest.mark.parametrize("rule", OWN_RULES, ids=lambda rule: rule.code)
def test_an_example_of_the_packs_own_rules_breaks_its_rule_and_mended_breaks_none(rule: Rule, snapshot: Path) -> None:
    assert rule.example is not None
    stated = ("*",) if rule.code == "storage-policy-not-stated" else ()

    def found(program: str) -> set[str]:
        judge = judging(snapshot, stated_in=stated)
        resources = yaml.safe_load(program)["resources"]
        read = [
            TopicResource(urn=name, name=name, properties=_known(one["properties"])) for name, one in resources.items()
        ]
        return {finding.code for resource in read for finding in judge.findings(resource)}

    assert (found(rule.example.breaks), found(rule.example.mends)) == ({rule.code}, set())


def _known(value: Any) -> Any:
    """The properties of a program in YAML, where `${...}` is the output of another resource."""
    if isinstance(value, dict):
        return {key: _known(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_known(inner) for inner in value]
    return UNKNOWN if isinstance(value, str) and value.startswith("${") else value


@pytest.mark.parametrize("part", ["breaks", "mends"])
@pytest.mark.parametrize("rule", SHARED_RULES, ids=lambda rule: rule.code)
def test_the_pack_and_check_agree_about_the_examples_of_the_rules_that_they_share(
    rule: Rule, part: str, tmp_path: Path
) -> None:
    shared = {one.code for one in SHARED_RULES}
    by_check = codes(getattr(rule.example, part), tmp_path) & shared
    judge = judging(tmp_path / "organization.yaml")

    topics = [declared(spec) for spec in load_fleet(tmp_path / "stacks" / "production").fleet.topics]
    by_pack = {finding.code for resource in topics if resource for finding in judge.findings(resource)} & shared

    assert by_pack == by_check
    assert (rule.code in by_pack) == (part == "breaks")


def test_a_configuration_becomes_settings_over_those_of_the_pack() -> None:
    base = Settings(snapshot=Path("../organization.yaml"))
    config = {
        "snapshot": "here.yaml",
        "statedIn": ["acme-*"],
        "exemptions": [
            {
                "topics": ["projects/acme-orders-prod/topics/ord*"],
                "rule": "region-not-allowed",
                "reason": "subscribers move to Europe",
                "owner": "orders@acme.example",
                "expires": "2027-06-30",
            }
        ],
    }

    read = read_settings(config, base)

    assert read_settings({}, base) == base
    assert set(config) == set(SCHEMA)
    assert (read.snapshot, read.stated_in) == (Path("here.yaml"), ("acme-*",))
    assert [(one.topics, one.rule, one.expires) for one in read.exemptions] == [
        ((TopicName(ORDERS, "ord*"),), "region-not-allowed", date(2027, 6, 30))
    ]


@pytest.mark.parametrize(
    ("config", "text"),
    [
        (
            {"snapshots": "a.yaml"},
            (
                "error: the configuration of `organization` has no property `snapshots`\n"
                "  hint: it has `snapshot`, `statedIn`, `exemptions`"
            ),
        ),
        (
            {"exemptions": [{"rule": "region-undecided"}]},
            (
                "error: the configuration of `organization` exempts from `region-undecided`, from which nothing can be "
                "exempted\n  hint: see `hedgerow check --explain all` for the rules"
            ),
        ),
        (
            {"exemptions": [{"rule": "region-unkown"}]},
            (
                "error: the configuration of `organization` exempts from `region-unkown`, which is no rule\n"
                "  hint: see `hedgerow check --explain all` for the rules"
            ),
        ),
        (
            {"exemptions": [{"expires": "2027-02-30"}]},
            (
                "the pack's configuration: error: `exemptions[0]`: `expires`: there is no day `2027-02-30`  [spec-value]\n"
                "1 error in 1 file"
            ),
        ),
    ],
)
def test_a_configuration_that_means_nothing_is_refused(config: dict[str, Any], text: str) -> None:
    entry = {
        "topics": ["projects/acme-orders-prod/topics/orders"],
        "rule": "region-not-allowed",
        "reason": "because",
        "owner": "orders@acme.example",
        "expires": "2027-06-30",
    }
    if "exemptions" in config:
        config = {"exemptions": [{**entry, **given} for given in config["exemptions"]]}

    with pytest.raises(InvalidInput) as refused:
        read_settings(config, Settings(snapshot=Path("organization.yaml")))

    assert str(refused.value) == text


def test_exemptions_that_do_not_fit_their_schema_are_refused_with_what_is_wrong() -> None:
    with pytest.raises(InvalidInput) as refused:
        read_settings({"exemptions": [{"rule": "region-not-allowed"}]}, Settings(snapshot=Path("organization.yaml")))

    where = "the pack's configuration: error: `exemptions[0]`: the entry has no"
    missing = [f"{where} `{key}`  [spec-missing-key]" for key in ("expires", "owner", "reason", "topics")]
    assert str(refused.value) == "\n".join([*missing, "4 errors in 1 file"])
