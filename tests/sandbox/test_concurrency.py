from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from google.protobuf.field_mask_pb2 import FieldMask

from reconciler.sandbox import ApiError, Call, World
from reconciler.sandbox.gateway import Gateway
from tests.sandbox.builders import FOLDER, LOCATIONS, PROJECT, TOPIC, allow_only, method, raw, storage, topic

THREADS = 16


def test_only_one_of_many_creations_of_one_topic_succeeds(world: World) -> None:
    gateway = Gateway(world)

    def create(_: int) -> str:
        try:
            gateway.answer(method("CreateTopic"), topic(), Call())
        except ApiError as error:
            return error.code.name
        return "OK"

    with ThreadPoolExecutor(THREADS) as pool:
        outcomes = list(pool.map(create, range(64)))
    assert sorted(outcomes) == ["ALREADY_EXISTS"] * 63 + ["OK"]
    assert [entry.number for entry in gateway.log.requests] == list(range(1, 65))


def test_updates_of_different_fields_do_not_undo_each_other(world: World) -> None:
    world.put_topic(TOPIC, storage("us-east1"))
    gateway = Gateway(world)

    def update(number: int) -> None:
        if number % 2:
            changed = topic(labels={"n": str(number)})
            path = "labels"
        else:
            changed = topic(message_retention_duration={"seconds": 600 + number})
            path = "message_retention_duration"
        request = raw("UpdateTopicRequest", topic=changed, update_mask=FieldMask(paths=[path]))
        gateway.answer(method("UpdateTopic"), request, Call())

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(update, range(400)))
    final = gateway.answer(method("GetTopic"), raw("GetTopicRequest", topic=TOPIC), Call())
    assert final.labels["n"]
    assert final.message_retention_duration.seconds >= 600
    assert list(final.message_storage_policy.allowed_persistence_regions) == ["us-east1"]


def test_topics_made_while_the_policy_flips_follow_one_of_the_two(world: World) -> None:
    allow_only(world, "us-east1")
    gateway = Gateway(world)

    def work(number: int) -> None:
        if number % 10 == 0:
            region = "us-east1" if number % 20 else "us-west1"
            rules = [{"values": {"allowedValues": [region]}}]
            world.set_policy({"name": f"{FOLDER}/policies/{LOCATIONS}", "spec": {"rules": rules}})
        else:
            gateway.answer(method("CreateTopic"), topic(f"{PROJECT}/topics/t{number:03}"), Call())

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(300)))
    assert len(world.topics()) == 270
    assert {found.policy for found in world.topics()} <= {storage("us-east1"), storage("us-west1")}
