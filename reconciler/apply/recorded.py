"""Journals read back from where runs are kept."""

from __future__ import annotations

import json

from reconciler.apply.store import Store
from reconciler.errors import HedgerowError, InvalidInput, UsageError
from reconciler.reconcile import Recorded, recorded

LATEST = "latest"
"""What users call the last run."""


def read_run(store: Store, run: str) -> Recorded:
    """Reads the journal of a run.

    Raises:
        HedgerowError: when there is none, or it cannot be read.
    """
    records = store.read_log(run)
    if records is None:
        raise HedgerowError(f"there is no journal of {run} in {store.address}", hint="see `hedgerow runs list`")
    try:
        return recorded(run, [json.loads(record) for record in records])
    except (InvalidInput, KeyError, TypeError, ValueError) as error:
        raise HedgerowError(
            f"the journal of {run} in {store.address} cannot be understood: {type(error).__name__}: {error}"
        ) from error


def find_run(store: Store, name: str) -> str:
    """The id of the run that a user means: all of it, its end, or `latest`.

    Raises:
        UsageError: when none or several have it.
    """
    names = store.log_names()
    if name == LATEST and names:
        return names[-1]
    found = [run for run in names if run == name] or [run for run in names if run.endswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"`{name}` is the end of {len(found)} runs", hint=f"name one of: {', '.join(found[-5:])}")
    raise UsageError(f"there is no run `{name}` in {store.address}", hint="see `hedgerow runs list`")
