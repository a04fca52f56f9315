"""The organization's resource tree with its policies, and effective policies worked out from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from reconciler.model import RegionSet, digest
from reconciler.orgpolicy.catalogue import Catalogue
from reconciler.orgpolicy.effective import EffectivePolicy
from reconciler.orgpolicy.evaluate import evaluate, from_answer
from reconciler.orgpolicy.policies import ENFORCE_IN_TRANSIT, RESOURCE_LOCATIONS, Policy
from reconciler.orgpolicy.tags import TagKey, Tags


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """An organization, folder or project.

    Attributes:
        name: `organizations/N`, `folders/N` or `projects/ID`.
        parent: the parent's name; `None` for the organization.
        number: a project's number.
        tags: own tags, `ORG_ID/key` to short value; `None` where nobody says which there are.
    """

    name: str
    parent: str | None = None
    number: str | None = None
    display_name: str | None = None
    tags: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What an organization looks like and allows, at one time.

    Build it through `reconciler.spec`, which refuses missing parents, cycles and duplicates with their positions.

    Attributes:
        captured_at: ISO 8601, or `None` for one written by hand.
        resources: by name.
        policies: by (resource name, constraint); project resources are named by id.
        effective: what the API answered, by (project id, constraint).
        value_groups: corrections of the catalogue.
        tag_keys: the permanent ids of tags, by namespaced key, for conditions that name them so.
    """

    organization: str
    captured_at: str | None = None
    resources: Mapping[str, Resource] = field(default_factory=dict)
    policies: Mapping[tuple[str, str], Policy] = field(default_factory=dict)
    effective: Mapping[tuple[str, str], Policy] = field(default_factory=dict)
    value_groups: Mapping[str, RegionSet] = field(default_factory=dict)
    tag_keys: Mapping[str, TagKey] = field(default_factory=dict)

    @property
    def projects(self) -> tuple[str, ...]:
        """The ids of all projects, sorted."""
        return tuple(sorted(n.removeprefix("projects/") for n in self.resources if n.startswith("projects/")))

    @property
    def fingerprint(self) -> str:
        """`sha256:...` over everything that can change an answer; a dry run cannot."""
        tree = {name: [one.parent, one.tags] for name, one in self.resources.items()}
        policies = [
            [[*key, replace(bodies[key], dry_run=None)] for key in sorted(bodies)]
            for bodies in (self.policies, self.effective)
        ]
        return digest([tree, *policies, self.value_groups, self.tag_keys])

    def project_id(self, name: str) -> str:
        """The id of a project that is named by its id or its number; an unknown name is returned as it is."""
        for resource in self.resources.values():
            if resource.number == name:
                return resource.name.removeprefix("projects/")
        return name

    def lineage(self, project: str) -> Iterator[Resource]:
        """A project and its ancestors, nearest first."""
        resource = self.resources.get(f"projects/{project}")
        while resource is not None:
            yield resource
            resource = self.resources.get(resource.parent) if resource.parent else None

    def chain(self, project: str, constraint: str) -> tuple[Policy, ...]:
        """The policies for a constraint on a project and its ancestors, nearest first."""
        keys = ((resource.name, constraint) for resource in self.lineage(project))
        return tuple(self.policies[key] for key in keys if key in self.policies)

    def tags(self, project: str) -> Tags:
        """The effective tags of a project, own and inherited."""
        return Tags.inherited(((node.name, node.tags) for node in self.lineage(project)), self.tag_keys)

    def evaluated(self, project: str, catalogue: Catalogue) -> EffectivePolicy:
        """What hedgerow makes of the policies on a project of the snapshot and above it, whatever the API answered."""
        return evaluate(
            project,
            self.chain(project, RESOURCE_LOCATIONS),
            self.chain(project, ENFORCE_IN_TRANSIT),
            catalogue.with_groups(self.value_groups),
            self.tags(project),
        )

    def effective_policy(self, project: str, catalogue: Catalogue) -> EffectivePolicy | None:
        """The effective policy of a project, or `None` where the snapshot does not have the project.

        Where the snapshot holds the API's own answer, that is used, and compared with hedgerow's evaluation.
        """
        if f"projects/{project}" not in self.resources:
            return None
        catalogue = catalogue.with_groups(self.value_groups)
        own = self.evaluated(project, catalogue)
        answer = self.effective.get((project, RESOURCE_LOCATIONS))
        if answer is None:
            return own
        in_transit = self.effective.get((project, ENFORCE_IN_TRANSIT))
        theirs = from_answer(project, answer, in_transit, catalogue, source="the API's answer in the snapshot")
        if in_transit is None:
            theirs = replace(
                theirs, in_transit=own.in_transit, doubts=tuple(d for d in theirs.doubts if "not asked" not in d)
            )
        # The answer's steps name only the project; hedgerow's own say where each value was really set.
        agreeing = own.steps if own.allowed.comes_to(theirs.allowed, catalogue.regions) else theirs.steps
        return replace(theirs, steps=agreeing, disagreement=_disagreement(own, theirs, catalogue.regions))

    def with_policies(self, policies: Iterable[Policy]) -> Snapshot:
        """The snapshot as it would be with these policies set, over those of the same resource and constraint.

        What the API answered for the projects below a changed policy says nothing any more, and is left out.
        """
        changed = {(policy.resource, policy.constraint): policy for policy in policies}
        stale = {
            (project, constraint)
            for project, constraint in self.effective
            if any((node.name, constraint) in changed for node in self.lineage(project))
        }
        return replace(
            self,
            policies={**self.policies, **changed},
            effective={key: answer for key, answer in self.effective.items() if key not in stale},
        )

    def with_dry_runs(self) -> Snapshot:
        """The snapshot as it would be with every dry run enforced."""
        return self.with_policies(policy.dry_run for policy in self.policies.values() if policy.dry_run is not None)


def _disagreement(own: EffectivePolicy, theirs: EffectivePolicy, known: RegionSet) -> str | None:
    """How the API's answer lies outside what hedgerow's own evaluation holds possible, for the `known` regions."""
    extra = theirs.allowed.certain - own.allowed.possible
    lacking = own.allowed.certain - theirs.allowed.possible
    parts = [f"it allows {extra}"] * bool(extra.listed(known))
    if lacking.listed(known):
        # What is left of "all but ..." cannot be named, so what there is instead is.
        only = lacking.complement
        parts.append(f"it allows only {theirs.allowed.possible}" if only else f"it does not allow {lacking}")
    if {own.in_transit, theirs.in_transit} == {True, False}:
        parts.append(f"it {'requires' if theirs.in_transit else 'does not require'} enforcement in transit")
    if not parts:
        return None
    *others, last = parts
    told = f"{', '.join(others)} and {last}" if others else last
    return f"the API's answer differs from the policies in the snapshot: {told}"
