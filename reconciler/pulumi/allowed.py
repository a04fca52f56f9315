"""What the organization allows the projects of a stack, from wherever the stack says that this is to be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from reconciler.errors import HedgerowError
from reconciler.model import LIVE, Stack
from reconciler.orgpolicy import Catalogue, EffectivePolicy
from reconciler.reconcile import all_available
from reconciler.spec import load_catalogue, load_snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """The effective policies of some projects of a stack.

    Attributes:
        policies: by project; `None` for one that the snapshot does not have.
        catalogue: what the policies were worked out with.
    """

    policies: Mapping[str, EffectivePolicy | None]
    catalogue: Catalogue


def load_allowed(stack: Stack, projects: Iterable[str], environment: Mapping[str, str]) -> Allowed:
    """Reads the stack's snapshot, or asks the API about some projects where its `policySource` is `live`.

    Raises:
        InvalidInput: when the snapshot cannot be used.
        NotEvaluated: when the API did not answer for a project.
    """
    if stack.policy_source == LIVE:
        return _live(stack, projects, environment)
    snapshot = load_snapshot(Path(stack.policy_source))
    catalogue = load_catalogue().with_groups(snapshot.value_groups)
    policies = {project: snapshot.effective_policy(project, catalogue) for project in projects}
    return Allowed(policies=policies, catalogue=catalogue)


def _live(stack: Stack, projects: Iterable[str], environment: Mapping[str, str]) -> Allowed:
    try:
        # Google's clients come with `hedgerow[gcp]`, which a stack with a snapshot does not need.
        from reconciler.gcp import Organization, connection_of, read_policies  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise HedgerowError(
            f"`policySource: live` needs the Google Cloud clients: {error.name} is missing",
            hint="pip install 'hedgerow[gcp]'",
        ) from None
    catalogue = load_catalogue()
    answers = read_policies(projects, Organization(connection_of(stack, environment), catalogue))
    return Allowed(policies=all_available(answers), catalogue=catalogue)
