"""Resource Manager v3: `Projects`, `Folders` and `Organizations`; get, list and search.

Each function is one method; see `reconciler.sandbox.publisher`. Everything is active, and nothing can be changed.
Searches find what the caller may see, so denied resources are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from google.cloud import resourcemanager_v3 as resourcemanager

from reconciler.orgpolicy import Resource
from reconciler.sandbox.calls import Call
from reconciler.sandbox.denials import Service
from reconciler.sandbox.errors import ApiError, Code, invalid
from reconciler.sandbox.organization import Organization
from reconciler.sandbox.paging import page
from reconciler.sandbox.world import World

ProjectMessage = resourcemanager.Project.pb()
FolderMessage = resourcemanager.Folder.pb()
OrganizationMessage = resourcemanager.Organization.pb()
ListProjectsResponse = resourcemanager.ListProjectsResponse.pb()
SearchProjectsResponse = resourcemanager.SearchProjectsResponse.pb()
ListFoldersResponse = resourcemanager.ListFoldersResponse.pb()
SearchFoldersResponse = resourcemanager.SearchFoldersResponse.pb()
SearchOrganizationsResponse = resourcemanager.SearchOrganizationsResponse.pb()

_TERM = re.compile(r"(?P<key>[A-Za-z]+)\s*[:=]\s*(?P<value>\"[^\"]*\"|\S+)")


def get_project(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001 - one signature for all methods
    """A project, by id or number."""
    return _project(_existing(world, request.name, "projects"))


def get_folder(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """A folder."""
    return _folder(_existing(world, request.name, "folders"))


def get_organization(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """An organization."""
    return _organization(_existing(world, request.name, "organizations"))


def list_projects(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """A page of the projects directly under a parent."""
    found, following = _children(world, request, "projects")
    return ListProjectsResponse(projects=[_project(r) for r in found], next_page_token=following)


def list_folders(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """A page of the folders directly under a parent."""
    found, following = _children(world, request, "folders")
    return ListFoldersResponse(folders=[_folder(r) for r in found], next_page_token=following)


def search_projects(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """A page of the projects that match a query of `key:value` terms: `parent`, `id`, `state`."""
    found, following = _search(world, request, "projects")
    return SearchProjectsResponse(projects=[_project(r) for r in found], next_page_token=following)


def search_folders(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """A page of the folders that match a query of `key=value` terms: `parent`, `state`, `displayName`."""
    found, following = _search(world, request, "folders")
    return SearchFoldersResponse(folders=[_folder(r) for r in found], next_page_token=following)


def search_organizations(world: World, request: Any, call: Call) -> Any:  # noqa: ARG001
    """A page of the organizations; only an empty query is understood."""
    found, following = _search(world, request, "organizations")
    return SearchOrganizationsResponse(organizations=[_organization(r) for r in found], next_page_token=following)


def _existing(world: World, name: str, collection: str) -> Resource:
    if not name.startswith(f"{collection}/") or name.count("/") != 1:
        raise invalid(f"Invalid resource name: {name}.")
    resource = world.organization.find(name)
    if resource is None:
        raise ApiError(Code.NOT_FOUND, f"The resource does not exist: {name}.")
    return resource


def _children(world: World, request: Any, collection: str) -> tuple[list[Resource], str]:
    if world.organization.find(request.parent) is None:
        raise ApiError(Code.NOT_FOUND, f"The parent does not exist: {request.parent}.")
    return _page(world, request, collection, lambda resource: resource.parent == request.parent)


def _search(world: World, request: Any, collection: str) -> tuple[list[Resource], str]:
    terms = [(match["key"], match["value"].strip('"')) for match in _TERM.finditer(request.query)]
    rest = _TERM.sub("", request.query).replace("AND", "").strip()
    unknown = [key for key, _ in terms if key not in ("parent", "id", "projectId", "state", "displayName")]
    if rest or unknown:
        raise invalid(f"The sandbox does not understand the query: {request.query}")
    visible = world.denials.all
    return _page(
        world,
        request,
        collection,
        lambda r: (r.name, Service.RESOURCE_MANAGER) not in visible and all(_matches(r, *term) for term in terms),
    )


def _matches(resource: Resource, key: str, value: str) -> bool:
    match key:
        case "parent":
            return resource.parent == value
        case "state":
            return value.upper() == "ACTIVE"
        case "displayName":
            return resource.display_name == value
        case _:
            return resource.name == f"projects/{value}"


def _page(
    world: World, request: Any, collection: str, wanted: Callable[[Resource], bool]
) -> tuple[list[Resource], str]:
    found = {r.name: r for r in world.organization.resources if r.name.startswith(f"{collection}/") and wanted(r)}
    names, following = page(list(found), request.page_size, request.page_token)
    return [found[name] for name in names], following


def _project(resource: Resource) -> Any:
    project_id = resource.name.removeprefix("projects/")
    return ProjectMessage(
        name=f"projects/{Organization.number(resource)}",
        project_id=project_id,
        parent=resource.parent or "",
        display_name=resource.display_name or project_id,
        state=ProjectMessage.ACTIVE,
    )


def _folder(resource: Resource) -> Any:
    return FolderMessage(
        name=resource.name,
        parent=resource.parent or "",
        display_name=resource.display_name or resource.name,
        state=FolderMessage.ACTIVE,
    )


def _organization(resource: Resource) -> Any:
    return OrganizationMessage(
        name=resource.name, display_name=resource.display_name or resource.name, state=OrganizationMessage.ACTIVE
    )
