"""Topics that may be deleted or replaced, and the guard that reads what the real engine prints."""

from __future__ import annotations

import json

import pytest

from tests.engine.workshop import PROJECT, STACK, Workshop

pytestmark = [pytest.mark.engine, pytest.mark.network]

NAME = f"projects/{PROJECT}/topics/orders"
TAGGED = {"name": "orders", "tags": {"123/env": "prod"}}
STREAM = {"PULUMI_ENABLE_STREAMING_JSON_PREVIEW": "true"}


def section(workshop: Workshop, text: str) -> None:
    """Gives the stack a section `pulumi`, in place of the one it has."""
    path = workshop.root / "stacks" / STACK / "stack.yaml"
    workshop.write(f"stacks/{STACK}/stack.yaml", path.read_text("utf-8").partition("pulumi:")[0] + text)


def judged(workshop: Workshop, *arguments: str, **variables: str) -> tuple[int, list[str], list[list[str]]]:
    """The guard's exit code on a preview, what it refuses, and what forces that."""
    workshop.write("preview.json", workshop.pulumi("preview", "--json", **variables).out)
    ended = workshop.hedgerow("guard", "preview.json", "--format", "json", *arguments)
    refused = json.loads(ended.out)["refused"]
    return ended.code, [f"{one['topic']} {one['would']}" for one in refused], [one["forcedBy"] for one in refused]


@pytest.mark.parametrize("form", [{}, STREAM], ids=["document", "events"])
def test_the_guard_reads_what_the_engine_prints(workshop: Workshop, form: dict[str, str]) -> None:
    returns = {"name": "returns"}
    workshop.declare({"name": "orders"}, returns)
    assert judged(workshop, **form) == (0, [], [])
    workshop.pulumi("up", "--yes", "--skip-preview").succeeded()
    workshop.declare(TAGGED, returns)
    assert judged(workshop, **form) == (5, [f"{NAME} replaced"], [["tags"]])
    workshop.declare(returns)
    assert judged(workshop, **form) == (5, [f"{NAME} deleted"], [[]])
    workshop.pulumi("state", "unprotect", "--all", "--yes").succeeded()
    assert judged(workshop, **form)[0] == 5
    # The deletion policy in the state still prevents it, so an allowance would only fail later.
    assert judged(workshop, "--allow-delete", NAME, **form)[0] == 5
    workshop.world.topic_store.delete(next(topic.name for topic in workshop.world.topics() if str(topic.name) == NAME))
    workshop.declare({"name": "orders"}, returns)
    workshop.write("preview.json", workshop.pulumi("preview", "--json", "--refresh", **form).succeeded().out)
    assert workshop.hedgerow("guard", "preview.json").succeeded().out == ""
    workshop.declare({"name": "orders", "messageStoragePolicy": {"allowedPersistenceRegions": ["us-east1"]}})
    workshop.write("preview.json", workshop.pulumi("preview", "--json", **form).out)
    ended = workshop.hedgerow("guard", "preview.json")
    assert (ended.code, ended.out) == (4, "")
    assert "region `us-east1` is not allowed" in ended.err


def test_a_topic_is_given_up_in_two_updates(workshop: Workshop) -> None:
    workshop.declare({"name": "orders"}, {"name": "returns"})
    workshop.hedgerow("pulumi", "up").succeeded()
    section(workshop, f"pulumi: {{mayDelete: [{NAME}]}}\n")
    workshop.writes()

    workshop.hedgerow("pulumi", "up").succeeded()
    assert workshop.writes() == []
    state = workshop.state()
    assert "protect" not in state[f"{PROJECT}/orders"]
    assert state[f"{PROJECT}/orders"]["outputs"]["deletionPolicy"] == "DELETE"
    assert state[f"{PROJECT}/returns"]["protect"] is True
    assert state[f"{PROJECT}/returns"]["outputs"]["deletionPolicy"] == "PREVENT"

    workshop.declare({"name": "returns"})
    workshop.hedgerow("pulumi", "up").succeeded()
    assert workshop.writes() == ["DeleteTopic orders"]
    assert list(workshop.live()) == ["returns"]


def test_a_topic_is_replaced_in_two_updates_and_not_in_one(workshop: Workshop) -> None:
    workshop.declare({"name": "orders"})
    workshop.hedgerow("pulumi", "up").succeeded()
    section(workshop, f"pulumi: {{mayReplace: [{NAME}]}}\n")
    workshop.declare(TAGGED)
    workshop.writes()

    ended = workshop.hedgerow("pulumi", "up")
    assert (ended.code, ended.out, workshop.writes()) == (5, "", [])
    assert "its `deletionPolicy` is PREVENT: to allow this, list the topic in `pulumi.mayReplace`" in ended.err

    workshop.declare({"name": "orders"})
    workshop.hedgerow("pulumi", "up").succeeded()
    workshop.declare(TAGGED)
    ended = workshop.hedgerow("pulumi", "up").succeeded()
    assert workshop.writes() == ["CreateTopic orders", "DeleteTopic orders"]
    # An update that replaces stops at its first error: the engine never ends otherwise.
    assert "--continue-on-error" not in ended.err


def test_a_provider_of_its_own_comes_changes_and_goes_without_touching_a_topic(workshop: Workshop) -> None:
    workshop.declare({"name": "orders"})
    workshop.hedgerow("pulumi", "up").succeeded()
    urns = sorted(found["urn"] for found in workshop.state().values() if found["type"].endswith(":Topic"))
    workshop.writes()
    for settings in ("pulumi: {provider: {addPulumiAttributionLabel: false}}\n",
                     f"pulumi: {{provider: {{project: {PROJECT}, defaultLabels: {{}}}}}}\n", ""):  # fmt: skip
        section(workshop, settings)
        workshop.hedgerow("pulumi", "up").succeeded()
        assert workshop.writes() == []
        assert sorted(found["urn"] for found in workshop.state().values() if found["type"].endswith(":Topic")) == urns


def test_the_providers_settings_reach_it(workshop: Workshop) -> None:
    workshop.declare({"name": "orders"})
    section(workshop, "pulumi: {provider: {defaultLabels: {owner: platform}, addPulumiAttributionLabel: false}}\n")
    workshop.hedgerow("pulumi", "up").succeeded()

    stored = workshop.world.topic_store
    assert [dict(topic.labels) for _, topic in stored] == [{"owner": "platform"}]
