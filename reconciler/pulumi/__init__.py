"""Declaring a fleet of topics with Pulumi: what is declared, the component that declares it, the program, the pack.

The only importer of `pulumi`, `pulumi_gcp` and `pulumi_policy`; besides them it may import `reconcile`, `rules` and
everything below. Called by `stacks/__main__.py`, by programs of one's own that want a `TopicFleet`, and by
`policies/pack/__main__.py`. It decides nothing: what a topic's storage policy should be comes from
`reconciler.reconcile.desired`, and what is wrong with one from `reconciler.rules`.

Programs need `hedgerow[pulumi]`. The policy pack (`reconciler.pulumi.pack`) runs in an environment of its own that has
no `pulumi_gcp`, so what is named here is loaded when it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reconciler.pulumi.component import TopicFleet
    from reconciler.pulumi.declared import DeclaredTopic, declare
    from reconciler.pulumi.program import run
    from reconciler.pulumi.stack import Declaration, ViolatedRules, load_declaration

_MODULES = {
    "Declaration": "stack",
    "DeclaredTopic": "declared",
    "TopicFleet": "component",
    "ViolatedRules": "stack",
    "declare": "declared",
    "load_declaration": "stack",
    "run": "program",
}

__all__ = ["Declaration", "DeclaredTopic", "TopicFleet", "ViolatedRules", "declare", "load_declaration", "run"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
