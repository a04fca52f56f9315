"""Hedgerow: Pub/Sub topics inside the regions an organization allows, publishers on settings their clients accept.

The rooms, lowest first; each imports only from those before it (held by import-linter, see `pyproject.toml`):

- `errors`: user errors, positions, exit codes
- `model`: values: regions, storage policies, topics, fleets, publishers
- `orgpolicy`: what the organization allows one project
- `spec`, `hedging`: files to model; what client libraries accept and how a configuration file looks
- `rules`, `reconcile`: findings; desired state, drift, resolutions, plans
- `gcp`, `preview`: the Google Cloud clients; what Pulumi previews say
- `apply`, `report`, `pulumi`, `sandbox`: executing a plan, printing, declaring, and a local Google Cloud
- `cli`: the command line
"""

__version__ = "0.1.0"
