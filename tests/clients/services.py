"""The service that the loaders' own tests, their READMEs and examples are about, once for each language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reconciler.hedging import render
from reconciler.model import Batching, FlowControl, Publisher, RetrySettings
from tests.hedging.builders import fleet, ms, profile, published, publisher, seconds

CLIENTS = Path(__file__).parents[2] / "clients"
EXAMPLES = CLIENTS.parent / "examples"
LANGUAGES = ("go", "java", "rust")
ORDERS = "projects/acme-orders-prod/topics/orders"
PAYMENTS = "projects/acme-orders-prod/topics/payments"


def checkout(language: str) -> Publisher:
    """One hedged topic, one ordered topic; only Java has timeouts per attempt, Rust no flow control."""
    retry = RetrySettings(initial_rpc_timeout=seconds(10)) if language == "java" else RetrySettings()
    limits = FlowControl(max_outstanding_messages=1000, max_outstanding_bytes=10 * 2**20)
    ordered: dict[str, Any] = {} if language == "rust" else {"flow_control": limits}
    return publisher(
        published("orders", profile(), retry=retry, batching=Batching(max_messages=50, max_latency=ms(5))),
        published("payments", message_ordering=True, endpoint="europe-west1", **ordered),
        language=language,
    )


def document(service: Publisher) -> bytes:
    """The file of one service."""
    (content,) = render(fleet(service)).values()
    return content
