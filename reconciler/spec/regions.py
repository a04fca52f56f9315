"""Region lists as written: single regions, and what each other kind of word means instead."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from reconciler.model import REGION_SHAPE, ZONE_SHAPE, Origin
from reconciler.spec.catalogue import load_catalogue
from reconciler.spec.problems import Problems


def read_regions(values: Sequence[str], origin: Origin, lead: str, problems: Problems) -> tuple[str, ...]:
    """The regions of a list, in its order and each once; notes what is no region, and what is listed twice.

    Whether the catalogue knows a region is a rule's question (`region-unknown`), not one of form.
    """
    seen: set[str] = set()
    for index, value in enumerate(values):
        if not REGION_SHAPE.fullmatch(value):
            code, message, hint = _no_region(value)
            problems.error(code, origin.at(index), f"{lead}{message}", hint=hint)
        elif value in seen:
            message = f"{lead}region `{value}` is listed twice"
            problems.warning("regions-duplicate", origin.at(index), message, hint="keep one of them")
        seen.add(value)
    return tuple(dict.fromkeys(values))


def _no_region(value: str) -> tuple[str, str, str]:
    """The class of a word that is no region: its code, a message, and what to write instead."""
    if ZONE_SHAPE.fullmatch(value):
        region = value[:-2]
        return "region-zone", f"`{value}` is a zone, and Pub/Sub keeps messages in regions", f"write `{region}`"
    if value.startswith(("-", "!")):
        message = f"`{value}` is an exclusion; a storage policy lists what it allows"
        return "region-exclusion", message, "list the regions that remain"
    if value.startswith(("in:", "is:")) or value.endswith("-locations"):
        group = f"in:{value.removeprefix('is:').removeprefix('in:')}"
        if group.endswith("-locations") and not REGION_SHAPE.fullmatch(group[3:].removesuffix("-locations")):
            hint = f"declare `messageStoragePolicy: {{within: [{group}]}}`, or list its regions"
        else:
            hint = f"write `{group[3:].removesuffix('-locations')}`"
        return "region-group", f"`{value}` is a value of organization policies, not a region", hint
    known = load_catalogue()
    near = [] if value in known.multi_regions else _near(value)
    if near:
        return "region-malformed", f"`{value}` is not a region", f"did you mean {' or '.join(near)}?"
    if known.names_no_region(value):
        message = f"`{value}` is a multi-region, and Pub/Sub keeps messages in single regions"
        return "region-multi", message, "list the regions one by one"
    return "region-malformed", f"`{value}` is not a region", "write one such as `europe-west1`"


def _near(value: str) -> list[str]:
    """The known regions, in backticks, that a word may stand for: misspelled, in another case, or without a number."""
    known = load_catalogue()
    region = value.strip().lower().replace("_", "-")
    if region in known.regions:
        return [f"`{region}`"]
    near = known.similar_names(region) or [name for name in known.regions if name.rstrip("0123456789") == region]
    return [f"`{name}`" for name in near]


def read_groups(values: Sequence[str], origin: Origin, lead: str, problems: Problems) -> tuple[str, ...]:
    """The value groups of a `within` list, sorted and each once; notes what is no `in:` value.

    Whether a group is known is a rule's question (`group-unknown`).
    """
    for index, value in enumerate(values):
        if value.startswith("in:") and value.endswith("-locations"):
            continue
        bare = value.removeprefix("in:").removesuffix("-locations")
        group = f"in:{bare}-locations"
        groups = {f"in:{name}" for name in load_catalogue().groups}
        if group not in groups and not REGION_SHAPE.fullmatch(bare):
            group = next(iter(difflib.get_close_matches(value, sorted(groups), n=1)), "in:eu-locations")
        message = f"{lead}`{value}` is not a value group"
        problems.error("group-malformed", origin.at(index), message, hint=f"write for example `{group}`")
    return tuple(sorted(set(values)))
