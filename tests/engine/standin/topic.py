"""What the real provider decides about `gcp:pubsub/topic:Topic`: checks, differences, state and inputs. Pure.

A copy of the documented semantics of `resource_pubsub_topic.go` and `labels.go` in terraform-provider-google
(https://github.com/hashicorp/terraform-provider-google, e03b7622) and of the bridge
(https://github.com/pulumi/pulumi-terraform-bridge, 59de6c66). Guesses: the texts of failed checks, the paths of a
detailed difference, an import without `labels` and with the deletion policy `DELETE`, and that every field but those
in `COMPUTED` is neither computed nor a set.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.engine.standin.properties import DEFAULTS, UNKNOWN, public

POLICY = "messageStoragePolicy"
REGIONS = "allowedPersistenceRegions"
IN_TRANSIT = "enforceInTransit"

REST_FIELDS = (
    "ingestionDataSourceSettings",
    "kmsKeyName",
    "messageRetentionDuration",
    POLICY,
    "messageTransforms",
    "schemaSettings",
)
"""Fields that a topic of the API has under the same name, besides its labels."""

REPLACING = frozenset({"name", "project", "tags"})
"""Changing one of these makes another topic."""

COMPUTED = frozenset({"name", "project", POLICY, "deletionPolicy"})
"""Leaving one of these out of the program is no difference, and so removes nothing."""

INPUTS = (*REST_FIELDS, "deletionPolicy", "labels", "name", "project", "tags")
ATTRIBUTION = {"goog-pulumi-provisioned": "true"}
DELETION_POLICIES = ("DELETE", "PREVENT", "ABANDON")


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One property that differs between state and program.

    Attributes:
        path: as a detailed difference names it.
        verb: `add`, `update` or `delete`.
    """

    path: str
    verb: str

    @property
    def field(self) -> str:
        """The topic's field that it lies in."""
        return self.path.partition(".")[0]

    @property
    def replaces(self) -> bool:
        """Whether it makes another topic."""
        return self.field in REPLACING


def check(
    news: Mapping[str, Any], olds: Mapping[str, Any], *, name: str, seed: bytes, project: str | None
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The inputs with what the program left out filled in, and what is wrong with them, as property and reason."""
    inputs, filled = public(dict(news)), []
    if "name" not in inputs:
        keeps = "name" in olds.get(DEFAULTS, ())
        inputs["name"] = olds["name"] if keeps else f"{name}-{hashlib.sha256(seed).hexdigest()[:7]}"
        filled.append("name")
    if "project" not in inputs and project:
        inputs["project"] = project
        filled.append("project")
    failures = []
    policy = inputs.get(POLICY)
    if isinstance(policy, dict):
        if REGIONS not in policy:
            failures.append((f"{POLICY}.{REGIONS}", "Missing required argument"))
        inputs[POLICY] = {**policy, DEFAULTS: []}
    deletion = inputs.get("deletionPolicy", "DELETE")
    if deletion not in (*DELETION_POLICIES, UNKNOWN):
        failures.append(("deletionPolicy", f"expected one of {', '.join(DELETION_POLICIES)}, got {deletion}"))
    return {**inputs, DEFAULTS: filled}, failures


def differences(state: Mapping[str, Any], inputs: Mapping[str, Any]) -> Iterator[Difference]:
    """What differs, in the order of the fields."""
    for field in INPUTS:
        if field in COMPUTED and field not in inputs:
            continue
        old, new = (_canonical(field, values.get(field)) for values in (state, inputs))
        if old == new:
            continue
        if field == POLICY and isinstance(old, dict) and isinstance(new, dict):
            yield from (
                Difference(path=f"{field}.{key}", verb=_verb(old[key], new[key])) for key in old if old[key] != new[key]
            )
        else:
            yield Difference(path=field, verb=_verb(old, new))


def body(inputs: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    """The topic that is sent. `enforceInTransit: false` is an empty value to the provider, and is left out."""
    sent = {field: public(inputs[field]) for field in REST_FIELDS if inputs.get(field)}
    if isinstance(sent.get(POLICY), dict) and not sent[POLICY].get(IN_TRANSIT):
        sent[POLICY].pop(IN_TRANSIT, None)
    return {**sent, **({"labels": dict(labels)} if labels else {})}


def labels_on_create(inputs: Mapping[str, Any], defaults: Mapping[str, str]) -> dict[str, str]:
    """All labels of a new topic: the provider's own and defaults, and the program's over them."""
    return {**defaults, **(inputs.get("labels") or {})}


def labels_on_update(state: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, str]:
    """All labels of a changed topic: only those that the program declared before can go away."""
    own = state.get("labels") or {}
    others = {key: value for key, value in (state.get("effectiveLabels") or {}).items() if key not in own}
    return {**others, **(inputs.get("labels") or {})}


def state_of(live: Mapping[str, Any], known: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    """The state of a live topic.

    Args:
        live: as the API answers it.
        known: inputs or an older state, for what the API does not answer.
        labels: those that the provider and the program have set; of others nothing is shown but `effectiveLabels`.
    """
    _, project, _, name = live["name"].split("/")
    present = live.get("labels", {})
    state: dict[str, Any] = {
        "id": live["name"],
        "name": name,
        "project": project,
        "deletionPolicy": known.get("deletionPolicy", "DELETE"),
        "effectiveLabels": present,
        "pulumiLabels": {key: present[key] for key in labels if key in present},
        "labels": {key: present[key] for key in known.get("labels") or {} if key in present},
    }
    if known.get("tags"):
        state["tags"] = public(known["tags"])
    return state | {field: live[field] for field in REST_FIELDS if field in live}


def unknown_state(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What a preview can say about a topic that is to be created."""
    computed = dict.fromkeys(("id", "effectiveLabels", "pulumiLabels", POLICY), UNKNOWN)
    return {"deletionPolicy": "DELETE", **computed, **public(dict(inputs))}


def inputs_of(state: Mapping[str, Any], olds: Mapping[str, Any] | None) -> dict[str, Any]:
    """The inputs that a state goes with: those that were there, with their live values, or all of an imported topic."""
    if olds is None:
        fields = ("name", "project", *REST_FIELDS)
        return {**{field: state[field] for field in fields if state.get(field)}, DEFAULTS: []}
    kept = {field: state[field] for field in olds if field in state and field in INPUTS}
    return {**kept, DEFAULTS: olds.get(DEFAULTS, [])}


def _canonical(field: str, value: Any) -> Any:
    """A value such that two that mean the same are equal."""
    value = public(value)
    if field == POLICY and isinstance(value, dict):
        regions = value.get(REGIONS)
        return {
            REGIONS: sorted(set(regions)) if isinstance(regions, list) else regions,
            IN_TRANSIT: value.get(IN_TRANSIT) or False,
        }
    return value or None


def _verb(old: Any, new: Any) -> str:
    if old is None:
        return "add"
    return "delete" if new is None else "update"
