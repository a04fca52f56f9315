"""`policies/organization.yaml` to a `Snapshot`: the resource tree, the policies and the API's answers.

Whatever could silently loosen the evaluation is an error: a project without a parent, a policy on a resource that is
not in the tree, a key that Google's body does not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reconciler.errors import Position
from reconciler.model import Origin, RegionSet, is_project_id, is_project_number
from reconciler.orgpolicy import Policy, PolicyError, Resource, Snapshot, TagKey, parse_policy
from reconciler.spec.files import read_document
from reconciler.spec.positions import locate
from reconciler.spec.problems import InvalidSpecs, Problems
from reconciler.spec.regions import read_regions
from reconciler.spec.schema import fits


def load_snapshot(path: Path, *, display: str | None = None) -> Snapshot:
    """Reads a policy snapshot.

    Args:
        path: the file.
        display: how messages show the file, if not as it is.

    Raises:
        InvalidSpecs: with everything that is wrong with it.
    """
    file = display or str(path)
    problems = Problems()
    document = read_document(path, file, problems)
    if document and not fits("organization", document.body):
        from reconciler.spec.explain import explain  # noqa: PLC0415 - as for the files of a stack

        explain("organization", document.body, file, problems)
    snapshot = _build(document.body, file, problems) if document and not problems.error_count else None
    if snapshot is None or problems.error_count:
        raise InvalidSpecs(problems.located(lambda origin: locate(origin, file=path)))
    return snapshot


def parse_snapshot(body: Mapping[str, Any], shown: str) -> Snapshot:
    """The snapshot that a body describes which is not read from a file, but captured.

    Args:
        body: as `load_snapshot` would find it in a file.
        shown: how messages call it.

    Raises:
        InvalidSpecs: with everything that is wrong with it.
    """
    problems = Problems()
    if not fits("organization", body):
        from reconciler.spec.explain import explain  # noqa: PLC0415 - as above

        explain("organization", body, shown, problems)
    snapshot = _build(body, shown, problems) if not problems.error_count else None
    if snapshot is None or problems.error_count:
        raise InvalidSpecs(problems.located(lambda origin: Position(origin.file)))
    return snapshot


def _build(body: Mapping[str, Any], file: str, problems: Problems) -> Snapshot:
    organization = body["organization"]
    resources = _read_resources(body["resources"], organization, Origin(file, ("resources",)), problems)
    ids = {f"projects/{one.number}": name for name, one in resources.items() if one.number}
    policies = read_policies(body.get("policies", ()), Origin(file, ("policies",)), resources, ids, problems)
    effective = read_policies(body.get("effective", ()), Origin(file, ("effective",)), resources, ids, problems)
    groups = {}
    for name, regions in body.get("valueGroups", {}).items():
        at = Origin(file, ("valueGroups", name))
        if not name.endswith("-locations"):
            message = f"`{name}` is not a value group"
            hint = f"write `in:{name.removeprefix('in:')}-locations`"
            problems.error("group-malformed", at, message, hint=hint)
        groups[name] = RegionSet.from_names(read_regions(regions, at, f"`{name}`: ", problems))
    answers = {}
    for (resource, constraint), policy in effective.items():
        if resource.startswith("projects/"):
            answers[resource.removeprefix("projects/"), constraint] = policy
    return Snapshot(
        organization=organization,
        captured_at=body.get("capturedAt"),
        resources=resources,
        policies=policies,
        effective=answers,
        value_groups=groups,
        tag_keys={
            key: TagKey(id=body["id"], values=body.get("values", {})) for key, body in body.get("tagKeys", {}).items()
        },
    )


def _read_resources(
    bodies: Sequence[Mapping[str, Any]], organization: str, at: Origin, problems: Problems
) -> dict[str, Resource]:
    resources: dict[str, Resource] = {}
    origins: dict[str, Origin] = {}
    numbers: dict[str, Origin] = {}
    for index, body in enumerate(bodies):
        name, number, origin = body["name"], body.get("number"), at.at(index)
        project = name.removeprefix("projects/") if name.startswith("projects/") else None
        if first := origins.get(name):
            problems.error("snapshot-duplicate", origin, f"`{name}` is listed twice", hint="keep one", first=first)
            continue
        origins[name] = origin
        if project is not None and not is_project_id(project):
            hint = "write the id in `name`, and the number in `number`"
            problems.error("snapshot-name", origin.at("name"), f"`{name}` does not name a project by its id", hint=hint)
        if number is not None and project is None:
            problems.error("snapshot-number", origin.at("number"), f"`{name}`: only projects have a `number`")
        if number is not None and (first := numbers.setdefault(number, origin.at("number"))) != origin.at("number"):
            message = f"`{name}`: the number {number} belongs to another project"
            problems.error("snapshot-duplicate", origin.at("number"), message, first=first)
        _check_root(name, body.get("parent"), organization, origin, problems)
        resources[name] = Resource(
            name=name,
            parent=body.get("parent"),
            number=number,
            display_name=body.get("displayName"),
            tags=body.get("tags"),
        )
    for name, resource in resources.items():
        if resource.parent is not None and resource.parent not in resources:
            message = f"`{name}`: the parent `{resource.parent}` is not in `resources`"
            hint = "add it, or correct the name"
            problems.error("snapshot-parent", origins[name].at("parent"), message, hint=hint)
    _note_cycles(resources, origins, problems)
    return resources


def _check_root(name: str, parent: str | None, organization: str, origin: Origin, problems: Problems) -> None:
    """Notes a tree that does not end in the organization."""
    if name.startswith("organizations/"):
        if name != organization:
            message = f"`{name}` is not the organization of this snapshot, `{organization}`"
            problems.error("snapshot-organization", origin.at("name"), message)
        if parent is not None:
            problems.error("snapshot-parent", origin.at("parent"), f"`{name}`: an organization has no parent")
    elif parent is None:
        hint = "write `parent: folders/...` or `parent: organizations/...`"
        problems.error("snapshot-parent", origin, f"`{name}` has no `parent`", hint=hint)


def _note_cycles(resources: Mapping[str, Resource], origins: Mapping[str, Origin], problems: Problems) -> None:
    looked_at: set[str] = set()
    for name in sorted(resources):
        way: dict[str, None] = {}
        at: str | None = name
        while at is not None and at in resources and at not in looked_at and at not in way:
            way[at] = None
            at = resources[at].parent
        looked_at.update(way)
        if at is None or at not in way:
            continue
        steps = list(way)
        circle = steps[steps.index(at) :]
        start = circle.index(min(circle))
        circle = [*circle[start:], *circle[:start]]
        shown = " -> ".join(f"`{one}`" for one in [*circle, circle[0]])
        message = f"the parents go in a circle: {shown}"
        problems.error("snapshot-cycle", origins[circle[0]].at("parent"), message, hint="correct one of the parents")


def read_policies(
    bodies: Sequence[Mapping[str, Any]],
    at: Origin,
    resources: Mapping[str, Resource],
    ids: Mapping[str, str],
    problems: Problems,
) -> dict[tuple[str, str], Policy]:
    """The policies by resource and constraint, projects by id; notes what Google would refuse or nothing can hold."""
    policies: dict[tuple[str, str], Policy] = {}
    origins: dict[tuple[str, str], Origin] = {}
    for index, body in enumerate(bodies):
        origin = at.at(index)
        try:
            policy = parse_policy(body)
        except PolicyError as error:
            problems.error("snapshot-policy", origin.at(*error.path), error.message, hint=error.hint)
            continue
        resource = ids.get(policy.resource, policy.resource)
        named = origin.at("name" if "name" in body else "resource")
        if resource not in resources:
            kind, _, name = resource.partition("/")
            hint = "add it, or correct the name"
            if kind == "projects" and is_project_number(name):
                hint = f'write `number: "{name}"` at its project, or name the project by its id'
            problems.error("snapshot-resource", named, f"`{resource}` is not in `resources`", hint=hint)
            continue
        key = resource, policy.constraint
        if first := origins.get(key):
            message = f"`{resource}` has two policies for `{policy.constraint}`"
            problems.error("snapshot-duplicate", named, message, hint="keep one", first=first)
            continue
        origins[key] = named
        dry_run = policy.dry_run and replace(policy.dry_run, resource=resource)
        policies[key] = replace(policy, resource=resource, dry_run=dry_run)
    return policies
