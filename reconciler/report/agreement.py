"""Pulumi's drift beside hedgerow's, as text and as a JSON document."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from reconciler.errors import ExitCode
from reconciler.preview import Difference
from reconciler.report.diagnostics import counted
from reconciler.report.results import result_word

Found = Mapping[str, Sequence[Difference]]
"""What differs, by Pulumi stack."""

_SHOWN = 6


def agreement_text(found: Found, *, verbose: bool = False) -> str:
    """One line for each difference, what live and desired are below it where they are values, and notes last."""
    lines: list[str] = []
    for name, differences in found.items():
        if not differences:
            continue
        lines.append(name)
        cells = [
            (
                "." if not one.counts else "~",
                str(one.topic),
                one.property or "the topic",
                str(one.kind),
                f"pulumi: {one.pulumi}",
                f"hedgerow: {one.hedgerow}",
            )
            for one in differences
        ]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for one, row in zip(differences, cells, strict=True):
            lines.append("  " + "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
            if one.property:
                is_open = one.property == "messageStoragePolicy" and one.live is None
                live = "any region: there is no storage policy" if is_open else _shown(one.live, verbose=verbose)
                lines += [
                    f"      remembered: {_shown(one.remembered, verbose=verbose)}",
                    f"      live:       {live}",
                    f"      desired:    {_shown(one.desired, verbose=verbose)}",
                ]
            lines += [f"      {one.note}"] * (one.note is not None)
    if lines:
        lines += ["", "~ to be done or drifted   . worth knowing"]
    return "".join(f"{line}\n" for line in lines)


def agreement_document(stack: str, found: Found, looked_at: int, code: ExitCode) -> dict[str, Any]:
    """The same as JSON values, nothing cut."""
    return {
        "formatVersion": "1",
        "stack": stack,
        "result": result_word(code),
        "exitCode": int(code),
        "lookedAt": looked_at,
        "differences": [
            {
                "topic": str(one.topic),
                "pulumiStack": name,
                "property": one.property or None,
                "kind": str(one.kind),
                "remembered": one.remembered,
                "live": one.live,
                "desired": one.desired,
                "pulumi": one.pulumi,
                "hedgerow": one.hedgerow,
                "drift": one.counts,
                "note": one.note,
            }
            for name, differences in found.items()
            for one in differences
        ],
    }


def agreement_summary(found: Found, looked_at: int) -> list[str]:
    """How many topics were looked at, and how many differences of each kind there are."""
    everything = [one for differences in found.values() for one in differences]
    kinds = Counter(str(one.kind) for one in everything if one.counts)
    aside = len(everything) - kinds.total()
    stacks = counted(len(found), "Pulumi stack")
    told = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items())) or "no drift"
    lines = [f"looked at {counted(looked_at, 'topic')} in {stacks}, live, remembered and desired: {told}"]
    if aside:
        lines.append(f"{counted(aside, 'further difference')} worth knowing, and no drift")
    if any(one.hedgerow not in ("nothing", "report") and one.pulumi == "nothing" for one in everything if one.counts):
        lines.append("what only hedgerow repairs: hedgerow plan shows it, hedgerow reconcile does it")
    return lines


def _shown(value: Any, *, verbose: bool) -> str:
    match value:
        case None:
            return "-"
        case {"allowedPersistenceRegions": regions, "enforceInTransit": flag}:
            names = [f"all but {', '.join(regions['allBut']) or 'none'}"] if isinstance(regions, dict) else regions
            if not verbose and len(names) > _SHOWN + 1:
                names = [*names[:_SHOWN], f"{len(names) - _SHOWN} more"]
            return (", ".join(names) or "no region") + (", enforced in transit" if flag else "")
        case _:
            return json.dumps(value, ensure_ascii=False, sort_keys=True)
