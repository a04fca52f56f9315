"""The API surface: every method that the sandbox knows.

The HTTP bindings are those of `google.api.http` in the API definitions.
"""

from __future__ import annotations

import google.cloud.orgpolicy_v2 as op
import google.cloud.resourcemanager_v3 as rm
import google.pubsub_v1.types as ps
from google.protobuf.empty_pb2 import Empty

from reconciler.sandbox import org_policy, publisher, resource_manager, subscriber
from reconciler.sandbox.assets import ASSET_METHODS
from reconciler.sandbox.denials import Service
from reconciler.sandbox.methods import Binding, Method, Trait
from reconciler.sandbox.tags import TAG_METHODS

_PUBLISHER = ("google.pubsub.v1.Publisher", Service.PUBSUB)
_SUBSCRIBER = ("google.pubsub.v1.Subscriber", Service.PUBSUB)
_ORG_POLICY = ("google.cloud.orgpolicy.v2.OrgPolicy", Service.ORG_POLICY)
_PROJECTS = ("google.cloud.resourcemanager.v3.Projects", Service.RESOURCE_MANAGER)
_FOLDERS = ("google.cloud.resourcemanager.v3.Folders", Service.RESOURCE_MANAGER)
_ORGANIZATIONS = ("google.cloud.resourcemanager.v3.Organizations", Service.RESOURCE_MANAGER)

_CHANGE = Trait.WRITE | Trait.ADMINISTRATOR
_LOOK = Trait.ADMINISTRATOR
_OWNERS = ("organizations", "folders", "projects")


def _at(verb: str, template: str, body: str = "") -> Binding:
    return Binding(verb=verb, template=template, body=body)


def _at_owners(verb: str, template: str, body: str = "") -> tuple[Binding, ...]:
    return tuple(_at(verb, template.replace("OWNERS", owner), body) for owner in _OWNERS)


