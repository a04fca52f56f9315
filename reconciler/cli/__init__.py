"""The command line: one file for each command. The only room that prints, reads the environment or exits.

May import everything. `main` is the `hedgerow` command.
"""

from reconciler.cli.main import main

__all__ = ["main"]
