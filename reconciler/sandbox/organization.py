"""The resource tree with its organization policies, and what they come to.

The truth of the sandbox is what `reconciler.orgpolicy` holds *certain*: members of value groups that are only possible
are outside, and "all but X" means the catalogue's regions but X. A resource whose tags nobody named has none.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import RLock
from typing import Any

from reconciler.model import is_project_id
from reconciler.orgpolicy import (
    ENFORCE_IN_TRANSIT,
    RESOURCE_LOCATIONS,
    Catalogue,
    Effect,
    EffectivePolicy,
    Policy,
    Resource,
    Snapshot,
    TagKey,
    Tags,
    evaluate,
    from_answer,
)
from reconciler.sandbox.clock import Clock
from reconciler.sandbox.errors import ApiError, Code
from reconciler.sandbox.policies import Effective, SetPolicy, accepted, body_of

_Key = tuple[str, str]
_Policies = Mapping[_Key, SetPolicy]


class Organization:
    """Resources, policies and their history. Thread-safe: policies are replaced as a whole, never changed in place.

    Attributes:
        catalogue: with the value groups of the snapshots loaded so far.
        propagation: how long Pub/Sub goes on with the policies of before a change.
    """

    def __init__(self, catalogue: Catalogue, clock: Clock, propagation: timedelta = timedelta(0)) -> None:
        self.catalogue = catalogue
        self.propagation = propagation
        self._clock = clock
        self._resources: dict[str, Resource] = {}
        self._history: list[tuple[datetime, _Policies]] = [(datetime.min.replace(tzinfo=UTC), {})]
        self._answers: Mapping[_Key, Policy] = {}
        self._tag_keys: dict[str, TagKey] = {}
        self._cache: dict[tuple[str, int], Effective] = {}
        self._writes = 0
        self._lock = RLock()

    def load(self, snapshot: Snapshot) -> None:
        """Adds a snapshot's resources, policies, value groups and recorded answers, over those already there.

        Policies count as always having been there. A recorded answer of the API decides for its project until a policy
        above it changes.
        """
        with self._lock:
            self.catalogue = self.catalogue.with_groups(snapshot.value_groups)
            self._resources |= snapshot.resources
            policies = dict(self.policies)
            for key, policy in snapshot.policies.items():
                policies[key] = self._entry(policy, body_of(policy))
            self._history = [(self._history[0][0], policies)]
            self._answers = {**self._answers, **snapshot.effective}
            self._tag_keys |= snapshot.tag_keys
            self._cache.clear()

    @property
    def policies(self) -> _Policies:
        """What is set now, by resource and constraint."""
        return self._history[-1][1]

    @property
    def resources(self) -> tuple[Resource, ...]:
        """Every organization, folder and project, by name."""
        with self._lock:
            return tuple(self._resources[name] for name in sorted(self._resources))

    def find(self, name: str) -> Resource | None:
        """The resource of this name; projects are found by id and by number.

        In a sandbox without an organization, every well-formed project exists and stands alone.
        """
        with self._lock:
            if name in self._resources:
                return self._resources[name]
            by_number = (r for r in self._resources.values() if r.name.startswith("projects/"))
            found = next((r for r in by_number if f"projects/{self.number(r)}" == name), None)
            if found is None and is_project_id(name.removeprefix("projects/")) and self._is_rootless():
                return self.adopt(name)
            return found

    def adopt(self, name: str) -> Resource:
        """The project of this name, made to stand alone under no organization if it did not exist."""
        with self._lock:
            return self._resources.setdefault(name, Resource(name=name))

    @staticmethod
    def number(resource: Resource) -> str:
        """A project's number; one made from the id where none is known."""
        return resource.number or _made_up_number(resource.name)

    def lineage(self, resource: Resource) -> list[str]:
        """The names of a resource and its ancestors, nearest first."""
        names = [resource.name]
        while resource.parent is not None and resource.parent in self._resources:
            resource = self._resources[resource.parent]
            names.append(resource.name)
        return names

    def tags(self, resource: Resource) -> Tags:
        """The effective tags of a resource, with a made-up id for every key and value that has none."""
        nodes = [self._resources.get(name) for name in self.lineage(resource)]
        own = [(node.name, node.tags or {}) for node in nodes if node is not None]
        return Tags.inherited(own, {key: self.tag_key(key) for _, tags in own for key in tags})

    def tag_key(self, key: str) -> TagKey:
        """The ids of a namespaced key and of every value of it that is bound somewhere."""
        known = self._tag_keys.get(key)
        bound = {node.tags[key] for node in self._resources.values() if node.tags and key in node.tags}
        return TagKey(
            id=known.id if known else f"tagKeys/{_made_up_number(key)}",
            values={
                **{value: f"tagValues/{_made_up_number(f'{key}/{value}')}" for value in sorted(bound)},
                **(known.values if known else {}),
            },
        )

    @property
    def tag_keys(self) -> tuple[str, ...]:
        """The namespaced keys of all tags, sorted."""
        with self._lock:
            bound = {key for node in self._resources.values() for key in node.tags or ()}
            return tuple(sorted(bound | self._tag_keys.keys()))

    def set_policy(self, body: Mapping[str, Any], guard: Callable[[SetPolicy | None], None] | None = None) -> _Key:
        """Sets a policy from its v2 body, over the one of before; returns where it is kept.

        Args:
            body: with `name` `RESOURCE/policies/CONSTRAINT`.
            guard: sees what is set before the change, and may refuse by raising.

        Raises:
            ApiError: `INVALID_ARGUMENT` for a body that the service would refuse, `NOT_FOUND` for an unknown resource.
        """
        policy, kept = accepted(body, self.catalogue)
        with self._lock:
            policy = replace(policy, resource=self._existing(policy.resource).name)
            key = (policy.resource, policy.constraint)
            if guard is not None:
                guard(self.policies.get(key))
            self._record({**self.policies, key: self._entry(policy, kept)}, changed=key)
        return key

    def delete_policy(self, resource: str, constraint: str, guard: Callable[[SetPolicy], None] | None = None) -> None:
        """Takes a policy away.

        Raises:
            ApiError: `NOT_FOUND` where none is set.
        """
        with self._lock:
            key = (self._existing(resource).name, constraint.removeprefix("constraints/"))
            if key not in self.policies:
                raise ApiError(Code.NOT_FOUND, f"No policy is set: {key[0]}/policies/{key[1]}.")
            if guard is not None:
                guard(self.policies[key])
            self._record({k: v for k, v in self.policies.items() if k != key}, changed=key)

    def effective(self, resource: Resource) -> Effective:
        """What the policies that are set now come to (what Organization Policy itself answers)."""
        with self._lock:
            return self._effective(resource, len(self._history) - 1)

    def enforced(self, resource: Resource) -> Effective:
        """What Pub/Sub enforces now: the policies as they were `propagation` ago."""
        with self._lock:
            seen = self._clock.now() - self.propagation
            version = max(i for i, (since, _) in enumerate(self._history) if i == 0 or since <= seen)
            return self._effective(resource, version)

    def _effective(self, resource: Resource, version: int) -> Effective:
        if (resource.name, version) not in self._cache:
            evaluated = self._evaluated(resource, self._history[version][1])
            allowed = evaluated.allowed.certain
            denied = {step.value for step in evaluated.steps if step.effect is Effect.DENY}
            named = {step.value.removeprefix("is:") for step in evaluated.steps if step.effect is Effect.ALLOW}
            others = (v for v in named - denied - {"allowAll"} if self.catalogue.names_no_region(v))
            self._cache[resource.name, version] = Effective(
                allowed=allowed if allowed.is_all else allowed.listed(self.catalogue.regions),
                in_transit=bool(evaluated.in_transit),
                others=tuple(sorted(others)),
            )
        return self._cache[resource.name, version]

    def _evaluated(self, resource: Resource, policies: _Policies) -> EffectivePolicy:
        lineage = self.lineage(resource)
        locations, in_transit = (
            [policies[n, constraint].policy for n in lineage if (n, constraint) in policies]
            for constraint in (RESOURCE_LOCATIONS, ENFORCE_IN_TRANSIT)
        )
        project = resource.name.removeprefix("projects/")
        own = evaluate(project, locations, in_transit, self.catalogue, self.tags(resource))
        recorded = self._answers.get((project, RESOURCE_LOCATIONS))
        flag = self._answers.get((project, ENFORCE_IN_TRANSIT))
        if recorded is not None:
            theirs = from_answer(project, recorded, None, self.catalogue)
            own = replace(own, allowed=theirs.allowed, steps=theirs.steps)
        if flag is not None:
            own = replace(own, in_transit=any(rule.enforce for rule in flag.rules))
        return own

    def _record(self, policies: _Policies, *, changed: _Key) -> None:
        self._history.append((self._clock.now(), policies))
        node, constraint = changed
        self._answers = {
            (project, recorded): answer
            for (project, recorded), answer in self._answers.items()
            if recorded != constraint or node not in self._lineage_of(project)
        }
        self._cache.clear()

    def _lineage_of(self, project: str) -> list[str]:
        resource = self._resources.get(f"projects/{project}")
        return self.lineage(resource) if resource else []

    def _entry(self, policy: Policy, body: Mapping[str, Any]) -> SetPolicy:
        self._writes += 1
        moment = self._clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return SetPolicy(policy=policy, body=body, etag=f"etag{self._writes:08d}", updated_at=moment)

    def _existing(self, name: str) -> Resource:
        resource = self.find(name)
        if resource is None:
            raise ApiError(Code.NOT_FOUND, f"The resource does not exist: {name}.")
        return resource

    def _is_rootless(self) -> bool:
        return not any(name.startswith("organizations/") for name in self._resources)


def _made_up_number(name: str) -> str:
    return str(100_000_000_000 + zlib.crc32(name.encode()))
