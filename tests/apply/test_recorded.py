from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from reconciler.apply import Store, find_run, read_history, read_run, write_history
from reconciler.errors import HedgerowError, UsageError
from reconciler.reconcile import History

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def begun(store: Store, *runs: str) -> Store:
    for run in runs:
        store.begin_log(run).append(b'{"event": "begin", "at": "t0", "stack": "production", "plan": {}, "changes": 0}')
    return store


def test_a_run_is_found_by_its_id_its_end_or_as_the_latest(store: Store) -> None:
    begun(store, "2026-11-30T02-00-00Z-7c1e", "2026-12-01T02-00-00Z-7c1e", "2026-12-02T02-00-00Z-a0b1")
    assert find_run(store, "2026-11-30T02-00-00Z-7c1e") == "2026-11-30T02-00-00Z-7c1e"
    assert find_run(store, "a0b1") == find_run(store, "latest") == "2026-12-02T02-00-00Z-a0b1"
    with pytest.raises(UsageError) as several:
        find_run(store, "7c1e")
    assert (several.value.message, several.value.hint) == (
        "`7c1e` is the end of 2 runs",
        "name one of: 2026-11-30T02-00-00Z-7c1e, 2026-12-01T02-00-00Z-7c1e",
    )


@pytest.mark.parametrize("name", ["nowhere", "latest"])
def test_where_there_is_no_run_none_is_found(store: Store, name: str) -> None:
    with pytest.raises(UsageError, match=f"there is no run `{name}` in "):
        find_run(store, name)


def test_a_journal_that_is_not_there_or_makes_no_sense_is_named(store: Store) -> None:
    with pytest.raises(HedgerowError, match=r"there is no journal of lost in \S+"):
        read_run(store, "lost")
    store.begin_log("odd").append(b'{"no": "event"}')
    with pytest.raises(HedgerowError, match=r"the journal of odd in \S+ cannot be understood: KeyError: 'event'"):
        read_run(store, "odd")
    assert read_run(begun(store, "good"), "good").stack == "production"


def test_what_runs_remember_survives(store: Store) -> None:
    assert read_history(store) == History()
    history = History().observed({"acme-orders-prod": "one"}, NOON).observed({"acme-orders-prod": "two"}, NOON)
    write_history(store, history)
    assert read_history(store) == history


@pytest.mark.parametrize("body", [b"{", json.dumps({"formatVersion": "9"}).encode()])
def test_what_cannot_be_understood_is_never_nothing(store: Store, body: bytes) -> None:
    store.write("policies.json", body)
    with pytest.raises(HedgerowError, match=r"/policies\.json cannot be used: "):
        read_history(store)
