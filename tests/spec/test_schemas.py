from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings

from reconciler.errors import InvalidInput
from reconciler.spec import SCHEMAS, InvalidSpecs, load_fleet, load_snapshot, schema, schema_text
from tests.spec.stacks import STACK, write


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_valid(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(name))
    assert json.loads(schema_text(name)) == schema(name)


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_mapping_with_known_keys_is_closed(name: str) -> None:
    opened = [
        part for part in parts(schema(name)) if "properties" in part and part.get("additionalProperties") is not False
    ]

    assert opened == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_pattern_says_in_words_what_it_wants(name: str) -> None:
    wordless = [part for part in parts(schema(name)) if "pattern" in part and "title" not in part]

    assert [part["pattern"] for part in wordless] == ["^[A-Za-z_][A-Za-z0-9_]*$"] * (name == "fleet")


def test_resolutions_are_the_same_everywhere() -> None:
    of_stack = schema("stack")["properties"]["reconcile"]["properties"]["resolutions"]

    assert of_stack == schema("fleet")["$defs"]["resolutions"]


def test_defaults_take_what_entries_take() -> None:
    definitions = schema("fleet")["$defs"]
    entries = {**definitions["topic"]["properties"], **definitions["publisher"]["properties"]}
    own = {"name", "forEach", "service", "topics"}

    assert set(definitions["defaults"]["properties"]) == set(entries) - own


def parts(value: Any) -> Iterator[dict[str, Any]]:
    """Every mapping in a schema."""
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from parts(item)
    elif isinstance(value, list):
        for item in value:
            yield from parts(item)


WORDS = ("name", "project", "topics", "labels", "forEach", "messageStoragePolicy", "within", "hedging", "publishers")

values = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.floats() | st.sampled_from(("", "x", "{a}", "inherit", "1s")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3),
    max_leaves=8,
)
files = st.fixed_dictionaries(
    {},
    optional={
        "defaults": values,
        "topics": st.lists(
            st.fixed_dictionaries(
                {"name": st.sampled_from(("orders", "e-{a}", "projects/acme-orders-prod/topics/orders"))},
                optional={
                    "project": st.just("acme-orders-prod") | values,
                    "forEach": st.just({"a": ["x", "y"]}) | values,
                    "messageStoragePolicy": st.just({"allowedPersistenceRegions": ["us-east1"]}) | values,
                    "labels": values,
                },
            ),
            max_size=2,
        ),
        "hedgingProfiles": values,
        "publishers": values,
        "resources": values,
    },
)


@given(files)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_file_holds_is_a_stack_or_a_list_of_problems(tmp_path: Path, body: dict[str, Any]) -> None:
    text = json.dumps(body).replace("NaN", ".nan").replace("Infinity", ".inf")
    folder = write(tmp_path, {"stack.yaml": STACK, "t.yaml": text, "organization.yml": text})
    with contextlib.suppress(InvalidSpecs):
        assert load_fleet(folder).fleet.fingerprint
    with pytest.raises(InvalidInput):
        load_snapshot(folder / "organization.yml")
