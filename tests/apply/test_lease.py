from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reconciler.apply import Store, lease, open_store
from reconciler.apply.lease import LIFETIME, SKEW, Grant
from reconciler.errors import Busy, HedgerowError
from tests.apply.buckets import BUCKET, bucket_server

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOST, PROCESS = socket.gethostname(), os.getpid()


def at(moment: datetime) -> Callable[[], datetime]:
    return lambda: moment


def test_a_second_run_on_a_stack_ends_at_once_and_names_the_first(store: Store) -> None:
    with lease(store, "production", "first", clock=at(NOON)) as held:
        assert held.obstacle() is None
        began = time.monotonic()
        with pytest.raises(Busy) as refused, lease(store, "production", "second", clock=at(NOON)):
            pytest.fail("two runs hold one lease")
        assert time.monotonic() - began < 1
        assert str(refused.value) == (
            f"error: another run works on the stack `production`: run first, process {PROCESS} on {HOST}, until "
            f"12:10:00 UTC\n  hint: wait until it has ended; it holds {store.lease_address}"
        )
    with lease(store, "production", "third", clock=at(NOON)):
        pass


def test_of_runs_that_begin_together_exactly_one_works(store: Store) -> None:
    together, told = threading.Barrier(6), []

    def begin(run: str) -> None:
        together.wait()
        try:
            with lease(store, "production", run):
                told.append("works")
                done.wait(10)
        except Busy:
            told.append("busy")
            if told.count("busy") == 5:
                done.set()

    done = threading.Event()
    runs = [threading.Thread(target=begin, args=(f"run {number}",)) for number in range(6)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert sorted(told) == ["busy"] * 5 + ["works"]


def test_a_bucket_lease_that_nobody_renews_is_taken_over_once_it_is_surely_over(store: Store) -> None:
    if store.locks_end_with_process:
        pytest.skip("in a folder, the lock ends with its process")
    store.take_lease(Grant(run="crashed", host=HOST, process=1, until=NOON).to_bytes(), lambda _: False)
    with pytest.raises(Busy), lease(store, "production", "early", clock=at(NOON + SKEW - timedelta(seconds=1))):
        pytest.fail("a lease was taken that may still be held")
    with lease(store, "production", "late", clock=at(NOON + SKEW)) as held:
        assert held.obstacle() is None


def test_a_run_whose_lease_was_taken_over_may_not_write(store: Store) -> None:
    with lease(store, "production", "slow", lifetime=timedelta(seconds=3), clock=at(NOON)) as held:
        take_over(store, NOON + timedelta(hours=1))
        wait_for(lambda: held.obstacle() is not None)
        assert held.obstacle() == f"the lease {store.lease_address} was taken over by another run"


def take_over(store: Store, until: datetime) -> None:
    """Puts another's grant into the lease's place, as a machine would that holds this one for dead."""
    if store.locks_end_with_process:
        Path(store.lease_address).unlink()
    store.take_lease(Grant(run="other", host="elsewhere", process=1, until=until).to_bytes(), lambda _: True)


def test_a_lease_that_cannot_be_renewed_in_time_stops_the_run() -> None:
    with bucket_server() as (objects, endpoint):
        store = open_store(f"gs://{BUCKET}/runs", "production", endpoint=endpoint)
        with lease(store, "production", "cut off", lifetime=timedelta(seconds=0.5)) as held:
            writes = objects.writes
            wait_for(lambda: objects.writes > writes + 1)
            assert held.obstacle() is None
            objects.refuses = True
            wait_for(lambda: held.obstacle() is not None)
            assert held.obstacle() == f"the lease gs://{BUCKET}/runs/production.lease could not be renewed in time"
            objects.refuses = False


def test_a_lease_lasts_by_a_clock_that_nobody_sets(store: Store) -> None:
    steady = [0.0]
    wall = [NOON]
    with lease(store, "production", "run", clock=lambda: wall[0], steady=lambda: steady[0]) as held:
        wall[0] += timedelta(days=1)
        assert held.obstacle() is None
        steady[0] = LIFETIME.total_seconds() - 1
        assert held.obstacle() is None
        steady[0] += 1
        assert held.obstacle() == f"the lease {store.lease_address} could not be renewed in time"


HOLDER = """
import sys
from reconciler.apply import lease, open_store
with lease(open_store(sys.argv[1], "production"), "production", "first"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_lock_of_a_killed_process_is_free_at_once(tmp_path: Path) -> None:
    store = open_store(str(tmp_path), "production")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Busy, match=f"run first, process {holder.pid} on {HOST}"), lease(store, "production", "2"):
            pytest.fail("two runs hold one lease")
        with lease(open_store(str(tmp_path), "staging"), "staging", "3"):
            pass
        holder.kill()
        holder.wait()
        with lease(store, "production", "second", clock=at(NOON)) as held:
            assert held.obstacle() is None
            left = Grant.from_bytes((tmp_path / "production.lease").read_bytes())
            assert left == Grant(run="second", host=HOST, process=PROCESS, until=NOON + LIFETIME)
    assert (tmp_path / "production.lease").read_bytes() == b""


def test_a_folder_that_machines_share_without_locks_is_judged_by_the_record(tmp_path: Path) -> None:
    store = open_store(str(tmp_path), "production")
    record = Grant(run="first", host="elsewhere", process=1, until=NOON).to_bytes()
    (tmp_path / "production.lease").write_bytes(record)
    with (
        pytest.raises(Busy, match="run first, process 1 on elsewhere"),
        lease(store, "production", "2", clock=at(NOON)),
    ):
        pytest.fail("two runs hold one lease")
    with lease(store, "production", "second", clock=at(NOON + SKEW)):
        pass


@pytest.mark.parametrize("record", [b'{"run": "fir', b"[]", b"{}", b"null"])
def test_half_a_record_in_a_folder_is_that_of_a_dead_process(tmp_path: Path, record: bytes) -> None:
    (tmp_path / "production.lease").write_bytes(record)
    with lease(open_store(str(tmp_path), "production"), "production", "second") as held:
        assert held.obstacle() is None


def test_a_lease_that_cannot_be_given_back_ends_by_itself() -> None:
    with bucket_server() as (objects, endpoint):
        store = open_store(f"gs://{BUCKET}/runs", "production", endpoint=endpoint)
        with lease(store, "production", "run"):
            objects.refuses = True
        with pytest.raises(HedgerowError, match="cannot be taken"), lease(store, "production", "next"):
            pytest.fail("the bucket refuses everything")


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
