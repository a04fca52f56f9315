"""Files to model: reading, schemas, positions, and everything that can be wrong with a file.

`load_fleet` reads a stack's folder and `load_snapshot` a policy snapshot; both report every problem at once, with its
place. May import `reconciler.orgpolicy` and below, and is the only room that reads YAML. Called by the edges (`cli`,
`pulumi`, `sandbox`) to load, and to give findings their lines (`locate`).
"""

from reconciler.spec.catalogue import load_catalogue
from reconciler.spec.exemptions import parse_exemptions
from reconciler.spec.fleet import Loaded, load_fleet
from reconciler.spec.policy_file import load_policies
from reconciler.spec.positions import locate
from reconciler.spec.problems import InvalidSpecs, Problem, Problems, ProblemSeverity
from reconciler.spec.regions import read_regions
from reconciler.spec.schema import SCHEMAS, schema, schema_text
from reconciler.spec.snapshot import load_snapshot, parse_snapshot
from reconciler.spec.snapshot_file import renewed_snapshot, snapshot_text

__all__ = [
    "SCHEMAS",
    "InvalidSpecs",
    "Loaded",
    "Problem",
    "ProblemSeverity",
    "Problems",
    "load_catalogue",
    "load_fleet",
    "load_policies",
    "load_snapshot",
    "locate",
    "parse_exemptions",
    "parse_snapshot",
    "read_regions",
    "renewed_snapshot",
    "schema",
    "schema_text",
    "snapshot_text",
]
