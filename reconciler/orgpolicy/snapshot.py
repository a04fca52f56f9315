"""The organization's resource tree with its policies, and effective policies worked out from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from reconciler.model import RegionSet, digest
from reconciler.orgpolicy.catalogue import Catalogue
from reconciler.orgpolicy.effective import EffectivePolicy
from reconciler.orgpolicy.evaluate import evaluate, from_answer
from reconciler.orgpolicy.policies import ENFORCE_IN_TRANSIT, RESOURCE_LOCATIONS, Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """An organization, folder or project.

    Attributes:
        name: `organizations/N`, `folders/N` or `projects/ID`.
        parent: the parent's name; `None` for the organization.
        number: a project's number.
        tags: own tags, `ORG_ID/key` to short value.
    """

    name: str
    parent: str | None = None
    number: str | None = None
    display_name: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


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
    """

    organization: str
    captured_at: str | None = None
    resources: Mapping[str, Resource] = field(default_factory=dict)
    policies: Mapping[tuple[str, str], Policy] = field(default_factory=dict)
    effective: Mapping[tuple[str, str], Policy] = field(default_factory=dict)
    value_groups: Mapping[str, RegionSet] = field(default_factory=dict)

    @property
    def projects(self) -> tuple[str, ...]:
        """The ids of all projects, sorted."""
        return tuple(sorted(n.removeprefix("projects/") for n in self.resources if n.startswith("projects/")))

    @property
    def fingerprint(self) -> str:
        """`sha256:...` over everything that can change an answer."""
        tree = {name: [one.parent, one.tags] for name, one in self.resources.items()}
        policies = [[[*key, bodies[key]] for key in sorted(bodies)] for bodies in (self.policies, self.effective)]
        return digest([tree, *policies, self.value_groups])

    def lineage(self, project: str) -> Iterator[Resource]:
        """A project and its ancestors, nearest first."""
        resource = self.resources.get(f"projects/{project}")
        while resource is not None:
            yield resource
            resource = self.resources.get(resource.parent) if resource.parent else None

    def effective_policy(self, project: str, catalogue: Catalogue) -> EffectivePolicy | None:
        """The effective policy of a project, or `None` where the snapshot does not have the project.

        Where the snapshot holds the API's own answer, that is used, and compared with hedgerow's evaluation.
        """
        lineage = [resource.name for resource in self.lineage(project)]
        if not lineage:
            return None
        catalogue = catalogue.with_groups(self.value_groups)
        own = evaluate(
            project,
            [self.policies[n, RESOURCE_LOCATIONS] for n in lineage if (n, RESOURCE_LOCATIONS) in self.policies],
            [self.policies[n, ENFORCE_IN_TRANSIT] for n in lineage if (n, ENFORCE_IN_TRANSIT) in self.policies],
            catalogue,
        )
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


def _disagreement(own: EffectivePolicy, theirs: EffectivePolicy, known: RegionSet) -> str | None:
    """How the API's answer lies outside what hedgerow's own evaluation holds possible, for the `known` regions."""
    extra = theirs.allowed.certain - own.allowed.possible
    lacking = own.allowed.certain - theirs.allowed.possible
    parts = [f"it allows {extra}"] * bool(extra.listed(known))
    if lacking.listed(known):
        # What is left of "all but ..." cannot be named, so what there is instead is.
        only = lacking.complement
        parts.append(f"it allows only {theirs.allowed.possible}" if only else f"it does not allow {lacking}")
    if not parts:
        return None
    return f"the API's answer differs from the policies in the snapshot: {' and '.join(parts)}"
