"""Resource Manager v3: `TagBindings`, `TagKeys` and `TagValues`; get and list.

Each function is one method; see `reconciler.sandbox.publisher`. Tags come with the snapshots that were loaded and
cannot be changed. Ids that no snapshot names are made up from the names.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from google.cloud import resourcemanager_v3 as resourcemanager

from reconciler.orgpolicy import Resource
from reconciler.sandbox.calls import Call
from reconciler.sandbox.denials import Service
from reconciler.sandbox.errors import ApiError, Code, invalid
from reconciler.sandbox.methods import Binding, Method, Trait
from reconciler.sandbox.paging import page
from reconciler.sandbox.world import World

FULL_NAME = "//cloudresourcemanager.googleapis.com/"
"""What the full resource name of an organization, folder or project starts with."""

EffectiveTag = resourcemanager.EffectiveTag.pb()
TagBinding = resourcemanager.TagBinding.pb()
TagKeyMessage = resourcemanager.TagKey.pb()
TagValueMessage = resourcemanager.TagValue.pb()
ListEffectiveTagsResponse = resourcemanager.ListEffectiveTagsResponse.pb()
ListTagBindingsResponse = resourcemanager.ListTagBindingsResponse.pb()
ListTagKeysResponse = resourcemanager.ListTagKeysResponse.pb()
ListTagValuesResponse = resourcemanager.ListTagValuesResponse.pb()


def list_effective_tags(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001 - one signature for all methods
    """A page of the tags that hold for a resource: its own, and the inherited ones that it does not override."""
    resource = _resource(world, request.parent)
    tags = world.organization.tags(resource)
    keys, following = page(sorted(tags.values), request.page_size, request.page_token)
    found = []
    for key in keys:
        value, ids = tags.values[key], tags.keys[key]
        found.append(
            EffectiveTag(
                tag_key=ids.id,
                tag_value=ids.values[value],
                namespaced_tag_key=key,
                namespaced_tag_value=f"{key}/{value}",
                tag_key_parent_name=_parent(key),
                inherited=key not in (resource.tags or {}),
            )
        )
    return ListEffectiveTagsResponse(effective_tags=found, next_page_token=following)


def list_tag_bindings(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """A page of the tags that are bound to this very resource."""
    resource = _resource(world, request.parent)
    own = resource.tags or {}
    keys, following = page(sorted(own), request.page_size, request.page_token)
    values = {key: world.organization.tag_key(key).values[own[key]] for key in keys}
    bindings = [
        TagBinding(
            name=f"tagBindings/{request.parent.replace('/', '%2F')}/{values[key]}",
            parent=request.parent,
            tag_value=values[key],
            tag_value_namespaced_name=f"{key}/{own[key]}",
        )
        for key in keys
    ]
    return ListTagBindingsResponse(tag_bindings=bindings, next_page_token=following)


def list_tag_keys(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """A page of the tag keys of an organization or project."""
    found = [key for key in world.organization.tag_keys if _parent(key) == request.parent]
    keys, following = page(found, request.page_size, request.page_token)
    return ListTagKeysResponse(tag_keys=[_key(world, key) for key in keys], next_page_token=following)


def get_tag_key(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """A tag key, by its permanent id."""
    return _key(world, _named(world, request.name))


def list_tag_values(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """A page of the values of a tag key."""
    key = _named(world, request.parent)
    ids = world.organization.tag_key(key)
    values, following = page(sorted(ids.values), request.page_size, request.page_token)
    found = [
        TagValueMessage(name=ids.values[value], parent=ids.id, short_name=value, namespaced_name=f"{key}/{value}")
        for value in values
    ]
    return ListTagValuesResponse(tag_values=found, next_page_token=following)


def _key(world: World, key: str) -> Any:
    return TagKeyMessage(
        name=world.organization.tag_key(key).id,
        parent=_parent(key),
        short_name=key.partition("/")[2],
        namespaced_name=key,
    )


def _named(world: World, name: str) -> str:
    for key in world.organization.tag_keys:
        if world.organization.tag_key(key).id == name:
            return key
    raise ApiError(Code.NOT_FOUND, f"The tag key does not exist: {name}.")


def _parent(key: str) -> str:
    """Who owns a namespaced key: an organization by its number, or a project by its id."""
    owner = key.partition("/")[0]
    return f"organizations/{owner}" if owner.isdecimal() else f"projects/{owner}"


def _resource(world: World, full_name: str) -> Resource:
    if not full_name.startswith(FULL_NAME):
        raise invalid(f"Invalid full resource name: {full_name}.")
    name = full_name.removeprefix(FULL_NAME)
    if name.startswith("projects/") and not name.removeprefix("projects/").isdecimal():
        raise invalid(f"The full resource name of a project holds its number: {full_name}.")
    resource = world.organization.find(name)
    if resource is None:
        raise ApiError(Code.NOT_FOUND, f"The resource does not exist: {name}.")
    return resource


def _about(request: Any) -> str:
    return str(request.parent).removeprefix(FULL_NAME)


_SERVICE = "google.cloud.resourcemanager.v3"
_RM = Service.RESOURCE_MANAGER
_BINDINGS, _KEYS, _VALUES = ((f"{_SERVICE}.{name}", _RM) for name in ("TagBindings", "TagKeys", "TagValues"))


def _get(template: str) -> Binding:
    return Binding(verb="GET", template=template)


TAG_METHODS: tuple[Method, ...] = (
    replace(
        Method.of(
            _BINDINGS,
            list_effective_tags,
            (resourcemanager.ListEffectiveTagsRequest, resourcemanager.ListEffectiveTagsResponse),
            "parent",
            Trait.READ,
            _get("/v3/effectiveTags"),
        ),
        subject=_about,
    ),
    replace(
        Method.of(
            _BINDINGS,
            list_tag_bindings,
            (resourcemanager.ListTagBindingsRequest, resourcemanager.ListTagBindingsResponse),
            "parent",
            Trait.READ,
            _get("/v3/tagBindings"),
        ),
        subject=_about,
    ),
    Method.of(
        _KEYS,
        list_tag_keys,
        (resourcemanager.ListTagKeysRequest, resourcemanager.ListTagKeysResponse),
        "parent",
        Trait.READ,
        _get("/v3/tagKeys"),
    ),
    Method.of(
        _KEYS,
        get_tag_key,
        (resourcemanager.GetTagKeyRequest, resourcemanager.TagKey),
        "name",
        Trait.READ,
        _get("/v3/{name=tagKeys/*}"),
    ),
    Method.of(
        _VALUES,
        list_tag_values,
        (resourcemanager.ListTagValuesRequest, resourcemanager.ListTagValuesResponse),
        "parent",
        Trait.READ,
        _get("/v3/tagValues"),
    ),
)
"""The methods above, with the HTTP bindings of the API definition."""
