"""The soak, in short. `python -m tests.nights.soak --minutes 30` is the long one."""

from __future__ import annotations

from pathlib import Path

from tests.nights.crowd import staged
from tests.nights.soak import soak


def test_a_short_soak_ends_converged_with_no_forbidden_write(tmp_path: Path) -> None:
    with staged(tmp_path, seed=7, settle="200ms") as stage:
        assert soak(stage, seconds=8, settle=0.2) == []
    assert stage.counts["runs killed"] > 0
    assert stage.counts["hand edits"] > 0
    assert any(sent.carried_out for sent in stage.warden.sent)
