"""The life of a fleet, from the plain command line."""

from __future__ import annotations

import pytest

from tests.engine.workshop import Workshop

pytestmark = [pytest.mark.engine, pytest.mark.network]


def test_from_nothing_to_a_fleet_and_no_further(workshop: Workshop) -> None:
    workshop.declare({"name": "orders"})
    workshop.pulumi("up", "--yes").succeeded()
    assert workshop.writes() == [("CreateTopic", "orders", None)]
