"""Declaring a fleet of topics with Pulumi: what is declared, the component that declares it, and the program.

The only importer of `pulumi` and `pulumi_gcp`; besides them it may import `reconcile`, `rules` and everything below
(`hedgerow[pulumi]`). Called by `stacks/__main__.py`, and by programs of one's own that want a `TopicFleet`. It decides
nothing: what a topic's storage policy should be comes from `reconciler.reconcile.desired`.
"""

from reconciler.pulumi.component import TopicFleet
from reconciler.pulumi.declared import DeclaredTopic, declare
from reconciler.pulumi.program import run
from reconciler.pulumi.stack import Declaration, ViolatedRules, load_declaration

__all__ = ["Declaration", "DeclaredTopic", "TopicFleet", "ViolatedRules", "declare", "load_declaration", "run"]
