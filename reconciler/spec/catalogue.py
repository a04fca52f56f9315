"""The built-in catalogue of regions and value groups, read from the package's data."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import yaml_rs

from reconciler.model import RegionSet
from reconciler.orgpolicy import Catalogue, RegionBounds


@cache
def load_catalogue() -> Catalogue:
    """The catalogue that this version of hedgerow ships (`data/locations.yaml`)."""
    text = files("reconciler.spec").joinpath("data/locations.yaml").read_text("utf-8")
    body = yaml_rs.loads(text, parse_datetime=False)  # a quoted date would become a `date` too
    assert isinstance(body, dict)  # noqa: S101 - our own file
    groups = {}
    for name, bounds in body["valueGroups"].items():
        certain = RegionSet.from_names(bounds.get("certain", ()))
        groups[name] = RegionBounds(certain, certain | RegionSet.from_names(bounds.get("possible", ())))
    return Catalogue(
        as_of=body["asOf"],
        regions=RegionSet.from_names(region["id"] for region in body["regions"]),
        groups=groups,
        multi_regions=frozenset(body["multiRegions"]),
        coordinates={region["id"]: tuple(region["at"]) for region in body["regions"] if "at" in region},
    )
