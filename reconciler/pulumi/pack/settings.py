"""The pack's configuration: what it holds, its JSON schema, and how it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from reconciler.errors import InvalidInput
from reconciler.model import Exemption
from reconciler.rules import ALL_RULES
from reconciler.spec import parse_exemptions

_TEXTS = {"type": "array", "items": {"type": "string"}}

SCHEMA: dict[str, dict[str, Any]] = {
    "snapshot": {
        "type": "string",
        "description": "The snapshot of the organization's policies, from the pack's folder",
    },
    "statedIn": {
        **_TEXTS,
        "description": "Projects in which a topic has to state its regions; `*` stands for any characters",
    },
    "exemptions": {
        "type": "array",
        "description": "Topics that are exempt from a rule until a day, as in a spec file",
        "items": {
            "type": "object",
            "additionalProperties": False,
            "required": ["topics", "rule", "reason", "owner", "expires"],
            "properties": {
                "topics": _TEXTS,
                **{key: {"type": "string"} for key in ("rule", "reason", "owner", "expires")},
            },
        },
    },
}
"""The JSON schema of each property of the policy `organization`; Pulumi holds a configuration against it first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the pack is told.

    Attributes:
        snapshot: the file of the organization's policies.
        stated_in: patterns of the projects whose topics have to state their regions.
        exemptions: as declared, whether they still count or not.
    """

    snapshot: Path
    stated_in: tuple[str, ...] = ()
    exemptions: tuple[Exemption, ...] = ()

    def demands_regions(self, project: str) -> bool:
        """Whether a project's topics have to state their regions."""
        return any(fnmatchcase(project, pattern) for pattern in self.stated_in)


def read_settings(config: Mapping[str, Any], base: Settings) -> Settings:
    """The settings of a configuration that fits `SCHEMA`, with those of `base` for what it leaves out.

    A relative path counts from the working folder, which is the pack's own.

    Raises:
        InvalidInput: with what is wrong with it.
    """
    unknown = sorted(config.keys() - SCHEMA.keys())
    if unknown:
        raise InvalidInput(
            f"the configuration of `organization` has no property `{unknown[0]}`",
            hint=f"it has {', '.join(f'`{name}`' for name in SCHEMA)}",
        )
    exemptions = parse_exemptions(config.get("exemptions", ()), "the pack's configuration")
    for exemption in exemptions:
        rule = ALL_RULES.get(exemption.rule)
        if rule is None or not rule.exemptable:
            raise InvalidInput(
                f"the configuration of `organization` exempts from `{exemption.rule}`, "
                + ("which is no rule" if rule is None else "from which nothing can be exempted"),
                hint="see `hedgerow check --explain all` for the rules",
            )
    return Settings(
        snapshot=Path(config["snapshot"]) if "snapshot" in config else base.snapshot,
        stated_in=tuple(config.get("statedIn", base.stated_in)),
        exemptions=exemptions if "exemptions" in config else base.exemptions,
    )
