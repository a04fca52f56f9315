"""Topic fields that are carried through: the API's own limits."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.spec.stacks import one_topic, problem, topics

NAME = "projects/acme-orders-prod/topics/orders"
TRANSFORM = {"javascriptUdf": {"functionName": "redact", "code": "function redact(m, d) { return m; }"}}
KINESIS = {"streamArn": "s", "consumerArn": "c", "awsRoleArn": "r", "gcpServiceAccount": "a@x"}


def entry(fields: dict[str, Any]) -> str:
    return yaml.safe_dump({"topics": [{"name": NAME, **fields}]}, sort_keys=False)


@pytest.mark.parametrize(
    "fields",
    [
        {"kmsKeyName": "projects/p/locations/global/keyRings/r/cryptoKeys/k"},
        {"schemaSettings": {"schema": "projects/acme-orders-prod/schemas/order", "encoding": "JSON"}},
        {"schemaSettings": {"schema": "projects/p/schemas/order", "firstRevisionId": "a", "lastRevisionId": "b"}},
        {"tags": {"123456789012/env": "prod"}},
        {"messageTransforms": [TRANSFORM, {"aiInference": {"endpoint": "e"}, "disabled": True}]},
        {"ingestionDataSourceSettings": {"awsKinesis": KINESIS, "platformLogsSettings": {"severity": "WARNING"}}},
        {"ingestionDataSourceSettings": {"cloudStorage": {"bucket": "b", "textFormat": {"delimiter": ";"}}}},
    ],
)
def test_what_the_api_takes_is_carried_through(tmp_path: Path, fields: dict[str, Any]) -> None:
    spec = topics(tmp_path, {"t.yaml": entry(fields)})["orders"]

    assert spec.fields == fields
    assert {key: origin.path for key, origin in spec.field_origins.items()} == {
        key: ("topics", 0, key) for key in fields
    }


def test_a_field_that_comes_from_defaults_was_written_there(tmp_path: Path) -> None:
    text = "defaults: {kmsKeyName: projects/p/locations/l/keyRings/r/cryptoKeys/k}\ntopics: [{name: " + NAME + "}]\n"
    spec = topics(tmp_path, {"t.yaml": text})["orders"]

    assert spec.field_origins["kmsKeyName"].path == ("defaults", "kmsKeyName")


def test_names_in_fields_may_hold_placeholders(tmp_path: Path) -> None:
    text = (
        "topics:\n  - forEach: {x: [order]}\n    name: projects/acme-orders-prod/topics/t-{x}\n"
        '    schemaSettings: {schema: "projects/p/schemas/{x}"}\n'
        '    ingestionDataSourceSettings: {cloudStorage: {bucket: "in-{x}", matchGlob: "{a,b}.txt"}}\n'
    )
    spec = topics(tmp_path, {"t.yaml": text})["t-order"]

    assert spec.fields["schemaSettings"] == {"schema": "projects/p/schemas/order"}
    assert spec.fields["ingestionDataSourceSettings"]["cloudStorage"] == {
        "bucket": "in-order",
        "matchGlob": "{a,b}.txt",
    }


def test_a_time_in_ingestion_settings_needs_no_quotes(tmp_path: Path) -> None:
    time = "minimumObjectCreateTime: 2026-01-01T00:00:00Z"
    spec = one_topic(tmp_path, f"{{name: {NAME}, ingestionDataSourceSettings: {{cloudStorage: {{{time}}}}}}}")

    assert spec.fields["ingestionDataSourceSettings"] == {
        "cloudStorage": {"minimumObjectCreateTime": "2026-01-01T00:00:00Z"}
    }


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"schemaSettings": {"encoding": "JSON"}},
            "s/t.yaml:3:3: error: `orders`: `schemaSettings` has no `schema`  [spec-missing-key]",
        ),
        (
            {"schemaSettings": {"schema": "order"}},
            (
                's/t.yaml:4:5: error: `orders`: `schema` is the text "order", not the name of a schema  [spec-value]\n'
                "  hint: write for example `projects/acme-orders-prod/schemas/order`"
            ),
        ),
        (
            {"schemaSettings": {"schema": "projects/p/schemas/_deleted-schema_"}},
            (
                "s/t.yaml:4:5: error: `orders`: `_deleted-schema_` is not a schema id  [topic-field]\n"
                "  hint: write 3 to 255 letters, digits and `-._~+%`, starting with a letter, but not with `goog`"
            ),
        ),
        (
            {"tags": {"env": "prod"}},
            (
                's/t.yaml:3:3: error: `orders`: `tags` is the text "env", not the namespaced key of a tag  [spec-value]\n'
                "  hint: write for example `123456789012/env`"
            ),
        ),
        (
            {"messageTransforms": [{"javascriptUdf": {"functionName": "f"}}]},
            "s/t.yaml:4:5: error: `orders`: `javascriptUdf` has no `code`  [spec-missing-key]",
        ),
        (
            {"messageTransforms": [{"disabled": True}]},
            (
                "s/t.yaml:4:5: error: `orders`: `messageTransforms[0]` transforms nothing  [topic-field]\n"
                "  hint: write one of `javascriptUdf`, `compression`, `aiInference`"
            ),
        ),
        (
            {"messageTransforms": [{"aiInference": {}, "compression": {}}]},
            (
                "s/t.yaml:4:5: error: `orders`: `messageTransforms[0]` has `compression`, `aiInference`, which exclude "
                "each other  [topic-field]\n  hint: keep one of them"
            ),
        ),
        (
            {"messageTransforms": [TRANSFORM, copy.deepcopy(TRANSFORM)]},
            (
                "s/t.yaml:7:5: error: `orders`: `messageTransforms[1]`: another transform has the function `redact` too  "
                "[topic-field]\n  first at s/t.yaml:4:5\n  hint: give each function a name of its own"
            ),
        ),
        (
            {"ingestionDataSourceSettings": {"awsKinesis": {**KINESIS, "state": "ACTIVE"}}},
            (
                "s/t.yaml:9:7: error: `orders`: unknown key `state` in `awsKinesis`  [spec-unknown-key]\n"
                "  hint: known here: `streamArn`, `consumerArn`, `awsRoleArn`, `gcpServiceAccount`"
            ),
        ),
        (
            {"ingestionDataSourceSettings": {"awsKinesis": KINESIS, "cloudStorage": {"bucket": "b"}}},
            (
                "s/t.yaml:9:5: error: `orders`: `ingestionDataSourceSettings` has `awsKinesis`, `cloudStorage`, which "
                "exclude each other  [topic-field]\n  hint: keep one of them"
            ),
        ),
        (
            {"ingestionDataSourceSettings": {"cloudStorage": {"bucket": "gs://b"}}},
            (
                's/t.yaml:5:7: error: `orders`: `bucket` is the text "gs://b", not the name of a bucket, without `gs://`  '
                "[spec-value]\n  hint: write for example `acme-orders-inbox`"
            ),
        ),
        (
            {"ingestionDataSourceSettings": {"cloudStorage": {"avroFormat": {}, "textFormat": {}}}},
            (
                "s/t.yaml:5:7: error: `orders`: `cloudStorage` has `textFormat`, `avroFormat`, which exclude each other  "
                "[topic-field]\n  hint: keep one of them"
            ),
        ),
    ],
)
def test_what_the_api_refuses_is_an_error(tmp_path: Path, fields: dict[str, Any], expected: str) -> None:
    assert problem(tmp_path, entry(fields)) == expected


def test_what_is_wrong_in_defaults_is_noted_once(tmp_path: Path) -> None:
    text = "defaults: {messageTransforms: [{disabled: true}], project: acme-orders-prod}\ntopics: [{name: one}, {name: two}]"

    assert problem(tmp_path, text).startswith("s/t.yaml:1:32: error: `messageTransforms[0]` transforms nothing  [")
