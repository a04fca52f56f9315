from __future__ import annotations

import pytest

from reconciler.errors import NotEvaluated
from reconciler.reconcile import Unavailable, all_available


def test_what_could_be_read_is_returned_where_all_of_it_could() -> None:
    assert all_available({"acme-a": (1, 2), "acme-b": ()}) == {"acme-a": (1, 2), "acme-b": ()}


def test_every_reason_is_told_and_every_way_out_once() -> None:
    denied, silent = Unavailable(reason="denied", hint="grant it"), Unavailable(reason="no answer")
    with pytest.raises(NotEvaluated) as told:
        all_available({"acme-a": (), "acme-b": denied, "acme-c": silent, "acme-d": denied})
    assert told.value.message == "`acme-b`: denied; `acme-c`: no answer; `acme-d`: denied"
    assert told.value.hint == "grant it"


def test_there_may_be_no_way_out() -> None:
    with pytest.raises(NotEvaluated) as told:
        all_available({"acme-a": Unavailable(reason="no answer")})
    assert told.value.hint is None
