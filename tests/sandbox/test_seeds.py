from __future__ import annotations

from pathlib import Path

import pytest

from reconciler.errors import InvalidInput
from reconciler.model import StoragePolicy, TopicName
from reconciler.sandbox import Fault, SeedTopic, World, load_faults, load_topics
from tests.sandbox.builders import TOPIC, storage

TOPICS = f"""
topics:
  - name: {TOPIC}
    messageStoragePolicy:
      allowedPersistenceRegions: [us-east1]
      enforceInTransit: true
    labels: {{team: orders}}
    messageRetentionDuration: 600s
  - name: {TOPIC}-empty
    messageStoragePolicy: {{}}
  - name: {TOPIC}-none
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "seeds.yaml"
    path.write_text(text)
    return path


def test_topics_are_read_as_gcloud_prints_them(tmp_path: Path) -> None:
    assert load_topics(written(tmp_path, TOPICS)) == (
        SeedTopic(
            name=TopicName("acme-orders", "orders"),
            policy=storage("us-east1", in_transit=True),
            labels={"team": "orders"},
            fields={"messageRetentionDuration": "600s"},
        ),
        SeedTopic(name=TopicName("acme-orders", "orders-empty"), policy=StoragePolicy(regions=storage().regions)),
        SeedTopic(name=TopicName("acme-orders", "orders-none"), policy=None),
    )


def test_faults_are_read_with_their_fields(tmp_path: Path) -> None:
    text = "faults: [{method: Publish, latency: [[0.9, 0.01], [0.1, 0.5]], seed: 4}, {error: ABORTED, times: 1}]"
    assert load_faults(written(tmp_path, text)) == (
        Fault(method="Publish", latency=((0.9, 0.01), (0.1, 0.5)), seed=4),
        Fault(error="ABORTED", times=1),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a", "error: `topics` is not a list of mappings\n  hint: write `topics: [...]` at the top"),
        (
            "topics: [{name: orders}]",
            "error: `orders` is not a topic name\n  hint: write `projects/PROJECT/topics/TOPIC`",
        ),
        (
            f"topics: [{{name: {TOPIC}, labels: 3}}]",
            f"error: `{TOPIC}`: `messageStoragePolicy` and `labels` are mappings",
        ),
    ],
)
def test_file_that_is_not_of_the_form_is_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InvalidInput) as caught:
        load_topics(path)
    assert str(caught.value) == f"{path}: {message}"


def test_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        load_topics(tmp_path / "none.yaml")
    assert str(caught.value) == f"{tmp_path / 'none.yaml'}: error: the file cannot be read: No such file or directory"


def test_put_topic_refuses_fields_that_topics_do_not_have(world: World) -> None:
    with pytest.raises(InvalidInput, match='has no field named "retention"'):
        world.put_topic(TOPIC, None, fields={"retention": "600s"})
    assert world.topics() == []


def test_put_topic_makes_its_project_outside_the_organization(world: World) -> None:
    world.put_topic("projects/acme-old/topics/legacy", storage("us-east1"))
    assert world.projects == ("acme-lab", "acme-old", "acme-orders")
    assert world.organization.effective(world.project("acme-old")).allowed.is_all


def test_file_that_is_not_yaml_is_refused_by_name(tmp_path: Path) -> None:
    path = written(tmp_path, "topics: [")
    with pytest.raises(InvalidInput) as caught:
        load_topics(path)
    assert str(caught.value).startswith(f"{path}: error: the file is not YAML: ")
