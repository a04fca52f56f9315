from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from reconciler.apply import Store, open_store
from reconciler.apply.bucket import BucketStore
from tests.apply.buckets import BUCKET, bucket_server


@pytest.fixture(params=["folder", "memory", "bucket"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Every kind of place where runs are kept: each test that takes it runs on all of them."""
    if request.param == "folder":
        yield open_store(str(tmp_path / "runs"), "production")
    elif request.param == "memory":
        from obstore.store import MemoryStore

        yield BucketStore(MemoryStore(), "memory://runs", "production")
    else:
        with bucket_server() as (_, endpoint):
            yield open_store(f"gs://{BUCKET}/runs", "production", endpoint=endpoint)
