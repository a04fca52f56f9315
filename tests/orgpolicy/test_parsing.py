from __future__ import annotations

from typing import Any

import pytest

from reconciler.orgpolicy import Policy, PolicyError, Rule, parse_policy

NAME = "folders/4/policies/gcp.resourceLocations"


@pytest.mark.parametrize(
    ("v2", "v1"),
    [
        (
            {"rules": [{"values": {"allowedValues": ["in:eu-locations"], "deniedValues": ["europe-west2"]}}]},
            {"listPolicy": {"allowedValues": ["in:eu-locations"], "deniedValues": ["europe-west2"]}},
        ),
        ({"rules": [{"allowAll": True}]}, {"listPolicy": {"allValues": "ALLOW"}}),
        ({"rules": [{"denyAll": True}]}, {"listPolicy": {"allValues": "DENY"}}),
        (
            {"inheritFromParent": True, "rules": [{"values": {"deniedValues": ["us"]}}]},
            {"listPolicy": {"inheritFromParent": True, "deniedValues": ["us"]}},
        ),
        ({"reset": True}, {"restoreDefault": {}}),
        ({"rules": [{"enforce": True}]}, {"booleanPolicy": {"enforced": True}}),
        ({"rules": [{"enforce": False}]}, {"booleanPolicy": {}}),
        ({}, {"listPolicy": {"allValues": "ALL_VALUES_UNSPECIFIED"}}),
    ],
    ids=["values", "allow all", "deny all", "inherit", "reset", "enforced", "not enforced", "no rules"],
)
def test_v1_means_the_same_as_v2(v2: dict[str, Any], v1: dict[str, Any]) -> None:
    old = {"resource": "folders/4", "constraint": "constraints/gcp.resourceLocations", **v1}

    assert parse_policy({"name": NAME, "spec": v2}) == parse_policy(old)


def test_a_v1_body_may_carry_a_v2_name() -> None:
    assert parse_policy({"name": NAME, "restoreDefault": {}}) == parse_policy({"name": NAME, "spec": {"reset": True}})


@pytest.mark.parametrize(("text", "flag"), [("TRUE", True), ("true", True), ("FALSE", False)])
def test_flags_are_read_from_text_too(text: str, *, flag: bool) -> None:
    policy = parse_policy({"name": NAME, "spec": {"rules": [{"enforce": text}]}})

    assert policy.rules == (Rule(number=1, enforce=flag),)


def test_a_condition_is_kept_as_its_expression() -> None:
    rule = {"allowAll": True, "condition": {"title": "eu", "expression": "resource.matchTag('1/a', 'b')"}}

    policy = parse_policy({"name": NAME, "spec": {"rules": [rule]}})

    assert policy.rules == (Rule(number=1, allow_all=True, condition="resource.matchTag('1/a', 'b')"),)


def test_a_policy_with_a_dry_run_alone_is_marked() -> None:
    policy = parse_policy({"name": NAME, "dryRunSpec": {"rules": [{"denyAll": True}]}})

    assert policy == Policy(
        resource="folders/4",
        constraint="gcp.resourceLocations",
        dry_run_only=True,
        dry_run=Policy(
            resource="folders/4", constraint="gcp.resourceLocations", rules=(Rule(number=1, deny_all=True),)
        ),
    )


def test_the_dry_run_stands_beside_what_is_enforced() -> None:
    policy = parse_policy(
        {"name": NAME, "spec": {"rules": [{"allowAll": True}]}, "dryRunSpec": {"inheritFromParent": True}}
    )

    assert policy == Policy(
        resource="folders/4",
        constraint="gcp.resourceLocations",
        rules=(Rule(number=1, allow_all=True),),
        dry_run=Policy(resource="folders/4", constraint="gcp.resourceLocations", inherit=True),
    )


@pytest.mark.parametrize(
    ("body", "message", "path", "hint"),
    [
        (
            {"name": NAME},
            "the policy on `folders/4` has neither `spec` nor `dryRunSpec`",
            (),
            "copy the whole answer of `gcloud org-policies describe`",
        ),
        (
            {"name": "gcp.resourceLocations", "spec": {}},
            "`gcp.resourceLocations` does not name a policy",
            ("name",),
            "write `RESOURCE/policies/CONSTRAINT`, for example `folders/456/policies/gcp.resourceLocations`",
        ),
        (
            {"name": NAME, "spec": {"reset": True, "rules": [{"allowAll": True}]}},
            "`reset` stands alone: no rules, no `inheritFromParent`",
            ("spec", "reset"),
            None,
        ),
        ({"name": NAME, "spec": []}, "`spec` is not a mapping", ("spec",), None),
        (
            {"name": NAME, "spec": {}, "dryRunSpec": {"rules": [{}]}},
            "a rule holds exactly one of `values`, `allowAll`, `denyAll` and `enforce`",
            ("dryRunSpec", "rules", 0),
            None,
        ),
        ({"name": NAME, "spec": {"rules": "x"}}, "`rules` is not a list", ("spec", "rules"), None),
        (
            {"name": NAME, "spec": {"rules": [{}]}},
            "a rule holds exactly one of `values`, `allowAll`, `denyAll` and `enforce`",
            ("spec", "rules", 0),
            None,
        ),
        (
            {"name": NAME, "spec": {"rules": [{"allowAll": True}, {"allowAll": True, "denyAll": True}]}},
            "a rule holds exactly one of `values`, `allowAll`, `denyAll` and `enforce`, not 2",
            ("spec", "rules", 1),
            None,
        ),
        (
            {"name": NAME, "spec": {"rules": [{"values": {}}]}},
            "`values` names no value",
            ("spec", "rules", 0, "values"),
            None,
        ),
        (
            {"name": NAME, "spec": {"rules": [{"values": {"allowedValues": "us"}}]}},
            "`allowedValues` is not a list",
            ("spec", "rules", 0, "values", "allowedValues"),
            None,
        ),
        (
            {"name": NAME, "spec": {"rules": [{"allowAll": False}]}},
            "`allowAll: false` says nothing",
            ("spec", "rules", 0, "allowAll"),
            "leave the rule out",
        ),
        (
            {"name": NAME, "listPolicy": {"condition": {}}},
            "a v1 policy cannot hold a condition",
            ("listPolicy", "condition"),
            None,
        ),
        (
            {"name": NAME, "listPolicy": {"allValues": "DENY", "allowedValues": ["us"]}},
            "`allValues` excludes explicit values",
            ("listPolicy", "allValues"),
            None,
        ),
    ],
)
def test_a_body_that_the_api_would_refuse_is_refused_with_its_place(
    body: dict[str, Any], message: str, path: tuple[str | int, ...], hint: str | None
) -> None:
    with pytest.raises(PolicyError) as refused:
        parse_policy(body)

    assert (refused.value.message, refused.value.path, refused.value.hint) == (message, path, hint)
