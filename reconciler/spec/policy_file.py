"""A file of organization policies to try out: one policy, or `policies: [...]`, as the API and `gcloud` write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reconciler.model import Origin
from reconciler.orgpolicy import Policy, Snapshot
from reconciler.spec.files import read_document
from reconciler.spec.positions import locate
from reconciler.spec.problems import InvalidSpecs, Problems
from reconciler.spec.schema import fits
from reconciler.spec.snapshot import read_policies


def load_policies(path: Path, snapshot: Snapshot) -> tuple[Policy, ...]:
    """The policies of a file, on resources of a snapshot.

    Raises:
        InvalidSpecs: with everything that is wrong with the file; a resource that the snapshot does not have is, too.
    """
    file, problems = str(path), Problems()
    document = read_document(path, file, problems)
    policies: tuple[Policy, ...] = ()
    if document is not None:
        wrapped = "policies" in document.body
        # The schema knows policies as a list inside a snapshot; the rest of one is made up around them.
        body: dict[str, Any] = {
            "organization": snapshot.organization,
            "resources": [],
            **(document.body if wrapped else {"policies": [document.body]}),
        }
        if not fits("organization", body):
            from reconciler.spec.explain import explain  # noqa: PLC0415 - as for the files of a stack

            explain("organization", body, file, problems)
        else:
            ids = {f"projects/{one.number}": name for name, one in snapshot.resources.items() if one.number}
            found = read_policies(body["policies"], Origin(file, ("policies",)), snapshot.resources, ids, problems)
            policies = tuple(found.values())

    def place(origin: Origin) -> Any:
        within = origin.path if document is not None and "policies" in document.body else origin.path[2:]
        return locate(Origin(origin.file, within), file=path)

    if problems.error_count:
        raise InvalidSpecs(problems.located(place))
    return policies
