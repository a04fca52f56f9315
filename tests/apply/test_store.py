from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from time import sleep

import pytest

from reconciler.apply import Store, open_store
from reconciler.apply.folder import FolderStore
from reconciler.errors import HedgerowError
from tests.apply.buckets import BUCKET, bucket_server


def test_a_log_gives_back_its_records_in_order(store: Store) -> None:
    assert (store.read_log("one"), store.log_names()) == (None, [])
    log = store.begin_log("one")
    for number in range(12):
        log.append(b'{"record":%d}' % number)
    log.close()
    store.begin_log("another").append(b"{}")
    assert store.read_log("one") == [b'{"record":%d}' % number for number in range(12)]
    assert store.log_names() == ["another", "one"]


def test_a_log_takes_records_from_many_threads(store: Store) -> None:
    log = store.begin_log("one")
    records = [b'{"record":%03d}' % number for number in range(40)]
    with ThreadPoolExecutor(max_workers=8) as pool:
        list(pool.map(log.append, records))
    assert sorted(store.read_log("one") or []) == records


class Disk:
    """Stands for `os.fsync`: the first flush waits until told, and may fail."""

    def __init__(self, error: OSError | None = None) -> None:
        self.begun, self.may_end = Event(), Event()
        self.flushes = 0
        self._error = error

    def __call__(self, file: int) -> None:
        del file
        self.flushes += 1
        self.begun.set()
        self.may_end.wait(10)
        if self._error is not None:
            raise self._error


def test_records_added_during_a_flush_share_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = FolderStore(str(tmp_path), "production")
    log, disk = store.begin_log("one"), Disk()
    monkeypatch.setattr(os, "fsync", disk)
    with ThreadPoolExecutor(max_workers=6) as pool:
        first = pool.submit(log.append, b"first")
        disk.begun.wait(10)
        others = [pool.submit(log.append, b"other") for _ in range(5)]
        while len(log._waiting) < 5:
            sleep(0.001)
        assert not any(other.done() for other in others)
        disk.may_end.set()
        for record in (first, *others):
            record.result()
    assert disk.flushes == 2
    assert store.read_log("one") == [b"first", *[b"other"] * 5]


def test_no_record_counts_that_waited_for_a_flush_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, disk = FolderStore(str(tmp_path), "production").begin_log("one"), Disk(OSError(5, "Input/output error"))
    monkeypatch.setattr(os, "fsync", disk)
    with ThreadPoolExecutor(max_workers=3) as pool:
        records = [pool.submit(log.append, b"{}")]
        disk.begun.wait(10)
        records += [pool.submit(log.append, b"{}") for _ in range(2)]
        disk.may_end.set()
    assert [str(record.exception()).splitlines()[0] for record in records] == [
        f"error: the journal {tmp_path}/production/one.jsonl cannot be written: Input/output error"
    ] * 3
    assert disk.flushes == 1


def test_a_file_is_written_whole_and_may_be_replaced(store: Store) -> None:
    assert store.read("policies.json") is None
    store.write("policies.json", b"a longer first version")
    store.write("policies.json", b"second")
    assert store.read("policies.json") == b"second"
    assert store.log_names() == []


def test_two_logs_of_one_name_never_mix(store: Store) -> None:
    store.begin_log("one").append(b"first")
    with pytest.raises(HedgerowError, match=r"^error: the journal \S+ cannot be written: .*[Ee]xists"):
        store.begin_log("one").append(b"second")
    assert store.read_log("one") == [b"first"]


def test_half_a_line_at_the_end_of_a_file_is_left_out(tmp_path: Path) -> None:
    store = FolderStore(str(tmp_path), "production")
    store.begin_log("one").append(b"{}")
    with (tmp_path / "production/one.jsonl").open("ab") as file:
        file.write(b'{"event": "int')
    assert store.read_log("one") == [b"{}"]


FULL = """
import resource, signal, sys
from reconciler.apply import open_store
from reconciler.errors import HedgerowError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
log = open_store(sys.argv[1], "production").begin_log("one")
for length in (60, 60, 1):
    try:
        log.append(b"x" * length)
        print("ok")
    except HedgerowError as error:
        print(error.message.replace(sys.argv[1], "FOLDER"))
"""


def test_a_log_that_met_a_full_disk_takes_no_further_record(tmp_path: Path) -> None:
    """A size limit on files fails in the middle of a write, as a full disk does."""
    told = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    failed = "the journal FOLDER/production/one.jsonl cannot be written: only 39 of 61 bytes were written"
    assert told.stdout.splitlines() == ["ok", failed, failed]
    assert open_store(str(tmp_path), "production").read_log("one") == [b"x" * 60]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    store = open_store(str(tmp_path / "runs"), "production")
    with pytest.raises(HedgerowError, match=r"runs/production/one\.jsonl cannot be written: Not a directory"):
        store.begin_log("one")
    with pytest.raises(HedgerowError, match=r"runs/production/policies\.json cannot be written: Not a directory"):
        store.write("policies.json", b"{}")
    with pytest.raises(HedgerowError, match=r"runs/production/policies\.json cannot be read: Not a directory"):
        store.read("policies.json")
    with pytest.raises(HedgerowError, match=r"the lease .*runs/production\.lease cannot be taken: "):
        store.take_lease(b"{}", lambda _: True)


def test_a_bucket_that_fails_is_named_and_its_log_takes_no_further_record() -> None:
    with bucket_server() as (objects, endpoint):
        store = open_store(f"gs://{BUCKET}/runs", "production", endpoint=endpoint)
        log = store.begin_log("one")
        log.append(b"{}")
        objects.refuses = True
        place = f"gs://{BUCKET}/runs/production"
        with pytest.raises(HedgerowError, match=f"^error: the journal {place}/one/ cannot be written: ") as refused:
            log.append(b"{}")
        assert refused.value.hint == (
            "nothing is written to the cloud without one; see that the caller may create objects there"
        )
        objects.refuses = False
        with pytest.raises(
            HedgerowError, match=f"^error: the journal {place}/one/ cannot be written: an earlier record"
        ):
            log.append(b"{}")
        objects.refuses = True
        with pytest.raises(HedgerowError, match=f"^error: {place}/x cannot be read: "):
            store.read("x")
        with pytest.raises(HedgerowError, match=f"^error: {place}/x cannot be written: "):
            store.write("x", b"")
        with pytest.raises(HedgerowError, match=rf"^error: the lease {place}\.lease cannot be taken: "):
            store.take_lease(b"{}", lambda _: True)


def test_an_answer_that_was_lost_is_no_failure() -> None:
    with bucket_server() as (objects, endpoint):
        store = open_store(f"gs://{BUCKET}/runs", "production", endpoint=endpoint)
        log = store.begin_log("one")
        objects.lose = 1
        log.append(b"first")
        objects.lose = 1
        holding = store.take_lease(b"a", lambda _: False)
        objects.lose = 1
        assert holding.renew(b"b")
        assert holding.renew(b"c")
        assert store.read_log("one") == [b"first"]


def test_an_address_that_is_no_bucket_is_refused() -> None:
    with pytest.raises(HedgerowError, match=r"^error: gs:// cannot be opened: "):
        open_store("gs://", "production")
