from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from reconciler.apply import Execution
from reconciler.cli import applying
from reconciler.cli.main import run
from reconciler.model import Resolution
from tests.cli.conftest import Ended
from tests.nights.night import Night, night_of
from tests.nights.nursery import Nursery

NightOf = Callable[[Resolution], Night]


@pytest.fixture
def night(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[NightOf]:
    """Makes a night. What a run waits for passes on the sandbox's clock, and takes no time."""

    def hedgerow(*arguments: str) -> Ended:
        capsys.readouterr()
        code = run(arguments)
        return Ended(int(code), *capsys.readouterr())

    with ExitStack() as stack:

        def make(resolution: Resolution) -> Night:
            made = stack.enter_context(night_of(tmp_path, resolution, hedgerow))
            clock = made.world.clock

            def sleep(seconds: float) -> None:
                clock.advance(timedelta(seconds=max(0.0, seconds)))

            monkeypatch.setattr(applying, "Execution", partial(Execution, clock=clock.seconds, sleep=sleep))
            monkeypatch.chdir(tmp_path)
            for name, value in made.environment.items():
                monkeypatch.setenv(name, value)
            return made

        yield make


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    with Nursery() as nursery:
        yield nursery
