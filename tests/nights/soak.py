"""A long night: random faults, policy changes, Pulumi, people and concurrent runs, all at once; ends converged.

    python -m tests.nights.soak --minutes 30 --seed 1

Two stacks share an organization. `careful` may not widen; `eager` may, and has every resolution. Runs are processes;
some are killed. The warden judges each of their writes, and at the end the journals are held against what arrived.
The seed fixes what is drawn, not how threads interleave.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from reconciler.sandbox import ApiError
from tests.nights.crowd import EUROPE, PROJECTS, Soak, staged
from tests.nights.ledger import discrepancies, made_while_in_doubt
from tests.nights.places import LOCATIONS, ORGANIZATION, allowing


def soak(stage: Soak, seconds: float, settle: float) -> list[str]:
    """Lets everybody at it for so long, and says what was wrong; nothing, if all was as it should be."""
    comers = [
        threading.Thread(target=_comes_and_goes, args=(stage, act, pause, number), name=act.__name__)
        for number, (act, pause) in enumerate(
            [
                (stage.weather, 1.5),
                (stage.administrator, 4 * settle),
                (stage.pulumi, 3.0),
                (stage.hands, 0.3),
                *(((_runs(stage, stack, number)), 0.2) for stack in PROJECTS for number in range(2)),
            ]
        )
    ]
    for comer in comers:
        comer.start()
    time.sleep(seconds)
    stage.ended.set()
    for comer in comers:
        comer.join()
    _calm(stage)
    left = _unsettled(stage, settle)
    return [*stage.wrong, *stage.warden.forbidden, *left, *discrepancies(stage.warden, stage.killed)]


def _runs(stage: Soak, stack: str, number: int) -> Callable[[random.Random], None]:
    def runs(chance: random.Random) -> None:
        stage.nights(chance, stack, number)

    return runs


def _comes_and_goes(stage: Soak, act: Callable[[random.Random], None], pause: float, number: int) -> None:
    chance = random.Random(f"{stage.seed} {number}")  # noqa: S311 - repeatable, not secret
    while not stage.ended.wait(chance.expovariate(1 / pause)):
        try:
            act(chance)
        except Exception as error:  # noqa: BLE001, RUF100 - told at the end, not lost with the thread
            stage.blame(f"{threading.current_thread().name}: {type(error).__name__}: {error}")


def _calm(stage: Soak) -> None:
    stage.box.faults.clear()
    for project in sum(PROJECTS.values(), ()):
        for service in ("pubsub", "orgpolicy"):
            stage.world.allow(project, service)
    # One policy for all, which allows only a part of what some topics declare.
    stage.world.set_policy(allowing(*EUROPE[:3], on=ORGANIZATION))
    for project in sum(PROJECTS.values(), ()):
        try:
            stage.world.delete_policy(f"projects/{project}", LOCATIONS.rpartition("/")[2])
        except ApiError:
            continue


def _unsettled(stage: Soak, settle: float) -> list[str]:
    """What the stacks still want to change after runs in calm weather."""
    found = []
    # A policy that came back has to stand for 24 times `settle`. Then a topic whose regions and flag have both drifted
    # takes two runs: what is not allowed is taken away first.
    for pause in (0.0, 25 * settle, 0.0):
        time.sleep(pause)
        for stack in PROJECTS:
            process = stage.run(f"{stack}-last.out", "reconcile", stack, "--force", timeout="30")
            if process.wait(120) not in (0, 3):
                found.append(f"{stack}: the last run ended with {process.status}: {process.err}")
    for stack in PROJECTS:
        process = stage.run(f"{stack}-plan.out", "plan", stack, "--format", "json", timeout="30")
        process.wait(120)
        plan = json.loads(process.err[process.err.index("\n{") : process.err.rindex("\n}") + 2])
        held = [one for one in plan["held"] if one["hold"]["code"] != "widening"]
        found += [f"{stack}: not converged: {change}" for change in [*plan["changes"], *held]]
    return found


def report(stage: Soak, seconds: float) -> dict[str, object]:
    """What happened, as counts."""
    sent = stage.warden.sent
    return {
        "seed": stage.seed,
        "minutes": round(seconds / 60, 1),
        **dict(sorted(stage.counts.items())),
        "writes of runs": len(sent),
        "of them carried out": sum(one.carried_out for one in sent),
        "of them late, after they were told to have failed": len(stage.warden.late),
        "told to be made while somebody else made just that": len(made_while_in_doubt(stage.warden)),
        "forbidden writes": len(stage.warden.forbidden),
    }


def main() -> int:
    """Runs a soak from the command line; prints its counts; 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description="Soak `hedgerow reconcile` in bad weather.")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="copy the journals here, if anything was wrong")
    arguments = parser.parse_args()
    settle = 1.0
    with tempfile.TemporaryDirectory() as folder, staged(Path(folder), arguments.seed, f"{settle:g}s") as stage:
        wrong = soak(stage, 60 * arguments.minutes, settle)
        told = report(stage, 60 * arguments.minutes)
        if wrong and arguments.keep:
            shutil.copytree(Path(folder) / "runs", arguments.keep)
    sys.stdout.write(json.dumps(told, indent=2) + "\n" + "".join(f"wrong: {what}\n" for what in wrong))
    sys.stdout.write("converged, and nothing forbidden was written\n" if not wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
