"""The pack in its own environment, driven as the engine drives it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from reconciler import __version__
from reconciler.pulumi.pack.judge import OWN_RULES, SHARED_RULES
from reconciler.rules import ALL_RULES, RESOURCE_RULES
from tests.pack.resources import ORDERS, stating
from tests.pack.server import PACK, PYTHON, SECRET, SIGNATURE, UNKNOWN, Server, Violation, running

pytestmark = pytest.mark.network

NOT_ALLOWED = (
    "`orders`: region `us-east1` is not allowed in `acme-orders-prod`\n"
    "  allowed: europe-west1, europe-west4 (gcp.resourceLocations at folders/456, rule 1: "
    "in:europe-west1-locations, in:europe-west4-locations)\n"
    "  hint: remove what is not allowed, or leave `messageStoragePolicy` out to follow the organization"
)
NOT_EVALUATED = "`orders`: not evaluated, as the organization's policies are not at hand"


def topic(**properties: Any) -> dict[str, Any]:
    return {"name": "orders", "project": ORDERS, **properties}


WRONG = topic(messageStoragePolicy=stating(["europe-west1", "us-east1"]))


def test_every_rule_is_a_policy_that_is_filled_from_it(pack: Server) -> None:
    info = pack.info()
    levels = {"error": ("MANDATORY", "HIGH"), "undecided": ("MANDATORY", "MEDIUM"), "warning": ("ADVISORY", "LOW")}

    said = {
        one.name: (
            one.description,
            (
                info.DESCRIPTOR.file.enum_types_by_name["EnforcementLevel"].values_by_number[one.enforcementLevel].name,
                info.DESCRIPTOR.file.enum_types_by_name["PolicySeverity"]
                .values_by_number[one.severity]
                .name.removeprefix("POLICY_SEVERITY_"),
            ),
            one.url,
        )
        for one in info.policies
    }
    codes = ["organization", *(rule.code for rule in (*OWN_RULES, *SHARED_RULES)), "live-storage-policy"]
    rules = {**ALL_RULES, **RESOURCE_RULES}

    assert (info.name, list(said)) == ("hedgerow", codes)
    assert said == {code: (rules[code].title, levels[rules[code].severity], f"docs/rules.md#{code}") for code in codes}


def test_a_policy_tells_why_it_is_there_and_what_to_write_instead(pack: Server) -> None:
    steps = {one.name: one.remediation_steps for one in pack.info().policies}
    shared, own = ALL_RULES["kms-location"], RESOURCE_RULES["storage-policy-empty"]

    assert shared.example is not None
    assert own.example is not None
    assert steps["kms-location"] == f"{shared.because}\n\nPut right, as a spec has it:\n\n{shared.example.mends}"
    assert steps["storage-policy-empty"] == (
        f"{own.because}\n\nPut right, as a program in YAML has it:\n\n{own.example.mends}"
    )
    assert steps["organization"] == RESOURCE_RULES["organization"].because


def test_the_pack_has_the_version_of_hedgerow() -> None:
    assert yaml.safe_load((PACK / "PulumiPolicy.yaml").read_text("utf-8"))["version"] == __version__


def test_the_packs_environment_has_no_client_of_google_and_no_provider_and_loads_none(
    pack_environment: None,  # noqa: ARG001 - for the skip
) -> None:
    program = """
