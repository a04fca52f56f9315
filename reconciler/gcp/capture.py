"""Capturing an organization: the tree above some projects, its tags and policies, and what the API makes of them.

Every node is read once, however many projects stand below it, and nodes are read at the same time. What cannot be read
is named; nothing that could not be read is ever taken for "none". Bodies come out as a snapshot file holds them:
projects by their ids, values sorted, without etags and update times, which tell nothing about what is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from google.cloud import orgpolicy_v2, resourcemanager_v3
from google.cloud.orgpolicy_v2.services.org_policy.transports import OrgPolicyGrpcTransport
from google.cloud.resourcemanager_v3.services.folders.transports import FoldersGrpcTransport
from google.cloud.resourcemanager_v3.services.organizations.transports import OrganizationsGrpcTransport
from google.cloud.resourcemanager_v3.services.projects.transports import ProjectsGrpcTransport
from google.cloud.resourcemanager_v3.services.tag_bindings.transports import TagBindingsGrpcTransport
from google.protobuf.json_format import MessageToDict

from reconciler.errors import CallFailed
from reconciler.gcp.connection import Connection, open_transport, translated_errors
from reconciler.gcp.remedies import POLICIES, TAGS, TREE, Access, unavailable
from reconciler.gcp.tags import FULL_NAME, short_value
from reconciler.orgpolicy import ENFORCE_IN_TRANSIT, RESOURCE_LOCATIONS
from reconciler.reconcile import Unavailable

CONCURRENT_CALLS = 16
"""Nodes and projects that are read at the same time."""

_CONSTRAINTS = (RESOURCE_LOCATIONS, ENFORCE_IN_TRANSIT)

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """What was read, as the lists of a snapshot file; `unread` says what was not, by resource."""

    resources: list[dict[str, Any]] = field(default_factory=list)
    policies: list[dict[str, Any]] = field(default_factory=list)
    effective: list[dict[str, Any]] = field(default_factory=list)
    tag_keys: dict[str, dict[str, Any]] = field(default_factory=dict)
    unread: Mapping[str, Unavailable] = field(default_factory=dict)
    tags_unread: Mapping[str, Unavailable] = field(default_factory=dict)


def capture(projects: Iterable[str], connection: Connection) -> Captured:
    """Reads everything that a snapshot of these projects holds.

    Tags that may not be read are left out of their resources, which makes them unknown, and are named in `tags_unread`;
    whoever has a policy with a condition needs them.
    """
    return _Capture(connection).of(sorted(set(projects)))


class _Capture:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        ends = connection.endpoints
        host = resourcemanager_v3.ProjectsClient.DEFAULT_ENDPOINT

        def manager(transport: Callable[..., Any]) -> Any:
            return open_transport(transport, ends.resource_manager, host)

        self._projects = resourcemanager_v3.ProjectsClient(transport=manager(ProjectsGrpcTransport))
        self._folders = resourcemanager_v3.FoldersClient(transport=manager(FoldersGrpcTransport))
        self._organizations = resourcemanager_v3.OrganizationsClient(transport=manager(OrganizationsGrpcTransport))
        self._bindings = resourcemanager_v3.TagBindingsClient(transport=manager(TagBindingsGrpcTransport))
        self._policies = orgpolicy_v2.OrgPolicyClient(
            transport=open_transport(
                OrgPolicyGrpcTransport, ends.org_policy, orgpolicy_v2.OrgPolicyClient.DEFAULT_ENDPOINT
            )
        )
        self._payer = ""
        self._unread: dict[str, Unavailable] = {}

    def of(self, projects: list[str]) -> Captured:
        self._payer = projects[0] if projects else ""
        with ThreadPoolExecutor(max_workers=CONCURRENT_CALLS) as pool:

            def each(items: Iterable[_Item], read: Callable[[_Item], _Answer]) -> list[_Answer]:
                return list(pool.map(read, items))

            nodes: dict[str, dict[str, Any]] = {}
            level = [f"projects/{project}" for project in projects]
            while level:
                found = {name: node for name, node in zip(level, each(level, self._node), strict=True) if node}
                nodes |= found
                level = sorted({n["parent"] for n in found.values() if "parent" in n and n["parent"] not in nodes})
            names = sorted(nodes, key=_rank)
            tags = dict(zip(names, each([nodes[name] for name in names], self._tags), strict=True))
            policies = [body for bodies in each(names, self._policies_on) for body in bodies]
            questions = [
                (name, constraint) for name in names if name.startswith("projects/") for constraint in _CONSTRAINTS
            ]
            effective = [body for body in each(questions, self._answer) if body is not None]
        known = {name: found for name, found in tags.items() if not isinstance(found, Unavailable)}
        return Captured(
            resources=[{**nodes[name], **({"tags": _values(known[name])} if name in known else {})} for name in names],
            policies=policies,
            effective=effective,
            tag_keys=_keys(known.values()),
            unread=self._unread,
            tags_unread={name: found for name, found in tags.items() if isinstance(found, Unavailable)},
        )

    def _call(self, method: Callable[..., Any], **request: Any) -> Any:
        with translated_errors():
            return method(
                **request,
                retry=self._connection.read_retry,
                timeout=self._connection.call_timeout,
                metadata=self._connection.metadata(self._payer),
            )

    def _reading(self, name: str, access: Access, read: Callable[[], _Answer]) -> _Answer | None:
        try:
            return read()
        except CallFailed as error:
            self._unread[name] = unavailable(error, access)
            return None

    def _node(self, name: str) -> dict[str, Any] | None:
        """A resource as the snapshot names it; a project's `number` is kept beside its id."""
        collection = name.partition("/")[0]
        get = {
            "projects": self._projects.get_project,
            "folders": self._folders.get_folder,
            "organizations": self._organizations.get_organization,
        }[collection]
        found = self._reading(name, TREE, lambda: self._call(get, name=name))
        if found is None:
            return None
        node: dict[str, Any] = {"name": name}
        if collection == "projects":
            node["number"] = found.name.removeprefix("projects/")
        if collection != "organizations" and found.parent:
            node["parent"] = found.parent
        if found.display_name not in ("", name, name.removeprefix("projects/")):
            node["displayName"] = found.display_name
        return node

    def _tags(self, node: dict[str, Any]) -> list[Any] | Unavailable:
        """The own tags of a resource."""
        collection, _, name = node["name"].partition("/")
        full_name = f"{FULL_NAME}{collection}/{node.get('number', name)}"
        try:
            tags = self._call(self._bindings.list_effective_tags, parent=full_name)
            with translated_errors():
                return [tag for tag in tags if not tag.inherited]
        except CallFailed as error:
            return unavailable(error, TAGS)

    def _policies_on(self, name: str) -> list[dict[str, Any]]:
        """The policies for the two constraints that are set on a resource itself."""

        def read() -> list[dict[str, Any]]:
            found = self._call(self._policies.list_policies, parent=name)
            with translated_errors():
                return [MessageToDict(orgpolicy_v2.Policy.pb(policy)) for policy in found]

        bodies = {body["name"].rpartition("/")[2]: body for body in self._reading(name, POLICIES, read) or ()}
        return [_body(bodies[one], f"{name}/policies/{one}") for one in sorted(_CONSTRAINTS) if one in bodies]

    def _answer(self, question: tuple[str, str]) -> dict[str, Any] | None:
        """What a constraint comes to for a project."""
        project, constraint = question
        name = f"{project}/policies/{constraint}"
        found = self._reading(project, POLICIES, lambda: self._call(self._policies.get_effective_policy, name=name))
        if found is None:
            return None
        body = MessageToDict(orgpolicy_v2.Policy.pb(found))
        # JSON leaves out an empty spec, which in an answer means the constraint's default.
        return _body({"spec": {}, **body}, name)


