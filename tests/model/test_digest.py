from __future__ import annotations

import hashlib
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.model import Inherit, RegionSet, TopicName, Unmanaged, canonical_json, digest

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(json_values)
def test_the_digest_of_a_json_value_is_that_of_its_canonical_json(value: Any) -> None:
    assert digest(value) == f"sha256:{hashlib.sha256(canonical_json(value)).hexdigest()}"


def test_values_of_two_types_never_look_alike() -> None:
    assert digest(Inherit()) != digest(Unmanaged())
    assert digest(RegionSet.of("us-east1")) != digest(~RegionSet.of("us-east1"))


def test_what_json_does_not_have_counts_as_text() -> None:
    assert digest(math.nan) == digest("nan")
    assert digest([TopicName("acme-lab", "orders")]) == digest(["projects/acme-lab/topics/orders"])
    with pytest.raises(TypeError, match="set has no canonical form"):
        digest({1, 2})
