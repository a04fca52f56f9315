"""Where generated files go: every promise holds in a folder and in a bucket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from reconciler.apply import Files, Found, open_files
from reconciler.apply.bucket_files import BucketFiles
from reconciler.errors import HedgerowError
from tests.apply.buckets import BUCKET, Objects, bucket_server


@pytest.fixture(params=["folder", "memory", "bucket"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Files]:
    if request.param == "folder":
        yield open_files(str(tmp_path / "dist" / "publishers"))
    elif request.param == "memory":
        from obstore.store import MemoryStore

        yield BucketFiles(MemoryStore(), "memory://publishers")
    else:
        with bucket_server() as (_, endpoint):
            yield open_files(f"gs://{BUCKET}/publishers", endpoint=endpoint)


@pytest.fixture
def bucket() -> Iterator[tuple[Objects, Files]]:
    with bucket_server() as (objects, endpoint):
        yield objects, open_files(f"gs://{BUCKET}/publishers/", endpoint=endpoint)


def test_nothing_is_there_before_the_first_file(files: Files) -> None:
    assert files.names() == []
    assert files.read(["checkout.json"]) == {}


def test_what_was_written_is_found(files: Files) -> None:
    assert files.replace("checkout.json", b"one", None)
    assert files.replace("billing.json", b"two", None)
    files.settle()
    assert sorted(files.names()) == ["billing.json", "checkout.json"]
    assert files.read(["checkout.json", "other.json"]) == {"checkout.json": Found(content=b"one")}


def test_a_file_is_replaced_only_while_it_is_what_was_seen(files: Files) -> None:
    files.replace("checkout.json", b"one", None)
    seen = files.read(["checkout.json"])["checkout.json"]
    assert files.replace("checkout.json", b"two", seen)
    assert not files.replace("checkout.json", b"three", seen)
    assert not files.replace("checkout.json", b"three", None)
    assert files.read(["checkout.json"]) == {"checkout.json": Found(content=b"two")}


def test_a_file_that_is_gone_is_not_made_again(files: Files) -> None:
    files.replace("checkout.json", b"one", None)
    seen = files.read(["checkout.json"])["checkout.json"]
    assert files.remove("checkout.json", seen)
    assert not files.replace("checkout.json", b"two", seen)
    assert files.names() == []


def test_a_file_is_removed_only_while_it_is_what_was_seen(files: Files) -> None:
    files.replace("checkout.json", b"one", None)
    seen = files.read(["checkout.json"])["checkout.json"]
    files.replace("checkout.json", b"two", seen)
    assert not files.remove("checkout.json", seen)
    assert files.names() == ["checkout.json"]


def test_places_are_told_in_full(tmp_path: Path, bucket: tuple[Objects, Files]) -> None:
    folder = open_files(str(tmp_path))
    assert (folder.address, folder.place("a.json")) == (str(tmp_path), f"{tmp_path}/a.json")
    address = f"gs://{BUCKET}/publishers"
    assert (bucket[1].address, bucket[1].place("a.json")) == (address, f"{address}/a.json")


def test_objects_below_further_slashes_are_none_of_the_files(bucket: tuple[Objects, Files]) -> None:
    objects, files = bucket
    files.replace("checkout.json", b"one", None)
    objects.stored["publishers/staging/checkout.json"] = (b"other", 7)
    objects.stored["runs/checkout.json"] = (b"other", 8)
    assert files.names() == ["checkout.json"]


def test_a_lost_answer_is_no_other_writer(bucket: tuple[Objects, Files]) -> None:
    objects, files = bucket
    objects.lose = 1
    assert files.replace("checkout.json", b"one", None)
    seen = files.read(["checkout.json"])["checkout.json"]
    objects.lose = 1
    assert files.replace("checkout.json", b"two", seen)
    assert objects.stored["publishers/checkout.json"][0] == b"two"


def test_a_bucket_that_denies_is_told(bucket: tuple[Objects, Files]) -> None:
    objects, files = bucket
    files.replace("checkout.json", b"one", None)
    seen = files.read(["checkout.json"])["checkout.json"]
    objects.refuses = True
    address = f"gs://{BUCKET}/publishers"
    with pytest.raises(HedgerowError, match=f"^error: {address} cannot be listed: "):
        files.names()
    with pytest.raises(HedgerowError, match=f"^error: `{address}/checkout.json` cannot be read: "):
        files.read(["checkout.json"])
    with pytest.raises(HedgerowError, match=f"^error: `{address}/checkout.json` cannot be written: "):
        files.replace("checkout.json", b"two", seen)
    with pytest.raises(HedgerowError, match=f"^error: `{address}/checkout.json` cannot be read: "):
        files.remove("checkout.json", seen)
