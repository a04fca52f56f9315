"""The `policy` commands where their stories are not told by scenarios: refusals, live sources, exit codes."""

from __future__ import annotations

import pytest

from reconciler.sandbox import Fault
from tests.cli.conftest import STACK, Company

LIVE = STACK.replace("../../policies/organization.yaml", "live")


def last(text: str, lines: int = 2) -> list[str]:
    return text.splitlines()[-lines:]


def test_a_snapshot_is_explained_without_any_stack(company: Company) -> None:
    ended = company.hedgerow(
        "policy", "explain", "acme-orders-prod", "--snapshot", "policies/organization.yaml", "--format", "json"
    )

    assert (ended.code, ended.json["allowed"]) == (0, {"only": ["europe-west1", "europe-west4"]})


def test_a_long_story_is_cut_unless_it_is_asked_for_whole(company: Company) -> None:
    company.write(
        "policies/organization.yaml",
        (company.folder / "policies/organization.yaml")
        .read_text()
        .replace('"in:europe-west1-locations", "in:europe-west4-locations"', '"in:asia-locations", "in:eu-locations"'),
    )

    cut = company.hedgerow("policy", "explain", "acme-orders-prod").out
    whole = company.hedgerow("policy", "explain", "acme-orders-prod", "--verbose").out

    assert "`--verbose` shows all" in cut
    assert "`--verbose` shows all" not in whole
    assert len(cut.splitlines()) < len(whole.splitlines())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("explain", "--topic", "orders", "acme-orders-prod"),
            [
                "error: name a project, or a topic with --topic",
                "  hint: hedgerow policy explain acme-orders-prod",
            ],
        ),
        (
            ("what-if", "--dry-run-spec", "production", "more"),
            [
                "error: too many arguments",
                "  hint: hedgerow policy what-if FILE [STACK], or hedgerow policy what-if --dry-run-spec [STACK]",
            ],
        ),
    ],
)
def test_a_command_line_that_makes_no_sense_is_refused(
    company: Company, arguments: tuple[str, ...], said: list[str]
) -> None:
    ended = company.hedgerow("policy", *arguments)

    assert (ended.code, last(ended.err)) == (64, said)


def test_a_topic_id_that_two_projects_have_needs_its_full_name(company: Company) -> None:
    company.write(
        "stacks/production/topics.yaml",
        "topics: [{name: projects/acme-billing-prod/topics/events}, {name: projects/acme-orders-prod/topics/events}]\n",
    )

    ended = company.hedgerow("policy", "explain", "--topic", "events")

    assert (ended.code, last(ended.err)) == (
        64,
        [
            "error: `events` is 2 topics: projects/acme-billing-prod/topics/events, projects/acme-orders-prod/topics/events",
            "  hint: give the full name",
        ],
    )
    assert company.hedgerow("policy", "explain", "--topic", "projects/acme-orders-prod/topics/events").code == 0


def test_a_captured_snapshot_can_be_printed_as_json_and_checked_elsewhere(company: Company) -> None:
    ended = company.hedgerow("policy", "snapshot", "--format", "json")

    assert [one["name"] for one in ended.json["resources"]] == [
        "organizations/123456789012",
        "projects/acme-billing-prod",
        "projects/acme-orders-prod",
    ]
    missing = company.hedgerow("policy", "snapshot", "--check", "-o", "other.yaml")
    assert (missing.code, last(missing.err)) == (
        1,
        ["error: other.yaml does not exist", "  hint: hedgerow policy snapshot -o other.yaml"],
    )


def test_a_snapshot_that_would_only_be_written_otherwise_is_told_from_one_that_is_wrong(company: Company) -> None:
    ended = company.hedgerow("policy", "snapshot", "--check")

    assert (ended.code, ended.out, last(ended.err)) == (
        2,
        "",
        [
            "policies/organization.yaml is not what would be captured now: no answer changes",
            "  hint: hedgerow policy snapshot -o policies/organization.yaml",
        ],
    )


def test_a_live_stack_has_no_file_to_check(company: Company) -> None:
    company.write("stacks/production/stack.yaml", LIVE)

    ended = company.hedgerow("policy", "snapshot", "--check")

    assert (ended.code, last(ended.err)) == (
        1,
        ["error: there is no file to check: the stack reads live policies", "  hint: name one with -o"],
    )


def test_projects_of_other_stacks_in_the_same_file_are_captured_too(company: Company) -> None:
    company.write("stacks/production/stack.yaml", STACK.replace("acme-billing-prod, ", ""))
    company.write("stacks/production/topics.yaml", "topics: [{name: projects/acme-orders-prod/topics/orders}]\n")

    assert company.hedgerow("policy", "snapshot", "-o", "policies/organization.yaml").code == 0
    assert "acme-billing-prod" in (company.folder / "policies/organization.yaml").read_text()


def test_projects_of_another_organization_are_not_captured(company: Company) -> None:
    company.write("stacks/production/stack.yaml", LIVE.replace("organizations/123456789012", "organizations/9"))

    ended = company.hedgerow("policy", "snapshot", "-o", "new.yaml")

    assert (ended.code, last(ended.err)) == (
        4,
        [
            "error: the projects lie in organizations/123456789012, not in organizations/9",
            "  hint: correct `organization` or `projects` in stack.yaml",
        ],
    )


TAGS_DENIED = Fault(method="ListEffectiveTags", error="PERMISSION_DENIED", message="no")


def test_unreadable_tags_do_not_matter_where_no_policy_hangs_on_them(company: Company) -> None:
    company.box.faults.add(TAGS_DENIED)

    ended = company.hedgerow("policy", "snapshot", "-o", "new.yaml")

    assert (ended.code, last(ended.err)) == (
        0,
        [
            "tags of 3 resources could not be read; no policy asks for them",
            "captured 3 resources, 1 policy: new.yaml is written",
        ],
    )
    assert "tags" not in (company.folder / "new.yaml").read_text()


def test_unreadable_tags_end_a_capture_where_a_policy_hangs_on_them(company: Company) -> None:
    company.box.faults.add(TAGS_DENIED)
    condition = {"expression": "resource.hasTagKey('123456789012/env')"}
    rules = [{"allowAll": True}, {"values": {"deniedValues": ["us-east1"]}, "condition": condition}]
    company.world.set_policy(
        {"name": "organizations/123456789012/policies/gcp.resourceLocations", "spec": {"rules": rules}}
    )

    ended = company.hedgerow("policy", "snapshot", "-o", "new.yaml")

    assert (ended.code, last(ended.err, 3)) == (
        4,
        [
            "error: projects/acme-orders-prod: the tags could not be read: PERMISSION_DENIED: no",
            "  hint: the caller needs roles/resourcemanager.tagViewer",
            "3 resources could not be read, so nothing was captured",
        ],
    )
    assert not (company.folder / "new.yaml").exists()


def test_help_names_the_four_commands(company: Company) -> None:
    ended = company.hedgerow("policy", "--help")

    assert [line.split()[0] for line in ended.out.partition("Commands:\n")[2].splitlines()] == [
        "diff",
        "explain",
        "snapshot",
        "what-if",
    ]
