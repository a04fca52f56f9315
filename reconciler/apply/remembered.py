"""What runs remember, kept beside their journals."""

from __future__ import annotations

import json

from reconciler.apply.store import Store
from reconciler.errors import HedgerowError
from reconciler.reconcile import History

NAME = "policies.json"


def read_history(store: Store) -> History:
    """What the runs of a stack remember; nothing, before the first.

    Raises:
        HedgerowError: when it cannot be read or understood. That is never "nothing is remembered".
    """
    body = store.read(NAME)
    if body is None:
        return History()
    try:
        return History.from_json(json.loads(body))
    except ValueError as error:
        raise HedgerowError(
            f"{store.address}/{NAME} cannot be used: {error}",
            hint="restore it; or remove it, and every policy counts as settled until it changes again",
        ) from error


def write_history(store: Store, history: History) -> None:
    """Keeps what is remembered for the next run. Called only under the lease."""
    store.write(NAME, json.dumps(history.to_json(), indent=2).encode() + b"\n")
