"""Carrying out a plan: executor, journal, lease; and the places where runs and generated files are kept.

The only room that writes to the cloud: topics through the `Topics` protocol, files through `Files`.

May import `reconcile` and below. Called by `cli`.
"""

from reconciler.apply.executor import Execution, Progress, RunBroke, execute
from reconciler.apply.files import Files, open_files
from reconciler.apply.found import Found
from reconciler.apply.journal import Journal, utc_now
from reconciler.apply.lease import Lease, lease
from reconciler.apply.pace import Pace, waves
from reconciler.apply.recorded import find_run, read_run
from reconciler.apply.remembered import read_history, write_history
from reconciler.apply.store import Store, open_store
from reconciler.apply.trouble import Trouble, trouble
from reconciler.apply.worker import Topics

__all__ = [
    "Execution",
    "Files",
    "Found",
    "Journal",
    "Lease",
    "Pace",
    "Progress",
    "RunBroke",
    "Store",
    "Topics",
    "Trouble",
    "execute",
    "find_run",
    "lease",
    "open_files",
    "open_store",
    "read_history",
    "read_run",
    "trouble",
    "utc_now",
    "waves",
    "write_history",
]
