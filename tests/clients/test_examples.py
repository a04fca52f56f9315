"""The services in `examples/` publish hedged messages with the files that are rendered for them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reconciler.hedging import render
from reconciler.model import Publisher
from reconciler.sandbox import Fault, Sandbox
from tests.clients.conftest import built
from tests.clients.services import ORDERS, PAYMENTS, checkout
from tests.clients.test_behaviour import EARLY_BY, LATE_BY, STRAGGLES, hedges
from tests.clients.toolchains import SERVICES
from tests.hedging.builders import fleet

pytestmark = [pytest.mark.clients, pytest.mark.network]

ENOUGH = 20
"""Successes after which a message can be hedged: the profile refills a twentieth of a token."""

Ended = subprocess.CompletedProcess[str]
Start = Callable[[str, str, int], Ended]


def declared(kind: str) -> Publisher:
    """The service of the loaders' own tests, as the example's spec has it."""
    return replace(checkout("java"), adapter="spring") if kind == "spring" else checkout(kind)


def rendered(kind: str, folder: Path) -> Path:
    """Its files in a folder, written by nobody's hand; returns the one that it loads."""
    files = render(fleet(declared(kind)))
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder / [*files][-1]


def publish(kind: str, file: Path, topic: str, orders: int, sandbox: Sandbox) -> Ended:
    """Starts a service as its README says, with the sandbox for Google Cloud, and sends it orders."""
    program = built(SERVICES[kind]).program("checkout")
    if kind == "spring":
        arguments = [f"--checkout.topic={topic}"]
        variables = {
            "SPRING_PROFILES_ACTIVE": "checkout",
            "SPRING_CONFIG_ADDITIONAL_LOCATION": f"{file.parent}/",
            "SPRING_CLOUD_GCP_PUBSUB_EMULATOR_HOST": sandbox.grpc_address,
        }
    else:
        arguments = [str(file), topic]
        variables = {"PUBSUB_EMULATOR_HOST": sandbox.grpc_address}
    return subprocess.run(
        [*program, *arguments],
        input="".join(f"order {number}\n" for number in range(orders)),
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


@pytest.mark.parametrize("kind", SERVICES)
def test_a_service_hedges_a_straggler_after_the_delay_of_its_file(kind: str, tmp_path: Path, calm: Sandbox) -> None:
    calm.faults.add(Fault(method="Publish", after=ENOUGH, times=1, latency=STRAGGLES))
    ended = publish(kind, rendered(kind, tmp_path), ORDERS, ENOUGH + 1, calm)
    assert (ended.returncode, len(ended.stdout.splitlines())) == (0, ENOUGH + 1), ended.stderr
    (hedge,) = hedges(calm)
    assert hedge.number == 1
    assert 0.2 - EARLY_BY <= hedge.after <= 0.2 + LATE_BY


def test_spring_knows_a_topic_by_its_id_too(tmp_path: Path, calm: Sandbox) -> None:
    calm.faults.add(Fault(method="Publish", after=ENOUGH, times=1, latency=STRAGGLES))
    ended = publish("spring", rendered("spring", tmp_path), "orders", ENOUGH + 1, calm)
    assert (ended.returncode, [hedge.number for hedge in hedges(calm)]) == (0, [1]), ended.stderr


def test_spring_takes_each_topics_own_settings(tmp_path: Path, calm: Sandbox) -> None:
    """`payments` is ordered in the same file: it is not hedged, and a message without a key is taken."""
    calm.faults.add(Fault(method="Publish", after=ENOUGH, times=1, latency=STRAGGLES))
    ended = publish("spring", rendered("spring", tmp_path), PAYMENTS, ENOUGH + 1, calm)
    assert (ended.returncode, len(ended.stdout.splitlines()), hedges(calm)) == (0, ENOUGH + 1, []), ended.stderr


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('format-version: "1"', 'format-version: "2"', "hedgerow.publisher.format-version is `2`, not `1`"),
        ("max-tokens: 100", "max-tokens: 100\n          max-hedges: 3", "max-hedges"),
        (
            "topics/orders]",
            "topics/other]",
            "service `checkout` has no configuration for `projects/acme-orders-prod/topics/orders`",
        ),
        ("refill-ratio: 0.05", "refill-ratio: 0.5", "refillRatio must be greater than or equal to 0.001"),
    ],
    ids=["format", "unknown-key", "other-topic", "edited-by-hand"],
)
def test_spring_refuses_a_file_that_it_does_not_know(
    old: str, new: str, told: str, tmp_path: Path, calm: Sandbox
) -> None:
    file = rendered("spring", tmp_path)
    edited = file.read_text("utf-8").replace(old, new)
    assert edited != file.read_text("utf-8")
    file.write_text(edited, encoding="utf-8")
    ended = publish("spring", file, ORDERS, 1, calm)
    assert ended.returncode != 0
    assert told in ended.stdout + ended.stderr
    assert calm.log.requests == ()


@pytest.mark.parametrize("kind", ["go", "rust"])
def test_a_service_refuses_a_file_for_another_language(kind: str, tmp_path: Path, calm: Sandbox) -> None:
    other = "rust" if kind == "go" else "go"
    ended = publish(kind, rendered(other, tmp_path), ORDERS, 1, calm)
    assert ended.returncode != 0
    assert f'"{other}"' in ended.stderr.replace("`", '"')
    assert calm.log.requests == ()
