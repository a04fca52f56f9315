"""The section `pulumi` of `stack.yaml`."""

from __future__ import annotations

from pathlib import Path

import pytest

from reconciler.model import (
    OneStack,
    Origin,
    ProviderSettings,
    PulumiSettings,
    Split,
    StackPerProject,
    StackPerShard,
)
from tests.spec.stacks import STACK, load, orders, problems

TOPICS = {"t.yaml": "topics: [{name: projects/acme-orders-prod/topics/orders}]"}
AT = Origin("s/stack.yaml", ("pulumi",))


def settings(folder: Path, section: str) -> PulumiSettings:
    return load(folder, {"stack.yaml": f"{STACK}pulumi: {section}\n", **TOPICS}).fleet.stack.pulumi


def test_a_stack_that_says_nothing_is_one_pulumi_stack_whose_topics_are_all_protected(tmp_path: Path) -> None:
    read = load(tmp_path, TOPICS).fleet.stack.pulumi

    assert read == PulumiSettings(provider=None, may_delete={}, may_replace={}, split=OneStack())
    assert not read.is_expendable(orders("orders"))


def test_the_provider_is_read_whole(tmp_path: Path) -> None:
    section = """
  provider:
    project: acme-platform
    billingProject: acme-billing-prod
    userProjectOverride: true
    impersonateServiceAccount: pulumi@acme-platform.iam.gserviceaccount.com
    pubsubCustomEndpoint: http://127.0.0.1:8086/v1/
    defaultLabels: {owner: platform}
    addPulumiAttributionLabel: false
    universeDomain: example.test
"""
    assert settings(tmp_path, section).provider == ProviderSettings(
        project="acme-platform",
        billing_project="acme-billing-prod",
        user_project_override=True,
        impersonate_service_account="pulumi@acme-platform.iam.gserviceaccount.com",
        pubsub_custom_endpoint="http://127.0.0.1:8086/v1/",
        default_labels={"owner": "platform"},
        add_pulumi_attribution_label=False,
        universe_domain="example.test",
    )


def test_topics_that_may_go_are_named_in_full(tmp_path: Path) -> None:
    name = "projects/acme-orders-prod/topics/orders"
    read = settings(tmp_path, f"{{mayDelete: [{name}], mayReplace: [{name}]}}")

    assert read.may_delete == {orders("orders"): AT.at("mayDelete", 0)}
    assert read.may_replace == {orders("orders"): AT.at("mayReplace", 0)}
    assert read.is_expendable(orders("orders"))


@pytest.mark.parametrize(("shards", "split"), [("8", StackPerShard(8)), ("project", StackPerProject())])
def test_a_stack_can_be_split(tmp_path: Path, shards: str, split: Split) -> None:
    assert settings(tmp_path, f"{{shards: {shards}}}").split == split


def test_a_name_that_may_go_and_that_nobody_declares_is_a_warning(tmp_path: Path) -> None:
    name = "projects/acme-orders-prod/topics/order"
    stack = f"{STACK}pulumi: {{mayDelete: [{name}], mayReplace: [{name}]}}\n"

    assert [str(warning) for warning in load(tmp_path, {"stack.yaml": stack, **TOPICS}).warnings] == [
        (
            f"s/stack.yaml:5:22: warning: `mayDelete`: no spec declares `{name}`  [topic-unknown]\n"
            "  hint: correct the name, or take it out once the topic is deleted: until then, the next `pulumi up` "
            "deletes it"
        ),
        (
            f"s/stack.yaml:5:76: warning: `mayReplace`: no spec declares `{name}`  [topic-unknown]\n"
            "  hint: correct the name, or take it out"
        ),
    ]


def test_where_specs_cannot_be_read_no_name_is_called_unknown(tmp_path: Path) -> None:
    stack = f"{STACK}pulumi: {{mayDelete: [projects/acme-orders-prod/topics/orders]}}\n"
    bad = "topics: [{name: projects/acme-orders-prod/topics/orders, label: {}}]"

    assert [one.partition("  [")[2] for one in problems(tmp_path, {"stack.yaml": stack, "t.yaml": bad})] == [
        "spec-unknown-key]\n  hint: write `labels`"
    ]


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ("{shards: 1}", "`shards` is 1, and has to be at least 2  [spec-range]"),
        (
            "{shards: topic}",
            (
                '`shards` is the text "topic", not a number from 2 to 1000, or `project`  [spec-value]\n'
                "  hint: write for example `8` or `project`"
            ),
        ),
        (
            "{mayDelete: [orders]}",
            (
                '`mayDelete[0]` is the text "orders", not the full name of a topic  [spec-value]\n'
                "  hint: write for example `projects/acme-orders-prod/topics/orders`"
            ),
        ),
        (
            "{provider: {pubsubCustomEndpoint: 'http://127.0.0.1:8086'}}",
            (
                '`pubsubCustomEndpoint` is the text "http://127.0.0.1:8086", not a whole base address, with version and '
                "final slash  [spec-value]\n  hint: write for example `http://127.0.0.1:8086/v1/`"
            ),
        ),
        (
            "{provider: {credentials: key.json}}",
            (
                "unknown key `credentials` in `provider`  [spec-unknown-key]\n  hint: known here: `project`, "
                "`billingProject`, `userProjectOverride`, `impersonateServiceAccount`, `pubsubCustomEndpoint`, "
                "`defaultLabels`, `addPulumiAttributionLabel`, `universeDomain`"
            ),
        ),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, section: str, expected: str) -> None:
    (problem,) = problems(tmp_path, {"stack.yaml": f"{STACK}pulumi: {section}\n", **TOPICS})

    assert problem.partition(": error: ")[2] == expected
