from __future__ import annotations

import pytest

from reconciler.sandbox import World
from reconciler.sandbox.paging import page
from reconciler.sandbox.publisher import list_topics
from tests.sandbox.builders import DIRECT, PROJECT, raw, refusal

NAMES = [f"t{number:04}" for number in range(2500)]


@pytest.fixture
def many(world: World) -> World:
    for name in reversed(NAMES):
        world.put_topic(f"{PROJECT}/topics/{name}", None)
    world.put_topic("projects/acme-lab/topics/elsewhere", None)
    return world


def pages(world: World, size: int) -> list[list[str]]:
    found: list[list[str]] = []
    token = ""
    while token or not found:
        answer = list_topics(world, raw("ListTopicsRequest", project=PROJECT, page_size=size, page_token=token), DIRECT)
        found.append([topic.name.rpartition("/")[2] for topic in answer.topics])
        token = answer.next_page_token
    return found


@pytest.mark.parametrize(("asked", "given"), [(0, 100), (7, 7), (1000, 1000), (5000, 1000)])
def test_pages_hold_what_was_asked_for_up_to_a_thousand(many: World, asked: int, given: int) -> None:
    found = pages(many, asked)
    assert [len(names) for names in found[:2]] == [given, given]
    assert [name for names in found for name in names] == NAMES


def test_last_full_page_has_no_successor() -> None:
    assert page(["a", "b"], 2, "") == (["a", "b"], "")


def test_deleting_between_pages_skips_nothing_else(many: World) -> None:
    request = raw("ListTopicsRequest", project=PROJECT, page_size=10)
    token = list_topics(many, request, DIRECT).next_page_token
    many.delete_topic(f"{PROJECT}/topics/t0009")
    following = list_topics(many, raw("ListTopicsRequest", project=PROJECT, page_size=1, page_token=token), DIRECT)
    assert [topic.name for topic in following.topics] == [f"{PROJECT}/topics/t0010"]


@pytest.mark.parametrize("token", ["zzz", "t0009", "dDAwMDk="])
def test_token_that_was_not_handed_out_is_refused(many: World, token: str) -> None:
    request = raw("ListTopicsRequest", project=PROJECT, page_token=token)
    assert refusal(lambda: list_topics(many, request, DIRECT)) == ("INVALID_ARGUMENT", "The page token is invalid.")


def test_negative_page_size_is_refused(many: World) -> None:
    request = raw("ListTopicsRequest", project=PROJECT, page_size=-1)
    assert refusal(lambda: list_topics(many, request, DIRECT)) == (
        "INVALID_ARGUMENT",
        "The page size must not be negative.",
    )


def test_project_without_topics_has_an_empty_page(world: World) -> None:
    answer = list_topics(world, raw("ListTopicsRequest", project="projects/acme-lab"), DIRECT)
    assert (list(answer.topics), answer.next_page_token) == ([], "")
