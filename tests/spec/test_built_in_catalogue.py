"""The catalogue that ships with the package."""

from __future__ import annotations

from datetime import date

from reconciler.spec.catalogue import load_catalogue


def test_its_date_is_text_so_that_it_can_stand_in_documents() -> None:
    as_of = load_catalogue().as_of
    assert date.fromisoformat(as_of).isoformat() == as_of
