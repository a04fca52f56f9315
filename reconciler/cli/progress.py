"""Progress of a run: a line for each wave, and on a terminal a bar."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from reconciler.cli.output import say
from reconciler.reconcile import Outcome, Wave
from reconciler.report import wave_text

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID


class Waves:
    """A line for each wave that has ended; with a bar, where one is given."""

    def __init__(self, bar: Bar | None = None, task: TaskID | None = None) -> None:
        self._bar = bar
        self._task = task

    def wave_began(self, number: int, number_of_waves: int, changes: int) -> None:
        """A wave begins."""
        del changes
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=f"wave {number} of {number_of_waves}")

    def change_ended(self, outcome: Outcome) -> None:
        """A change is done with."""
        del outcome
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task)

    def wave_ended(self, wave: Wave, number_of_waves: int) -> None:
        """A wave has ended."""
        say(wave_text(wave, number_of_waves))


@contextmanager
def watching(changes: int) -> Iterator[Waves]:
    """What shows the progress of so many changes: a bar only where somebody looks at a terminal."""
    if not changes or not sys.stderr.isatty():
        yield Waves()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        yield Waves(bar, bar.add_task("", total=changes))
