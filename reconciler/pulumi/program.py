"""The Pulumi program: from a stack's folder to a registered fleet."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pulumi

from reconciler.errors import HedgerowError
from reconciler.pulumi.component import TopicFleet
from reconciler.pulumi.provider import provider_options
from reconciler.pulumi.stack import load_declaration


def run(stacks: Path, environment: Mapping[str, str] | None = None) -> None:
    """Declares one of the stacks that lie in a folder, or its part, and exports `fleetFingerprint`.

    The stack is the folder named by the configuration value `hedgerow:stack`, or else like the Pulumi stack; of one
    that is split, the Pulumi stack's name says which part. With `hedgerow:adopt`, topics that exist are taken over.
    Everything is loaded and checked before the first resource is registered.

    Args:
        stacks: the folder.
        environment: the program's, for the `HEDGEROW_*` variables that commands take too; empty by default.

    Raises:
        RunError: with the whole text for the user, so that Pulumi shows it without a traceback.
    """
    config = pulumi.Config("hedgerow")
    try:
        declaration = load_declaration(
            stacks,
            pulumi.get_stack(),
            folder=config.get("stack"),
            today=datetime.now(UTC).date(),
            environment=environment or {},
            adopt=config.get_bool("adopt") or False,
        )
        for warning in declaration.warnings:
            pulumi.log.warn(warning)
        TopicFleet("fleet", topics=declaration.topics, opts=provider_options(declaration.provider))
    except (HedgerowError, pulumi.ConfigTypeError) as error:
        # Pulumi writes `error: ` before it.
        raise pulumi.RunError(str(error).removeprefix("error: ")) from error
    pulumi.export("fleetFingerprint", declaration.fingerprint)