import importlib.util, sys
import reconciler.pulumi.pack.policies
names = ["celpy", "google.cloud", "obstore", "pulumi_gcp", "rich"]
print([name for name in names if name in sys.modules])
print([name for name in ("pulumi_gcp", "obstore", "rich") if importlib.util.find_spec(name)])
"""
    done = subprocess.run([PYTHON, "-P", "-c", program], check=True, capture_output=True, text=True)

    assert done.stdout == "[]\n[]\n"


def test_a_disallowed_region_is_a_mandatory_violation(pack: Server) -> None:
    assert pack.analyze(WRONG) == [Violation(policy="region-not-allowed", level="mandatory", text=NOT_ALLOWED)]


def test_a_topic_without_a_mistake_and_other_resources_are_left_in_peace(pack: Server) -> None:
    assert pack.analyze(topic(messageStoragePolicy=stating(["europe-west1"]))) == []
    assert pack.analyze(WRONG, kind="gcp:storage/bucket:Bucket") == []


@pytest.mark.parametrize(
    ("properties", "path"),
    [
        (topic(project=UNKNOWN), "project"),
        (topic(messageStoragePolicy=UNKNOWN), "messageStoragePolicy"),
        (topic(messageStoragePolicy=stating(UNKNOWN)), "messageStoragePolicy.allowedPersistenceRegions"),
        (topic(messageStoragePolicy=stating([UNKNOWN])), "messageStoragePolicy.allowedPersistenceRegions"),
        (topic(messageStoragePolicy=stating(["europe-west1"], UNKNOWN)), "messageStoragePolicy.enforceInTransit"),
        (topic(kmsKeyName=UNKNOWN), "kmsKeyName"),
    ],
)
def test_an_unknown_value_is_a_mandatory_violation_and_not_skipped(
    properties: dict[str, Any], path: str, pack: Server
) -> None:
    text = (
        f"`orders`: `{path}` is not known in a preview, so what hangs on it is not checked\n"
        "  hint: write a plain value, or take it from one that is known before the update"
    )
    assert pack.analyze(properties) == [Violation(policy="value-unknown", level="mandatory", text=text)]


def test_an_unknown_value_that_decides_nothing_is_no_violation(pack: Server) -> None:
    assert pack.analyze(topic(labels={"team": UNKNOWN}, name=UNKNOWN)) == []


def test_the_providers_project_is_that_of_a_topic_that_names_none(pack: Server) -> None:
    properties = {key: value for key, value in WRONG.items() if key != "project"}

    found = pack.analyze(properties, provider={"project": ORDERS, "version": "10.2.0"})

    assert found == [Violation(policy="region-not-allowed", level="mandatory", text=NOT_ALLOWED)]
    assert [one.policy for one in pack.analyze(properties, provider={"version": "10.2.0"})] == ["topic-form"]
    assert [one.policy for one in pack.analyze(properties)] == ["topic-form"]


def test_each_rule_has_a_level_of_its_own(pack: Server, snapshot: Path) -> None:
    both = topic(messageStoragePolicy=stating(["us-east1"], None))
    organization = {"snapshot": str(snapshot)}

    pack.configure(organization=organization, region_not_allowed="advisory", in_transit_not_stated="disabled")
    assert [(one.policy, one.level) for one in pack.analyze(both)] == [("region-not-allowed", "advisory")]
    pack.configure(organization=organization, region_not_allowed="disabled")
    assert [(one.policy, one.level) for one in pack.analyze(both)] == [("in-transit-not-stated", "mandatory")]


def test_what_the_configuration_demands_and_exempts_is_held(pack: Server, snapshot: Path) -> None:
    exemption = {
        "topics": ["projects/acme-orders-prod/topics/orders"],
        "rule": "region-not-allowed",
        "reason": "subscribers move to Europe",
        "owner": "orders@acme.example",
        "expires": "9999-12-31",
    }
    pack.configure(organization={"snapshot": str(snapshot), "statedIn": ["*"], "exemptions": [exemption]})

    assert pack.analyze(WRONG) == []
    assert [one.policy for one in pack.analyze(topic(name="others"), urn="urn:others")] == ["storage-policy-not-stated"]


def test_without_the_first_policy_the_others_look_for_themselves_at_the_packs_own_snapshot(
    pack_environment: None,  # noqa: ARG001 - for the skip
) -> None:
    with running() as pack:
        pack.configure(organization="disabled")

        found = [pack.analyze(WRONG) for _ in range(2)]

    assert [[(one.policy, one.text.partition("\n")[0]) for one in violations] for violations in found] == [
        [("region-not-allowed", "`orders`: region `us-east1` is not allowed in `acme-orders-prod`")]
    ] * 2


def test_a_snapshot_that_cannot_be_used_is_told_once_and_no_topic_is_taken_for_right(pack: Server) -> None:
    pack.configure(organization={"snapshot": "nowhere.yaml"})

    at_stack = pack.analyze({}, kind="pulumi:pulumi:Stack", urn="urn:stack", name="stack")

    assert [(one.policy, one.level) for one in at_stack] == [("organization", "mandatory")]
    assert "nowhere.yaml" in at_stack[0].text
    assert pack.analyze(WRONG) == [Violation(policy="organization", level="mandatory", text=NOT_EVALUATED)]
    assert pack.remediate(WRONG) is None
    assert [(one.policy, one.level) for one in pack.analyze_stack(WRONG)] == [("live-storage-policy", "advisory")]


def test_a_property_that_the_configuration_does_not_have_is_a_violation(pack: Server) -> None:
    pack.configure(organization={"snapshots": "organization.yaml"})

    assert pack.analyze({}, kind="pulumi:pulumi:Stack", urn="urn:stack", name="stack") == [
        Violation(
            policy="organization",
            level="mandatory",
            text="error: the configuration of `organization` has no property `snapshots`\n"
            "  hint: it has `snapshot`, `statedIn`, `exemptions`",
        )
    ]


def test_a_remedy_drops_disallowed_regions_and_leaves_everything_else_as_it_was(pack: Server, snapshot: Path) -> None:
    pack.configure(organization={"snapshot": str(snapshot)}, region_not_allowed="remediate")
    pack.analyze({}, kind="pulumi:pulumi:Stack", urn="urn:stack", name="stack")
    labels = {"team": UNKNOWN, "token": {SIGNATURE: SECRET, "value": "s3cret"}}

    remedied = pack.remediate(topic(labels=labels, messageStoragePolicy=stating(["us-east1", "europe-west4"], True)))

    assert remedied == topic(labels=labels, messageStoragePolicy=stating(["europe-west4"], True))
    assert pack.analyze(remedied) == []


def test_what_a_remedy_would_leave_without_a_region_stays_a_mandatory_violation(pack: Server, snapshot: Path) -> None:
    pack.configure(organization={"snapshot": str(snapshot)}, region_not_allowed="remediate")
    pack.analyze({}, kind="pulumi:pulumi:Stack", urn="urn:stack", name="stack")
    only = topic(messageStoragePolicy=stating(["us-east1"]))

    assert pack.remediate(only) is None
    assert [(one.policy, one.level) for one in pack.analyze(only)] == [("region-not-allowed", "mandatory")]


def test_nothing_is_remedied_unless_that_is_asked_for(pack: Server) -> None:
    pack.analyze(topic())

    assert pack.remediate(WRONG) is None


def test_two_resources_for_one_topic_are_a_violation_of_the_second(pack: Server) -> None:
    found = [pack.analyze(topic(name="twice"), urn=urn) for urn in ("urn:first", "urn:second")]

    assert [[one.policy for one in violations] for violations in found] == [[], ["topic-duplicate"]]


def test_what_the_service_has_is_held_against_what_is_allowed_with_the_resource_that_has_it(pack: Server) -> None:
    found = pack.analyze_stack(
        topic(messageStoragePolicy=stating(["europe-west1"])),
        topic(messageStoragePolicy=stating(["us-east1"], None)),
        topic(messageStoragePolicy=UNKNOWN),
        topic(messageStoragePolicy={"allowedPersistenceRegions": UNKNOWN}),
    )

    assert found == [
        Violation(
            policy="live-storage-policy",
            level="advisory",
            text="`orders`: region `us-east1` is not allowed in `acme-orders-prod`  [region-not-allowed]\n"
            "  allowed: europe-west1, europe-west4 (gcp.resourceLocations at folders/456, rule 1: "
            "in:europe-west1-locations, in:europe-west4-locations)\n"
            "  hint: let `hedgerow reconcile` repair it, or see `hedgerow plan` for what it would do",
            urn="1",
        )
    ]


def test_a_pack_without_configuration_reads_the_snapshot_in_the_folder_above(
    pack_environment: None,  # noqa: ARG001 - for the skip
    tmp_path: Path,
    snapshot: Path,
) -> None:
    (tmp_path / "policies" / "pack").mkdir(parents=True)
    (tmp_path / "policies" / "organization.yaml").write_bytes(snapshot.read_bytes())
    (tmp_path / "policies" / "pack" / "__main__.py").write_bytes((PACK / "__main__.py").read_bytes())

    with running(tmp_path / "policies" / "pack") as copied:
        assert copied.analyze(WRONG) == [Violation(policy="region-not-allowed", level="mandatory", text=NOT_ALLOWED)]


def test_the_policies_can_be_part_of_a_pack_of_ones_own(
    pack_environment: None,  # noqa: ARG001 - for the skip
    tmp_path: Path,
    snapshot: Path,
) -> None:
    (tmp_path / "__main__.py").write_text(
        "from pathlib import Path\n"
        "from pulumi_policy import PolicyPack, ResourceValidationPolicy\n"
        "from reconciler.pulumi.pack import policies\n"
        'own = ResourceValidationPolicy("own", "Ours", lambda args, report: report("seen"))\n'
        f"PolicyPack('ours', [*policies(Path({str(snapshot)!r})), own])\n",
        encoding="utf-8",
    )

    with running(tmp_path) as ours:
        assert [(one.policy, one.text) for one in ours.analyze(WRONG)] == [
            ("region-not-allowed", NOT_ALLOWED),
            ("own", "seen"),
        ]
