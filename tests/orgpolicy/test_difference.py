"""Two snapshots compared by what they come to."""

from __future__ import annotations

from reconciler.model import NO_REGIONS, RegionSet
from reconciler.orgpolicy import Policy, PolicyChange, Resource, Snapshot, policy_changes
from tests.orgpolicy.policies import CATALOGUE, FOLDER, ORGANIZATION, PROJECT, allow, in_transit, locations


def snapshot(*policies: Policy, projects: tuple[str, ...] = (PROJECT,)) -> Snapshot:
    resources = [Resource(name=ORGANIZATION), Resource(name=FOLDER, parent=ORGANIZATION)]
    resources += [Resource(name=project, parent=FOLDER) for project in projects]
    return Snapshot(
        organization=ORGANIZATION,
        resources={resource.name: resource for resource in resources},
        policies={(policy.resource, policy.constraint): policy for policy in policies},
    )


def changes(old: Snapshot, new: Snapshot) -> tuple[PolicyChange, ...]:
    return policy_changes(old, new, CATALOGUE)


def sets(change: PolicyChange) -> list[RegionSet]:
    return [change.gained, change.lost, change.unsettled, change.settled]


def test_saying_it_in_other_words_or_at_another_node_is_no_change() -> None:
    old = snapshot(locations(ORGANIZATION, allow("in:eu-locations")))
    new = snapshot(locations(FOLDER, allow("europe-west1", "in:europe-west4-locations")))

    assert changes(old, new) == ()


def test_what_is_certain_on_both_sides_is_gained_or_lost() -> None:
    (change,) = changes(
        snapshot(locations(FOLDER, allow("in:eu-locations"))),
        snapshot(locations(FOLDER, allow("europe-west1", "us-east1"))),
    )

    assert (change.project, sets(change)) == (
        "acme-orders",
        [RegionSet.of("us-east1"), RegionSet.of("europe-west4"), NO_REGIONS, NO_REGIONS],
    )


def test_what_becomes_undecided_is_neither_gained_nor_lost() -> None:
    certain, uncertain = (
        snapshot(locations(FOLDER, allow(*values))) for values in (("us-east1", "us-central1"), ("in:us-locations",))
    )
    (doubtful,), (settled,) = changes(certain, uncertain), changes(uncertain, certain)

    assert sets(doubtful) == [NO_REGIONS, NO_REGIONS, RegionSet.of("us-east7"), NO_REGIONS]
    assert sets(settled) == [NO_REGIONS, NO_REGIONS, NO_REGIONS, RegionSet.of("us-east7")]


def test_a_changed_requirement_is_a_change() -> None:
    (change,) = changes(snapshot(), snapshot(in_transit(FOLDER, {"enforce": True})))

    assert change.before is not None
    assert change.after is not None
    assert (change.before.in_transit, change.after.in_transit, sets(change)) == (False, True, [NO_REGIONS] * 4)


def test_projects_that_one_snapshot_lacks_are_changes_without_regions() -> None:
    old, new = (snapshot(projects=(name,)) for name in ("projects/acme-old", "projects/acme-new"))

    found = changes(old, new)

    assert [(c.project, c.before is None, c.after is None, sets(c)) for c in found] == [
        ("acme-new", True, False, [NO_REGIONS] * 4),
        ("acme-old", False, True, [NO_REGIONS] * 4),
    ]