METHODS: tuple[Method, ...] = (
    Method.of(
        _PUBLISHER,
        publisher.create_topic,
        (ps.Topic, ps.Topic),
        "name",
        _CHANGE,
        _at("PUT", "/v1/{name=projects/*/topics/*}", "*"),
    ),
    Method.of(
        _PUBLISHER,
        publisher.get_topic,
        (ps.GetTopicRequest, ps.Topic),
        "topic",
        _LOOK,
        _at("GET", "/v1/{topic=projects/*/topics/*}"),
    ),
    Method.of(
        _PUBLISHER,
        publisher.list_topics,
        (ps.ListTopicsRequest, ps.ListTopicsResponse),
        "project",
        _LOOK,
        _at("GET", "/v1/{project=projects/*}/topics"),
    ),
    Method.of(
        _PUBLISHER,
        publisher.update_topic,
        (ps.UpdateTopicRequest, ps.Topic),
        "topic.name",
        _CHANGE,
        _at("PATCH", "/v1/{topic.name=projects/*/topics/*}", "*"),
    ),
    Method.of(
        _PUBLISHER,
        publisher.delete_topic,
        (ps.DeleteTopicRequest, Empty),
        "topic",
        _CHANGE,
        _at("DELETE", "/v1/{topic=projects/*/topics/*}"),
    ),
    Method.of(
        _PUBLISHER,
        publisher.publish,
        (ps.PublishRequest, ps.PublishResponse),
        "topic",
        Trait.READ,
        _at("POST", "/v1/{topic=projects/*/topics/*}:publish", "*"),
    ),
    Method.of(
        _SUBSCRIBER,
        subscriber.create_subscription,
        (ps.Subscription, ps.Subscription),
        "name",
        _CHANGE,
        _at("PUT", "/v1/{name=projects/*/subscriptions/*}", "*"),
    ),
    Method.of(
        _SUBSCRIBER,
        subscriber.get_subscription,
        (ps.GetSubscriptionRequest, ps.Subscription),
        "subscription",
        _LOOK,
        _at("GET", "/v1/{subscription=projects/*/subscriptions/*}"),
    ),
    Method.of(
        _SUBSCRIBER,
        subscriber.list_subscriptions,
        (ps.ListSubscriptionsRequest, ps.ListSubscriptionsResponse),
        "project",
        _LOOK,
        _at("GET", "/v1/{project=projects/*}/subscriptions"),
    ),
    Method.of(
        _SUBSCRIBER,
        subscriber.delete_subscription,
        (ps.DeleteSubscriptionRequest, Empty),
        "subscription",
        _CHANGE,
        _at("DELETE", "/v1/{subscription=projects/*/subscriptions/*}"),
    ),
    Method.of(
        _SUBSCRIBER,
        subscriber.pull,
        (ps.PullRequest, ps.PullResponse),
        "subscription",
        Trait.READ,
        _at("POST", "/v1/{subscription=projects/*/subscriptions/*}:pull", "*"),
    ),
    Method.of(
        _SUBSCRIBER,
        subscriber.acknowledge,
        (ps.AcknowledgeRequest, Empty),
        "subscription",
        Trait.READ,
        _at("POST", "/v1/{subscription=projects/*/subscriptions/*}:acknowledge", "*"),
    ),
    Method.of(
        _ORG_POLICY,
        org_policy.get_effective_policy,
        (op.GetEffectivePolicyRequest, op.Policy),
        "name",
        Trait.READ,
        *_at_owners("GET", "/v2/{name=OWNERS/*/policies/*}:getEffectivePolicy"),
    ),
    Method.of(
        _ORG_POLICY,
        org_policy.get_policy,
        (op.GetPolicyRequest, op.Policy),
        "name",
        Trait.READ,
        *_at_owners("GET", "/v2/{name=OWNERS/*/policies/*}"),
    ),
    Method.of(
        _ORG_POLICY,
        org_policy.list_policies,
        (op.ListPoliciesRequest, op.ListPoliciesResponse),
        "parent",
        Trait.READ,
        *_at_owners("GET", "/v2/{parent=OWNERS/*}/policies"),
    ),
    Method.of(
        _ORG_POLICY,
        org_policy.create_policy,
        (op.CreatePolicyRequest, op.Policy),
        "parent",
        Trait.WRITE,
        *_at_owners("POST", "/v2/{parent=OWNERS/*}/policies", "policy"),
    ),
    Method.of(
        _ORG_POLICY,
        org_policy.update_policy,
        (op.UpdatePolicyRequest, op.Policy),
        "policy.name",
        Trait.WRITE,
        *_at_owners("PATCH", "/v2/{policy.name=OWNERS/*/policies/*}", "policy"),
    ),
    Method.of(
        _ORG_POLICY,
        org_policy.delete_policy,
        (op.DeletePolicyRequest, Empty),
        "name",
        Trait.WRITE,
        *_at_owners("DELETE", "/v2/{name=OWNERS/*/policies/*}"),
    ),
    Method.of(
        _PROJECTS,
        resource_manager.get_project,
        (rm.GetProjectRequest, rm.Project),
        "name",
        Trait.READ,
        _at("GET", "/v3/{name=projects/*}"),
    ),
    Method.of(
        _PROJECTS,
        resource_manager.list_projects,
        (rm.ListProjectsRequest, rm.ListProjectsResponse),
        "parent",
        Trait.READ,
        _at("GET", "/v3/projects"),
    ),
    Method.of(
        _PROJECTS,
        resource_manager.search_projects,
        (rm.SearchProjectsRequest, rm.SearchProjectsResponse),
        "",
        Trait.READ,
        _at("GET", "/v3/projects:search"),
    ),
    Method.of(
        _FOLDERS,
        resource_manager.get_folder,
        (rm.GetFolderRequest, rm.Folder),
        "name",
        Trait.READ,
        _at("GET", "/v3/{name=folders/*}"),
    ),
    Method.of(
        _FOLDERS,
        resource_manager.list_folders,
        (rm.ListFoldersRequest, rm.ListFoldersResponse),
        "parent",
        Trait.READ,
        _at("GET", "/v3/folders"),
    ),
    Method.of(
        _FOLDERS,
        resource_manager.search_folders,
        (rm.SearchFoldersRequest, rm.SearchFoldersResponse),
        "",
        Trait.READ,
        _at("GET", "/v3/folders:search"),
    ),
    Method.of(
        _ORGANIZATIONS,
        resource_manager.get_organization,
        (rm.GetOrganizationRequest, rm.Organization),
        "name",
        Trait.READ,
        _at("GET", "/v3/{name=organizations/*}"),
    ),
    Method.of(
        _ORGANIZATIONS,
        resource_manager.search_organizations,
        (rm.SearchOrganizationsRequest, rm.SearchOrganizationsResponse),
        "",
        Trait.READ,
        _at("GET", "/v3/organizations:search"),
    ),
    *TAG_METHODS,
    *ASSET_METHODS,
)
"""Every method; where two REST paths fit, the first counts."""
