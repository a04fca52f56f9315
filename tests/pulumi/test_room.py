"""What the room offers is loaded when it is asked for."""

from __future__ import annotations

import pytest

import reconciler.pulumi


def test_everything_that_the_room_names_is_there() -> None:
    found = {name: getattr(reconciler.pulumi, name) for name in reconciler.pulumi.__all__}

    assert {name: one.__name__ for name, one in found.items()} == {name: name for name in reconciler.pulumi.__all__}


def test_what_it_does_not_name_is_not() -> None:
    with pytest.raises(AttributeError, match=r"^module `reconciler\.pulumi` has no attribute `nothing`$"):
        _ = reconciler.pulumi.nothing
