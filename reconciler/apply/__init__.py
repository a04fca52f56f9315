"""Carrying out a plan: executor, journal, lease. The only room that writes to the cloud, through the `Topics` protocol.

May import `reconcile` and below. Called by `cli`.
"""

from reconciler.apply.executor import Execution, Progress, Topics, execute
from reconciler.apply.journal import Journal, utc_now
from reconciler.apply.lease import lease
from reconciler.apply.pace import Pace, waves

__all__ = ["Execution", "Journal", "Pace", "Progress", "Topics", "execute", "lease", "utc_now", "waves"]
