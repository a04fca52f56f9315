"""The catalogue that ships with the package."""

from __future__ import annotations

from datetime import date

from reconciler.model import distance
from reconciler.spec.catalogue import load_catalogue


def test_its_date_is_text_so_that_it_can_stand_in_documents() -> None:
    as_of = load_catalogue().as_of
    assert date.fromisoformat(as_of).isoformat() == as_of


def test_where_a_region_is_is_known_of_all_but_three() -> None:
    known = load_catalogue().coordinates
    assert set(load_catalogue().regions) - set(known) == {"europe-west15", "us-central2", "us-east7"}
    assert all(-90 <= latitude <= 90 and -180 <= longitude <= 180 for latitude, longitude in known.values())


def test_neighbours_are_near_and_antipodes_are_far() -> None:
    known = load_catalogue().coordinates
    lengths = {
        pair: distance(*pair, known) or 0 for pair in (("europe-west8", "europe-west12"), ("us-east1", "asia-south1"))
    }
    assert {pair: round(length, -2) for pair, length in lengths.items()} == {
        ("europe-west8", "europe-west12"): 100,
        ("us-east1", "asia-south1"): 13500,
    }
