"""The life of a fleet, from the plain command line of the real engine."""

from __future__ import annotations

import pytest

from tests.engine.workshop import ALLOWED, Workshop, explicit, stored

pytestmark = [pytest.mark.engine, pytest.mark.network]

FLEET = "urn:pulumi:production::hedgerow::hedgerow:pubsub:TopicFleet"


def test_a_fleet_is_previewed_made_changed_and_kept_from_destruction(bare_workshop: Workshop) -> None:
    workshop = bare_workshop
    assert workshop.pulumi("stack", "init", "production").succeeded().err == "Created stack 'production'\n"
    again = workshop.pulumi("stack", "init", "production")
    assert (again.code, again.err) == (1, "error: stack 'organization/hedgerow/production' already exists\n")

    payments = {"name": "payments", "labels": {"team": "payments"}}
    workshop.declare({"name": "orders"}, {**payments, **explicit("europe-west1")})
    assert workshop.pulumi("preview").succeeded().summary == ["+ 4 to create"]
    assert (workshop.live(), workshop.writes()) == ({}, [])

    assert workshop.pulumi("up", "--yes").succeeded().summary == ["+ 4 created"]
    assert workshop.live() == {"orders": stored(*ALLOWED), "payments": stored("europe-west1")}
    assert workshop.writes() == ["CreateTopic orders", "CreateTopic payments"]
    made = workshop.state()
    assert sorted(found["urn"] for found in made.values() if "hedgerow:pubsub" in found["urn"]) == [
        f"{FLEET}$gcp:pubsub/topic:Topic::acme-orders-prod/orders",
        f"{FLEET}$gcp:pubsub/topic:Topic::acme-orders-prod/payments",
        f"{FLEET}::fleet",
    ]

    assert workshop.pulumi("up", "--yes", "--expect-no-changes").succeeded().summary == ["4 unchanged"]
    assert workshop.writes() == []

    workshop.declare({"name": "orders", "messageRetentionDuration": "86400s"})
    workshop.declare(
        {**payments, "labels": {"team": "ledger"}, **explicit("europe-west4", "europe-west1")},
        file="moved/payments.yaml",
    )
    assert workshop.pulumi("up", "--yes", "--skip-preview").succeeded().summary == ["~ 2 updated", "2 unchanged"]
    assert workshop.writes() == [
        "UpdateTopic orders message_retention_duration",
        "UpdateTopic payments message_storage_policy labels",
    ]
    assert workshop.live() == {"orders": stored(*ALLOWED), "payments": stored("europe-west1", "europe-west4")}
    assert workshop.state().keys() == made.keys()

    assert workshop.pulumi("refresh", "--yes").succeeded().summary == ["4 unchanged"]

    destroyed = workshop.pulumi("destroy", "--yes")
    assert destroyed.code == 1
    urn = f"{FLEET}$gcp:pubsub/topic:Topic::acme-orders-prod/orders"
    assert f'"{urn}" cannot be deleted because it is protected.' in destroyed.words

    workshop.pulumi("state", "unprotect", "--all", "--yes").succeeded()
    destroyed = workshop.pulumi("destroy", "--yes", "--skip-preview", "--continue-on-error")
    assert destroyed.code == 1
    for topic in ("orders", "payments"):
        told = f'Error deleting Topic "projects/acme-orders-prod/topics/{topic}": its deletion_policy is "PREVENT"'
        assert told in destroyed.out
    assert (sorted(workshop.live()), workshop.writes()) == (["orders", "payments"], [])


def test_a_violation_fails_preview_and_up_with_the_findings_and_changes_nothing(workshop: Workshop) -> None:
    workshop.declare({"name": "orders"})
    workshop.pulumi("up", "--yes", "--skip-preview").succeeded()
    workshop.writes()
    workshop.declare(
        {"name": "payments", **explicit("europe-west1", "us-east1")},
        {"name": "ledger"},
        file="more.yaml",
    )
    for command in (["preview"], ["up", "--yes"], ["up", "--yes", "--skip-preview"]):
        refused = workshop.pulumi(*command)
        assert refused.code == 1, command
        assert (
            "error: stacks/production/more.yaml:9:7: error: `payments`: region `us-east1` is not allowed in "
            "`acme-orders-prod`  [region-not-allowed]\n"
            "      allowed: europe-west1, europe-west3, europe-west4 (gcp.resourceLocations at "
        ) in refused.out, command
        assert "error: 1 finding; no topic was declared\n" in refused.out, command
    assert (sorted(workshop.live()), workshop.writes()) == (["orders"], [])
    assert "acme-orders-prod/orders" in workshop.state()
    assert workshop.hedgerow("check", "production").code == 3


def test_a_refusal_of_the_service_is_told_and_the_other_topics_are_made(workshop: Workshop) -> None:
    workshop.world.put_topic("projects/acme-orders-prod/topics/taken", None)
    workshop.declare({"name": "orders"}, {"name": "taken"})
    made = workshop.pulumi("up", "--yes", "--skip-preview", "--continue-on-error")
    assert made.code == 1
    assert (
        "    error: 1 error occurred:\n    \t* Error creating Topic: googleapi: Error 409: Topic already exists\n"
        in made.out
    )
    assert sorted(workshop.live()) == ["orders", "taken"]


def test_a_project_that_always_refreshes_finds_drift_in_every_preview(workshop: Workshop) -> None:
    workshop.write("Pulumi.yaml", (workshop.root / "Pulumi.yaml").read_text() + "\noptions: {refresh: always}\n")
    workshop.declare({"name": "payments", **explicit("europe-west1")})
    workshop.pulumi("up", "--yes", "--skip-preview").succeeded()
    workshop.edit("payments", "europe-west4")
    drifted = workshop.pulumi("preview", "--expect-no-changes")
    assert (drifted.code, drifted.summary) == (7, ["~ 1 to update", "2 unchanged"])
    assert drifted.err == "error: no changes were expected for preview but changes were proposed\n"
    unaware = workshop.pulumi("preview", "--expect-no-changes", "--refresh=false").succeeded()
    assert unaware.summary == ["3 unchanged"]


@pytest.mark.parametrize("main", ["stacks", "stacks/__main__.py"])
def test_the_program_runs_however_its_place_is_written(workshop: Workshop, main: str) -> None:
    workshop.declare({"name": "orders"})
    workshop.write("Pulumi.yaml", f"{{name: hedgerow, runtime: python, main: {main}}}")
    assert workshop.pulumi("preview", "--cwd", "stacks").succeeded().summary == ["+ 3 to create"]


def test_the_configuration_names_the_stack_where_the_pulumi_stack_has_another_name(bare_workshop: Workshop) -> None:
    workshop = bare_workshop
    workshop.declare({"name": "orders"})
    workshop.pulumi("stack", "init", "dev").succeeded()
    lost = workshop.pulumi("preview")
    assert lost.code == 1
    assert "    error: there is no stack `dev`: `" in lost.out
    assert "hint: `pulumi config set hedgerow:stack` to one of these: production Resources:" in lost.words
    workshop.pulumi("config", "set", "hedgerow:stack", "production").succeeded()
    assert workshop.pulumi("preview").succeeded().summary == ["+ 3 to create"]
