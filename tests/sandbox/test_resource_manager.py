from __future__ import annotations

from typing import Any

from google.protobuf.json_format import MessageToDict

from reconciler.sandbox import World
from reconciler.sandbox.resource_manager import (
    get_folder,
    get_organization,
    get_project,
    list_folders,
    list_projects,
    search_folders,
    search_organizations,
    search_projects,
)
from tests.sandbox.builders import DIRECT, FOLDER, NUMBER, ORGANIZATION, PROJECT, raw_resource, refusal

ORDERS = {
    "name": f"projects/{NUMBER}",
    "projectId": "acme-orders",
    "parent": FOLDER,
    "displayName": "acme-orders",
    "state": "ACTIVE",
}


def found(answer: Any, key: str, field: str = "name") -> list[str]:
    return [str(item[field]) for item in MessageToDict(answer).get(key, [])]


def test_project_is_found_by_id_and_by_number(world: World) -> None:
    for name in (PROJECT, f"projects/{NUMBER}"):
        answer = get_project(world, raw_resource("GetProjectRequest", name=name), DIRECT)
        assert MessageToDict(answer) == ORDERS


def test_project_without_a_known_number_keeps_the_one_it_is_given(world: World) -> None:
    first = get_project(world, raw_resource("GetProjectRequest", name="projects/acme-lab"), DIRECT)
    again = get_project(world, raw_resource("GetProjectRequest", name=first.name), DIRECT)
    assert again.project_id == "acme-lab"
    assert first.name.removeprefix("projects/").isdigit()


def test_folder_and_organization_say_what_is_above(world: World) -> None:
    folder = get_folder(world, raw_resource("GetFolderRequest", name=FOLDER), DIRECT)
    assert (folder.parent, folder.display_name) == (ORGANIZATION, "europe")
    top = get_organization(world, raw_resource("GetOrganizationRequest", name=ORGANIZATION), DIRECT)
    assert (top.name, top.display_name) == (ORGANIZATION, "acme.example")


def test_lists_show_direct_children_only(world: World) -> None:
    projects = list_projects(world, raw_resource("ListProjectsRequest", parent=ORGANIZATION), DIRECT)
    assert found(projects, "projects", "projectId") == ["acme-lab"]
    folders = list_folders(world, raw_resource("ListFoldersRequest", parent=ORGANIZATION), DIRECT)
    assert found(folders, "folders") == [FOLDER]


def test_search_finds_everything_that_may_be_seen(world: World) -> None:
    world.deny("acme-lab", "resourcemanager")
    projects = search_projects(world, raw_resource("SearchProjectsRequest"), DIRECT)
    assert found(projects, "projects", "projectId") == ["acme-orders"]
    assert found(search_folders(world, raw_resource("SearchFoldersRequest"), DIRECT), "folders") == [FOLDER]
    organizations = search_organizations(world, raw_resource("SearchOrganizationsRequest"), DIRECT)
    assert found(organizations, "organizations") == [ORGANIZATION]


def test_search_understands_parent_state_and_id(world: World) -> None:
    query = f'parent:{FOLDER} AND state:ACTIVE id="acme-orders"'
    projects = search_projects(world, raw_resource("SearchProjectsRequest", query=query), DIRECT)
    assert found(projects, "projects", "projectId") == ["acme-orders"]


def test_search_refuses_a_query_that_it_does_not_understand(world: World) -> None:
    request = raw_resource("SearchProjectsRequest", query="labels.team:orders")
    assert refusal(lambda: search_projects(world, request, DIRECT)) == (
        "INVALID_ARGUMENT",
        "The sandbox does not understand the query: labels.team:orders",
    )


def test_what_does_not_exist_is_not_found(world: World) -> None:
    assert refusal(lambda: get_folder(world, raw_resource("GetFolderRequest", name="folders/9"), DIRECT)) == (
        "NOT_FOUND",
        "The resource does not exist: folders/9.",
    )
    request = raw_resource("ListProjectsRequest", parent="folders/9")
    assert refusal(lambda: list_projects(world, request, DIRECT)) == (
        "NOT_FOUND",
        "The parent does not exist: folders/9.",
    )
