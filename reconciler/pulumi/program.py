"""The Pulumi program: from a stack's folder to a registered fleet."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pulumi

from reconciler.errors import HedgerowError
from reconciler.pulumi.component import TopicFleet
from reconciler.pulumi.stack import load_declaration


def run(stacks: Path) -> None:
    """Declares one of the stacks that lie in a folder, and exports `fleetFingerprint`.

    The stack is the folder named by the configuration value `hedgerow:stack`, or else like the Pulumi stack.
    Everything is loaded and checked before the first resource is registered.

    Raises:
        RunError: with the whole text for the user, so that Pulumi shows it without a traceback.
    """
    chosen = pulumi.Config("hedgerow").get("stack") or pulumi.get_stack()
    try:
        declaration = load_declaration(stacks, chosen, today=datetime.now(UTC).date())
        for warning in declaration.warnings:
            pulumi.log.warn(warning)
        TopicFleet("fleet", topics=declaration.topics)
    except HedgerowError as error:
        # Pulumi writes `error: ` before it.
        raise pulumi.RunError(str(error).removeprefix("error: ")) from error
    pulumi.export("fleetFingerprint", declaration.fingerprint)
