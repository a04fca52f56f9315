"""Effective organization policies, read live: one call per project and constraint, and why where that can be told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from threading import Lock
from typing import Any

from google.api_core import exceptions
from google.cloud import orgpolicy_v2, resourcemanager_v3
from google.cloud.orgpolicy_v2.services.org_policy.transports import OrgPolicyGrpcTransport
from google.cloud.resourcemanager_v3.services.folders.transports import FoldersGrpcTransport
from google.cloud.resourcemanager_v3.services.projects.transports import ProjectsGrpcTransport
from google.cloud.resourcemanager_v3.services.tag_bindings.transports import TagBindingsGrpcTransport
from google.protobuf.json_format import MessageToDict

from reconciler.gcp.connection import Connection, open_transport, translated_errors
from reconciler.gcp.tags import FULL_NAME, short_value
from reconciler.orgpolicy import (
    ENFORCE_IN_TRANSIT,
    NO_TAGS,
    RESOURCE_LOCATIONS,
    Catalogue,
    EffectivePolicy,
    Policy,
    TagKey,
    Tags,
    evaluate,
    from_answer,
    parse_policy,
)


class Organization:
    """The Organization Policy and Resource Manager APIs. Safe to use from several threads."""

    def __init__(self, connection: Connection, catalogue: Catalogue) -> None:
        self._connection = connection
        self._catalogue = catalogue
        endpoints = connection.endpoints
        self._policies = orgpolicy_v2.OrgPolicyClient(
            transport=open_transport(
                OrgPolicyGrpcTransport, endpoints.org_policy, orgpolicy_v2.OrgPolicyClient.DEFAULT_ENDPOINT
            )
        )
        host = resourcemanager_v3.ProjectsClient.DEFAULT_ENDPOINT
        self._projects = resourcemanager_v3.ProjectsClient(
            transport=open_transport(ProjectsGrpcTransport, endpoints.resource_manager, host)
        )
        self._folders = resourcemanager_v3.FoldersClient(
            transport=open_transport(FoldersGrpcTransport, endpoints.resource_manager, host)
        )
        self._bindings = resourcemanager_v3.TagBindingsClient(
            transport=open_transport(TagBindingsGrpcTransport, endpoints.resource_manager, host)
        )
        self._lock = Lock()
        self._set_on: dict[tuple[str, str], Policy | None] = {}
        self._parents: dict[str, str | None] = {}

    def effective_policy(self, project: str) -> EffectivePolicy:
        """What the API answers for a project, with the nodes that set it where the caller may read them.

        Raises:
            CallFailed: when the API did not answer within the retry budget. That is never "no restriction".
        """
        locations = self._effective(project, RESOURCE_LOCATIONS)
        in_transit = self._effective(project, ENFORCE_IN_TRANSIT)
        answer = from_answer(project, locations, in_transit, self._catalogue)
        return self._explained(answer)

    def _effective(self, project: str, constraint: str) -> Policy:
        with translated_errors():
            answer = self._policies.get_effective_policy(
                name=f"projects/{project}/policies/{constraint}",
                retry=self._connection.read_retry,
                timeout=self._connection.call_timeout,
                metadata=self._connection.metadata(project),
            )
        return _policy(answer)

    def _explained(self, answer: EffectivePolicy) -> EffectivePolicy:
        """The same policy with the steps of the nodes above, if they can be read and lead to the same regions.

        The API's answer is a flat list that does not tell which node set what. The explanation is a courtesy: whatever
        goes wrong with it, the answer stands.
        """
        try:
            lineage = list(self._lineage(answer.project))
            locations = [p for node in lineage if (p := self._policy_on(node, answer.project))]
            tags = self._tags(answer.project) if any(r.condition for p in locations for r in p.rules) else NO_TAGS
        except exceptions.GoogleAPICallError:
            return answer
        own = evaluate(answer.project, locations, [], self._catalogue, tags)
        same = own.allowed.comes_to(answer.allowed, self._catalogue.regions)
        return replace(answer, steps=own.steps) if same else answer

    def _tags(self, project: str) -> Tags:
        """A project's effective tags; the API works out what is inherited."""
        metadata = self._connection.metadata(project)
        found: Any = self._projects.get_project(name=f"projects/{project}", retry=None, timeout=5.0, metadata=metadata)
        bound = self._bindings.list_effective_tags(
            parent=f"{FULL_NAME}{found.name}", retry=None, timeout=5.0, metadata=metadata
        )
        values, keys = {}, {}
        for tag in bound:
            key, value = str(tag.namespaced_tag_key), short_value(tag)
            values[key], keys[key] = value, TagKey(id=tag.tag_key, values={value: tag.tag_value})
        return Tags(values=values, keys=keys)

    def _lineage(self, project: str) -> Iterator[str]:
        node: str | None = f"projects/{project}"
        while node is not None:
            yield node
            node = self._parent_of(node, project)

    def _parent_of(self, node: str, project: str) -> str | None:
        if node.startswith("organizations/"):
            return None
        if node not in self._parents:
            call = self._projects.get_project if node.startswith("projects/") else self._folders.get_folder
            found: Any = call(name=node, retry=None, timeout=5.0, metadata=self._connection.metadata(project))
            with self._lock:
                self._parents[node] = found.parent or None
        return self._parents[node]

    def _policy_on(self, node: str, project: str) -> Policy | None:
        """The policy set on a node itself, asked once for each node."""
        key = (node, RESOURCE_LOCATIONS)
        if key not in self._set_on:
            try:
                found = _policy(
                    self._policies.get_policy(
                        name=f"{node}/policies/{RESOURCE_LOCATIONS}",
                        retry=None,
                        timeout=5.0,
                        metadata=self._connection.metadata(project),
                    )
                )
            except exceptions.NotFound:
                found = None
            with self._lock:
                self._set_on[key] = found
        return self._set_on[key]


def _policy(message: Any) -> Policy:
    body = MessageToDict(orgpolicy_v2.Policy.pb(message))
    # JSON leaves out an empty spec, which in an answer means the constraint's default.
    return parse_policy({**body, "spec": body.get("spec", {})} if "dryRunSpec" not in body else body)
