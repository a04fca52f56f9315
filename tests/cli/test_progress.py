from __future__ import annotations

import io
import sys

import pytest

from reconciler.cli.progress import watching
from reconciler.reconcile import Outcome, Status, Wave
from tests.apply.test_executor import AFTER, change


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


MADE = Outcome(change=change("a"), status=Status.MADE, found=AFTER)
WAVE = Wave(number=1, outcomes=(MADE,), seconds=0.25)
LINE = "wave 1 of 2   1 change       ok                   0.2 s\n"


def shown(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, changes: int = 1) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with watching(changes) as progress:
        progress.wave_began(1, 2, changes)
        progress.change_ended(MADE)
        progress.wave_ended(WAVE, 2)
    return stream.getvalue()


def test_a_terminal_sees_a_bar_that_goes_away_and_the_lines_of_the_waves(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = shown(Terminal(), monkeypatch)
    assert "wave 1 of 2 \x1b" in seen
    assert LINE.rstrip() in seen
    assert seen.endswith("\x1b[2K")


def test_elsewhere_there_are_only_the_lines_of_the_waves(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(io.StringIO(), monkeypatch) == LINE


def test_there_is_no_bar_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(Terminal(), monkeypatch, changes=0) == LINE