def _rank(name: str) -> tuple[int, str]:
    """The organization first, then folders, then projects."""
    return ("organizations", "folders", "projects").index(name.partition("/")[0]), name


def _body(body: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A policy as the file holds it. The order of values and the bookkeeping of the API mean nothing."""
    specs = {kind: _spec(body[kind]) for kind in ("spec", "dryRunSpec") if kind in body}
    return {"name": name, **specs}


def _spec(spec: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in sorted(spec.items()) if key not in ("etag", "updateTime", "rules")}
    rules = [dict(sorted(rule.items())) for rule in spec.get("rules", ())]
    for rule in rules:
        if "values" in rule:
            rule["values"] = {key: sorted(values) for key, values in sorted(rule["values"].items())}
    return {**kept, **({"rules": rules} if rules else {})}


def _values(tags: Iterable[Any]) -> dict[str, str]:
    return dict(sorted((tag.namespaced_tag_key, short_value(tag)) for tag in tags))


def _keys(found: Iterable[Iterable[Any]]) -> dict[str, dict[str, Any]]:
    """The permanent ids of all tags that are bound somewhere, by namespaced key."""
    keys: dict[str, dict[str, Any]] = {}
    for tag in sorted((tag for tags in found for tag in tags), key=lambda tag: str(tag.namespaced_tag_value)):
        key = keys.setdefault(tag.namespaced_tag_key, {"id": tag.tag_key, "values": {}})
        key["values"][short_value(tag)] = tag.tag_value
    return keys
