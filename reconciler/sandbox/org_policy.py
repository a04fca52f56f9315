"""`google.cloud.orgpolicy.v2.OrgPolicy`: policies that are set, and what they come to.

Each function is one method; see `reconciler.sandbox.publisher`. Any constraint can be set and read; effective policies
are known for the two that concern topics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.cloud import orgpolicy_v2
from google.protobuf.empty_pb2 import Empty
from google.protobuf.json_format import MessageToDict, ParseDict

from reconciler.orgpolicy import ENFORCE_IN_TRANSIT, RESOURCE_LOCATIONS, Resource
from reconciler.sandbox.calls import Call
from reconciler.sandbox.errors import ApiError, Code, invalid
from reconciler.sandbox.organization import Organization
from reconciler.sandbox.paging import page
from reconciler.sandbox.policies import SetPolicy, answer_of
from reconciler.sandbox.world import World

PolicyMessage = orgpolicy_v2.Policy.pb()
ListPoliciesResponse = orgpolicy_v2.ListPoliciesResponse.pb()

_MASKS = {"*": ("spec", "dryRunSpec"), "spec": ("spec",), "dry_run_spec": ("dryRunSpec",)}


def get_policy(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001 - one signature for all methods
    """A policy that is set on this very resource."""
    resource, constraint = _named(world, request.name)
    return _message(resource, constraint, _set(world, resource, constraint))


def list_policies(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """A page of the policies that are set on this very resource, by constraint."""
    resource = _resource(world, request.parent)
    constraints = sorted(constraint for node, constraint in world.organization.policies if node == resource.name)
    chosen, following = page(constraints, request.page_size, request.page_token)
    policies = [_message(resource, constraint, _set(world, resource, constraint)) for constraint in chosen]
    return ListPoliciesResponse(policies=policies, next_page_token=following)


def create_policy(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """Sets a policy where none is."""
    resource, constraint = _named(world, request.policy.name)
    if _resource(world, request.parent).name != resource.name:
        raise invalid(f"The policy's name {request.policy.name} does not match the parent {request.parent}.")

    def absent(before: SetPolicy | None) -> None:
        if before is not None:
            raise ApiError(Code.ALREADY_EXISTS, f"A policy is already set: {request.policy.name}.")

    return _written(world, resource, constraint, _body(request.policy), absent)


def update_policy(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """Overwrites a policy: the whole of it, or the spec that the mask names."""
    resource, constraint = _named(world, request.policy.name)
    body = _body(request.policy)
    kept = _set(world, resource, constraint).body
    parts = {part for path in request.update_mask.paths for part in _parts(path)} or set(_MASKS["*"])
    merged = {part: source[part] for part in _MASKS["*"] if part in (source := body if part in parts else kept)}
    etag = request.policy.etag or request.policy.spec.etag

    def current(before: SetPolicy | None) -> None:
        if before is None:
            raise _missing(resource, constraint)
        _check_etag(etag, before)

    return _written(world, resource, constraint, merged, current)


def delete_policy(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """Takes a policy away, if it is still the one of the etag."""
    resource, constraint = _named(world, request.name)
    world.organization.delete_policy(resource.name, constraint, lambda before: _check_etag(request.etag, before))
    return Empty()


def get_effective_policy(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """What the policies on a resource and above it come to: expanded and decided, without conditions and etag."""
    resource, constraint = _named(world, request.name)
    if constraint not in (RESOURCE_LOCATIONS, ENFORCE_IN_TRANSIT):
        raise ApiError(Code.UNIMPLEMENTED, f"The sandbox does not evaluate the constraint {constraint}.")
    spec = answer_of(world.organization.effective(resource), constraint, world.organization.catalogue)
    return ParseDict({"name": _name(resource, constraint), "spec": spec}, PolicyMessage())


def _written(
    world: World, resource: Resource, constraint: str, body: dict[str, Any], guard: Callable[[SetPolicy | None], None]
) -> Any:
    world.organization.set_policy({"name": f"{resource.name}/policies/{constraint}", **body}, guard)
    return _message(resource, constraint, _set(world, resource, constraint))


def _body(policy: Any) -> dict[str, Any]:
    body = MessageToDict(policy)
    return {part: body[part] for part in _MASKS["*"] if part in body}


def _parts(path: str) -> tuple[str, ...]:
    try:
        return _MASKS[path.removeprefix("policy.")]
    except KeyError:
        raise invalid(f"Invalid update_mask: {path} is not a field of a policy that can be overwritten.") from None


def _check_etag(etag: str, before: SetPolicy) -> None:
    if etag and etag != before.etag:
        raise ApiError(Code.ABORTED, "The policy was changed since it was read: the etag does not match.")


def _set(world: World, resource: Resource, constraint: str) -> SetPolicy:
    found = world.organization.policies.get((resource.name, constraint))
    if found is None:
        raise _missing(resource, constraint)
    return found


def _missing(resource: Resource, constraint: str) -> ApiError:
    return ApiError(Code.NOT_FOUND, f"No policy is set: {_name(resource, constraint)}.")


def _message(resource: Resource, constraint: str, policy: SetPolicy) -> Any:
    return ParseDict(policy.to_json(_name(resource, constraint)), PolicyMessage())


def _name(resource: Resource, constraint: str) -> str:
    """The policy's name, with a project's number: ids are accepted, numbers returned."""
    owner = f"projects/{Organization.number(resource)}" if resource.name.startswith("projects/") else resource.name
    return f"{owner}/policies/{constraint}"


def _named(world: World, name: str) -> tuple[Resource, str]:
    owner, separator, constraint = name.partition("/policies/")
    if not separator or not constraint:
        raise invalid(f"Invalid policy name: {name}.")
    return _resource(world, owner), constraint


def _resource(world: World, name: str) -> Resource:
    if name.split("/", maxsplit=1)[0] not in ("organizations", "folders", "projects") or name.count("/") != 1:
        raise invalid(f"Invalid resource name: {name}.")
    resource = world.organization.find(name)
    if resource is None:
        raise ApiError(Code.NOT_FOUND, f"The resource does not exist: {name}.")
    return resource
