"""Programs of one's own that declare a `TopicFleet`: those that docs/topic-fleet.md shows."""

from __future__ import annotations

import re

import pytest

from tests.engine.workshop import ALLOWED, REPOSITORY, Workshop, stored

pytestmark = [pytest.mark.engine, pytest.mark.network]

MAIN = "infrastructure/__main__.py"
FLEET, ALREADY_DECLARED = re.findall(
    rf"^```python {MAIN}\n(.*?)^```$", (REPOSITORY / "docs" / "topic-fleet.md").read_text("utf-8"), re.S | re.M
)
TOPIC = "urn:pulumi:production::hedgerow::hedgerow:pubsub:TopicFleet$gcp:pubsub/topic:Topic::acme-orders-prod/"
BEFORE = """
import pulumi_gcp as gcp

gcp.pubsub.Topic("orders", name="orders", project="acme-orders-prod")
"""
UP = ("up", "--yes", "--skip-preview")


@pytest.fixture
def own(workshop: Workshop) -> Workshop:
    """A workshop whose program is its own."""
    workshop.write("Pulumi.yaml", "{name: hedgerow, runtime: python, main: infrastructure/}")
    return workshop


def test_a_fleet_is_declared_with_plain_values_and_can_be_renamed(own: Workshop) -> None:
    own.write(MAIN, FLEET)
    assert own.pulumi(*UP).succeeded().summary == ["+ 4 created"]
    assert own.live() == {"orders": stored(*ALLOWED), "payments": stored("europe-west4", in_transit=True)}
    made = own.state()
    topics = [found for name, found in made.items() if name.startswith("acme-orders-prod/")]
    assert sorted(topic["urn"] for topic in topics) == [f"{TOPIC}orders", f"{TOPIC}payments"]
    assert {topic["parent"] for topic in topics} == {made["fleet"]["urn"]}
    own.writes()

    own.write(MAIN, FLEET.replace('"fleet"', '"topics"'))
    renamed = own.pulumi(*UP).succeeded()
    assert renamed.summary == ["+ 1 created", "- 1 deleted", "2 changes. 3 unchanged"]  # the component
    assert own.writes() == []
    assert own.pulumi("preview", "--refresh", "--expect-no-changes").succeeded().summary == ["4 unchanged"]


def test_topics_that_the_program_declared_without_a_fleet_are_taken_into_one(own: Workshop) -> None:
    own.write(MAIN, BEFORE)
    own.pulumi(*UP).succeeded()
    own.writes()
    own.write(MAIN, ALREADY_DECLARED)
    assert own.pulumi(*UP).succeeded().summary == ["+ 1 created", "~ 1 updated", "2 changes. 1 unchanged"]
    assert own.writes() == []  # what is updated is the deletion policy, which is Pulumi's alone
    own.write(MAIN, ALREADY_DECLARED.replace("pulumi.ResourceOptions(transforms=[as_before])", "None"))
    assert own.pulumi("preview", "--expect-no-changes").succeeded().summary == ["3 unchanged"]
