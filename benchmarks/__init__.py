"""Programs that measure hedgerow against a plain counterpart in the same run; see README.md.

Each benchmark is a module with a `measure()` that returns its comparisons. May import anything of `reconciler`; only
`make bench` runs them, and nothing ever fails because of a time.
"""
