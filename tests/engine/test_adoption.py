"""Topics that exist are taken over by the program or by a file: what changes is shown first, and nothing is created."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reconciler.model import StoragePolicy
from tests.engine.workshop import ALLOWED, PROJECT, Workshop, explicit, stored

pytestmark = [pytest.mark.engine, pytest.mark.network]


def there(
    workshop: Workshop,
    topic: str,
    policy: StoragePolicy | None = None,
    labels: dict[str, str] | None = None,
    **fields: Any,
) -> None:
    """Somebody has made a topic already."""
    workshop.world.put_topic(f"projects/{PROJECT}/topics/{topic}", policy, labels or {}, fields)


def turn_on(workshop: Workshop) -> None:
    workshop.pulumi("config", "set", "hedgerow:adopt", "true").succeeded()


def test_two_that_are_there_and_one_new_are_two_imports_and_one_creation(workshop: Workshop) -> None:
    there(workshop, "orders", stored(*ALLOWED))
    there(
        workshop, "payments", stored("europe-west1"), {"team": "old", "foreign": "x"}, messageRetentionDuration="86400s"
    )
    workshop.declare(
        {"name": "orders"},
        {"name": "payments", "labels": {"team": "payments"}, **explicit("europe-west1", "europe-west3")},
        {"name": "new"},
    )

    shown = workshop.hedgerow("pulumi", "adopt").succeeded()
    assert shown.out == (
        "production\n"
        f"  = projects/{PROJECT}/topics/orders  as declared\n"
        f"  = projects/{PROJECT}/topics/payments\n"
        "      ~ messageStoragePolicy: europe-west1 -> europe-west1, europe-west3\n"
        '      ~ labels: {"team": "old"} -> {"team": "payments"}\n'
        "      - messageRetentionDuration: 86400s would be taken away\n"
    )
    assert shown.err.splitlines()[2:] == [
        "3 declared topics in 1 Pulumi stack: 2 to take over, 1 would change",
        "next: pulumi config set hedgerow:adopt true --stack production",
        "then: hedgerow pulumi up production; leaving `hedgerow:adopt` on changes nothing",
    ]

    turn_on(workshop)
    workshop.writes()
    assert workshop.hedgerow("pulumi", "up").succeeded().summary == [
        "+ 3 created",
        "~ 2 updated",
        "= 2 imported",
        "7 changes",
    ]
    # Exactly what was shown, and of the other topic nothing.
    assert workshop.writes() == [
        "CreateTopic new",
        "UpdateTopic payments message_retention_duration message_storage_policy labels",
    ]
    assert workshop.hedgerow("pulumi", "adopt").succeeded().out == ""
    assert workshop.pulumi("preview", "--refresh", "--expect-no-changes").succeeded().summary == ["5 unchanged"]
    workshop.pulumi("config", "rm", "hedgerow:adopt").succeeded()
    assert workshop.pulumi("preview", "--refresh", "--expect-no-changes").succeeded().summary == ["5 unchanged"]


@pytest.mark.parametrize("labels", [{"a": "b"}, {"a": ""}, {}])
def test_after_taking_over_a_topic_its_labels_make_no_difference(workshop: Workshop, labels: dict[str, str]) -> None:
    there(workshop, "orders", stored(*ALLOWED), {**labels, "foreign": "x"})
    workshop.declare({"name": "orders", **({"labels": labels} if labels else {})})
    turn_on(workshop)
    workshop.hedgerow("pulumi", "up").succeeded()
    workshop.pulumi("refresh", "--yes").succeeded()

    workshop.pulumi("preview", "--refresh", "--expect-no-changes").succeeded()
    assert [dict(topic.labels) for _, topic in workshop.world.topic_store] == [{**labels, "foreign": "x"}]


def test_several_hundred_are_taken_over_at_once_under_the_component(workshop: Workshop) -> None:
    names = [f"topic-{index:03}" for index in range(300)]
    for name in names:
        there(workshop, name, stored(*ALLOWED))
    workshop.declare(*({"name": name} for name in [*names, "new"]))
    turn_on(workshop)
    workshop.writes()
    ended = workshop.hedgerow("pulumi", "up").succeeded()

    assert "preview: 3 to create, 300 to import, 300 to update, 0 unchanged" in ended.err
    assert "PULUMI_SKIP_CHECKPOINTS=true pulumi up" in ended.err
    assert workshop.writes() == ["CreateTopic new"]
    topics = [found for found in workshop.state().values() if found["type"] == "gcp:pubsub/topic:Topic"]
    assert {found["parent"].rpartition("::")[2] for found in topics} == {"fleet"}
    assert len(topics) == 301


def test_a_file_takes_them_over_without_the_program_and_changes_nothing(workshop: Workshop) -> None:
    there(workshop, "orders", stored(*ALLOWED))
    there(workshop, "returns", stored("europe-west1"))
    workshop.declare({"name": "orders"}, {"name": "returns"}, {"name": "new"})
    written = workshop.hedgerow("pulumi", "import-file", "-o", "import.json").succeeded()
    assert written.err.splitlines()[2:] == [
        "2 topics to import",
        "next: pulumi import --file import.json --stack production --generate-code=false --yes",
    ]
    workshop.writes()
    imports = ("import", "--stack", "production", "--generate-code=false", "--yes", "--file", "import.json")
    workshop.pulumi(*imports).succeeded()
    assert workshop.writes() == []

    workshop.hedgerow("pulumi", "up").succeeded()
    assert workshop.writes() == ["CreateTopic new"]
    assert workshop.pulumi("preview", "--refresh", "--expect-no-changes").succeeded().summary == ["5 unchanged"]

    there(workshop, "late", stored(*ALLOWED))
    workshop.declare({"name": "orders"}, {"name": "returns"}, {"name": "new"}, {"name": "late"})
    late = json.loads(workshop.hedgerow("pulumi", "import-file").succeeded().out)
    assert late["nameTable"] == {"fleet": "urn:pulumi:production::hedgerow::hedgerow:pubsub:TopicFleet::fleet"}
    workshop.write("import.json", json.dumps(late))
    workshop.pulumi(*imports).succeeded()
    workshop.hedgerow("pulumi", "up").succeeded()
    nothing = workshop.hedgerow("pulumi", "import-file").succeeded()
    assert (nothing.out, nothing.err.splitlines()[-1]) == (
        "",
        "`production` has every declared topic that is live already; there is nothing to import",
    )


def test_tags_on_a_topic_that_is_there_are_told_before_they_replace_it(workshop: Workshop) -> None:
    there(workshop, "orders", stored(*ALLOWED))
    workshop.declare({"name": "orders", "tags": {"123/env": "prod"}})

    assert workshop.hedgerow("pulumi", "adopt").succeeded().out.splitlines()[-1] == (
        '      ! tags: {"123/env": "prod"} would replace the topic; tag it by a tag binding instead'
    )
    turn_on(workshop)
    workshop.writes()
    ended = workshop.hedgerow("pulumi", "up")
    assert (ended.code, workshop.writes()) == (5, [])
    assert "`orders`: `tags` would replace the topic" in ended.err
