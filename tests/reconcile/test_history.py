from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from reconciler.model import TopicName
from reconciler.reconcile import History
from reconciler.reconcile.history import Former, Repair, Tenure

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
ORDERS = TopicName("acme-orders-prod", "orders")


def test_a_policy_that_was_always_there_has_no_beginning() -> None:
    seen = History().observed({"acme-orders-prod": "one"}, NOON)
    assert seen.projects == {"acme-orders-prod": Tenure(fingerprint="one")}
    assert seen.observed({"acme-orders-prod": "one"}, NOON + HOUR) == seen


def test_a_changed_policy_begins_when_a_run_first_sees_it_and_the_former_is_kept() -> None:
    seen = History().observed({"acme-orders-prod": "one"}, NOON).observed({"acme-orders-prod": "two"}, NOON + HOUR)
    assert seen.projects["acme-orders-prod"] == Tenure(
        fingerprint="two", since=NOON + HOUR, former=(Former(fingerprint="one", until=NOON + HOUR),)
    )


def test_a_policy_that_a_wrong_clock_saw_in_the_future_begins_now() -> None:
    seen = History().observed({"acme-lab": "one"}, NOON).observed({"acme-lab": "two"}, NOON + 24 * HOUR)
    right = seen.observed({"acme-lab": "two"}, NOON + HOUR)
    assert right.projects["acme-lab"] == Tenure(
        fingerprint="two", since=NOON + HOUR, former=(Former(fingerprint="one", until=NOON + 24 * HOUR),)
    )
    assert right.observed({"acme-lab": "two"}, NOON + 2 * HOUR) == right


def test_a_policy_that_could_not_be_read_changes_nothing() -> None:
    seen = History().observed({"acme-orders-prod": "one"}, NOON)
    assert seen.observed({"acme-orders-prod": None, "acme-lab": None}, NOON + HOUR) == seen


def test_only_a_policy_that_was_there_before_a_moment_counts_as_back() -> None:
    tenure = Tenure(fingerprint="one", since=NOON, former=(Former(fingerprint="one", until=NOON - HOUR),))
    assert tenure.held_before(NOON - HOUR)
    assert not tenure.held_before(NOON - 2 * HOUR)
    assert not Tenure(fingerprint="two", former=tenure.former).held_before(NOON)


def test_what_is_older_than_a_month_is_forgotten() -> None:
    old = History().observed({"acme-orders-prod": "one"}, NOON).observed({"acme-orders-prod": "two"}, NOON)
    old = old.repaired([ORDERS], NOON)
    later = NOON + timedelta(days=30)
    assert old.observed({"acme-orders-prod": "three"}, later).projects["acme-orders-prod"].former == (
        Former(fingerprint="two", until=later),
    )
    assert old.repaired([], later).repairs == {}


def test_a_repair_remembers_the_policy_it_was_made_under() -> None:
    seen = History().observed({"acme-orders-prod": "one"}, NOON).repaired([ORDERS, TopicName("x", "y")], NOON)
    assert seen.repairs == {ORDERS: Repair(at=NOON, fingerprint="one")}


def test_a_history_survives_its_json() -> None:
    seen = History().observed({"acme-orders-prod": "one", "acme-lab": "one"}, NOON)
    seen = seen.observed({"acme-orders-prod": "two"}, NOON + HOUR).repaired([ORDERS], NOON + HOUR)
    assert seen.to_json() == {
        "formatVersion": "1",
        "projects": {
            "acme-lab": {"fingerprint": "one", "since": None, "former": []},
            "acme-orders-prod": {
                "fingerprint": "two",
                "since": "2026-11-30T13:00:00Z",
                "former": [{"fingerprint": "one", "until": "2026-11-30T13:00:00Z"}],
            },
        },
        "repairs": {
            "projects/acme-orders-prod/topics/orders": {"at": "2026-11-30T13:00:00Z", "fingerprint": "two"},
        },
    }
    assert History.from_json(seen.to_json()) == seen


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "not a history of policies: KeyError: 'formatVersion'"),
        ({"formatVersion": "2"}, "format version '2', not '1'"),
        ([], "not a history of policies: TypeError: list indices must be integers or slices, not str"),
        (
            {"formatVersion": "1", "projects": {}, "repairs": {str(ORDERS): {"at": "2026-11-30T13:00:00"}}},
            "`2026-11-30T13:00:00` has no time zone",
        ),
    ],
)
def test_what_is_no_history_is_refused(body: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$".replace("[", r"\[")):
        History.from_json(body)
