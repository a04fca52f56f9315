"""`python -m reconciler.cli`, the same as the `hedgerow` command."""

from reconciler.cli.main import main

main()
