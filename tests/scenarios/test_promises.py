"""The promises that scenarios are held to can be broken: each is shown something that breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reconciler.model import StoragePolicy
from reconciler.pulumi import DeclaredTopic, declare
from reconciler.sandbox import LoggedRequest
from tests.scenarios.promises import check_declarations, check_pack, check_plans, check_writes
from tests.scenarios.runner import STACK, Scenario, scenario

TOPIC = "projects/acme-orders-prod/topics/orders"
SPECS = f"""\
apiVersion: hedgerow/v1
topics:
  - name: {TOPIC}
    messageStoragePolicy: {{allowedPersistenceRegions: [europe-west1], enforceInTransit: true}}
"""


@pytest.fixture
def story(tmp_path: Path) -> Iterator[Scenario]:
    """One topic that enforces in transit was restricted by the job; nothing is left to do."""
    with scenario(tmp_path / "story.md", tmp_path) as story:
        (STACK / "topics.yaml").write_text(SPECS, encoding="utf-8")
        before = {"allowedPersistenceRegions": ["europe-west1", "us-east1"], "enforceInTransit": True}
        story.world.put_topic(TOPIC, StoragePolicy.from_json(before))
        story.command("reconcile", "production")
        story.command("plan", "production")
        yield story


def with_policy(write: LoggedRequest, **policy: Any) -> LoggedRequest:
    """The same write of another storage policy."""
    message = type(write.message)()
    message.CopyFrom(write.message)
    message.topic.ClearField("message_storage_policy")
    message.topic.message_storage_policy.SetInParent()
    for name, value in policy.items():
        field = getattr(message.topic.message_storage_policy, name)
        if isinstance(value, list):
            field.extend(value)
        else:
            setattr(message.topic.message_storage_policy, name, value)
    return replace(write, message=message)


def test_a_story_that_keeps_every_promise_passes(story: Scenario) -> None:
    check_writes(story)
    check_plans(story)

    assert [len(step.writes) for step in story.steps] == [1, 0]
    assert check_declarations(story) == 1


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (lambda write: replace(write, method="DeleteTopic"), "DeleteTopic"),
        (lambda write: replace(write, mask=("labels",)), "labels"),
        (lambda write: replace(write, status="FAILED_PRECONDITION"), "a write that the organization's policy forbids"),
        (lambda write: replace(write, resource=f"{TOPIC}-of-somebody-else"), "nobody declared it"),
        (lambda write: with_policy(write, enforce_in_transit=True), "an empty list of regions"),
        (
            lambda write: with_policy(write, allowed_persistence_regions=["europe-west1"]),
            "in-transit enforcement is lost",
        ),
    ],
    ids=["another method", "another field", "refused", "not declared", "no region", "the flag is lost"],
)
def test_a_write_that_breaks_a_promise_is_noticed(story: Scenario, broken: Any, complaint: str) -> None:
    reconcile = story.steps[0]
    story.steps[0] = replace(reconcile, writes=tuple(broken(write) for write in reconcile.writes))

    with pytest.raises(AssertionError, match=complaint):
        check_writes(story)


def test_a_plan_that_comes_out_otherwise_is_noticed(story: Scenario) -> None:
    story.steps[1] = replace(story.steps[1], again="something else")

    with pytest.raises(AssertionError, match="hedgerow plan production"):
        check_plans(story)


def test_a_program_that_declares_something_else_is_noticed(story: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    def empty(*given: Any) -> list[DeclaredTopic]:
        return [replace(topic, storage_policy=None) for topic in declare(*given)]

    monkeypatch.setattr("tests.scenarios.promises.declare", empty)

    with pytest.raises(AssertionError, match="the program declares None, the reconciler wants"):
        check_declarations(story)


@pytest.mark.usefixtures("story")
def test_a_pack_that_finds_something_else_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_pack() == 1
    (STACK / "topics.yaml").write_text(SPECS.replace("europe-west1", "us-east1"), encoding="utf-8")
    assert check_pack() == 1

    def silent(*_: Any) -> tuple[()]:
        return ()

    monkeypatch.setattr("reconciler.pulumi.pack.judge.Judge.findings", silent)

    with pytest.raises(AssertionError, match=r"the pack finds set\(\), `check` finds \{'region-not-allowed'\}"):
        check_pack()
