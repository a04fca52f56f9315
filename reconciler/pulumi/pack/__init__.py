"""The Pulumi policy pack: the rules of `hedgerow check` over the topics of any program, and over a stack's state.

`policies/pack/__main__.py` calls `serve`; a pack of one's own can take up `policies`. Needs `hedgerow[pack]`, in an
environment of its own: `pulumi-policy` pins protobuf 5, which current Google clients do not take.

The only importer of `pulumi_policy`, in `policies` alone; what decides about a topic (`topics`, `settings`, `judge`)
works without it. May import what `reconciler.pulumi` may, but nothing of `reconciler.pulumi` outside this folder.
"""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pulumi_policy import Policy

NAME = "hedgerow"

__all__ = ["NAME", "policies", "serve"]


def policies(snapshot: Path) -> list[Policy]:
    """The policies of the pack. See `reconciler.pulumi.pack.policies`."""
    from reconciler.pulumi.pack.policies import policies as made  # noqa: PLC0415 - so that tests need no SDK

    return made(snapshot)


def serve(folder: Path) -> None:
    """Serves the pack to the Pulumi engine, until that ends.

    Args:
        folder: the pack's, from which the default snapshot is found: `organization.yaml` in the folder above, as in
            the layout of a hedgerow checkout.
    """
    from pulumi_policy import PolicyPack  # noqa: PLC0415 - as above

    made = policies(folder.parent / "organization.yaml")
    # A stack of 10,000 topics is one message, from which hundreds of thousands of objects are made and dropped again.
    # Looking for cycles among them as often as usual took a fifth of the time.
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    PolicyPack(NAME, made)
