"""Algebra of two-sided sets, and laws that every evaluation keeps."""

from __future__ import annotations

import itertools
from dataclasses import replace

import hypothesis.strategies as st
from hypothesis import given

from reconciler.model import RegionSet
from reconciler.orgpolicy import Catalogue, Policy, RegionBounds, Rule, Tags, evaluate, parse_policy
from tests.orgpolicy.policies import ORGANIZATION, PROJECT

NAMES = ("europe-west1", "europe-west4", "us-east1", "us-east7")
WORLD = RegionSet.of(*NAMES)

region_sets = st.builds(RegionSet, st.frozensets(st.sampled_from(NAMES)), st.booleans())
bounds = st.builds(lambda a, b: RegionBounds(a & b, a | b), region_sets, region_sets)

CATALOGUE = Catalogue(
    as_of="2026-10-27",
    regions=WORLD,
    groups={
        "eu-locations": RegionBounds.exactly(RegionSet.of("europe-west1", "europe-west4")),
        "us-locations": RegionBounds(RegionSet.of("us-east1"), RegionSet.of("us-east1", "us-east7")),
    },
)

values = st.sampled_from([*NAMES, "in:eu-locations", "in:us-locations", "in:foo-locations", "eu", "us-east1-b"])
rules = st.builds(
    lambda allowed, denied, kind, condition: Rule(
        number=1,
        allowed=tuple(allowed) if kind == "values" else (),
        denied=tuple(denied) if kind == "values" else (),
        allow_all=kind == "allowAll",
        deny_all=kind == "denyAll",
        condition=condition,
    ),
    st.lists(values, max_size=3),
    st.lists(values, max_size=2),
    st.sampled_from(["values", "values", "values", "allowAll", "denyAll"]),
    st.sampled_from([None, None, "resource.matchTag('1/a', 'b')", "!resource.matchTag('1/a', 'b')"]),
)
chains = st.lists(
    st.builds(
        lambda found, inherit, reset: Policy(
            resource=PROJECT,
            constraint="gcp.resourceLocations",
            rules=() if reset else tuple(replace(rule, number=n) for n, rule in enumerate(found, 1)),
            inherit=inherit and not reset,
            reset=reset,
        ),
        st.lists(rules, min_size=1, max_size=3),
        st.booleans(),
        st.sampled_from([False, False, False, True]),
    ),
    max_size=3,
)


UNKNOWN_TAGS = Tags(unknown_at="folders/4")


def allowed(chain: list[Policy], catalogue: Catalogue = CATALOGUE, tags: Tags = UNKNOWN_TAGS) -> RegionBounds:
    return evaluate("acme-orders", chain, (), catalogue, tags).allowed


@given(bounds, bounds)
def test_operations_keep_certain_within_possible(a: RegionBounds, b: RegionBounds) -> None:
    for result in (a | b, a & b, a - b):
        assert result.certain <= result.possible


@given(bounds, bounds, region_sets, region_sets)
def test_operations_bracket_every_completion(a: RegionBounds, b: RegionBounds, x: RegionSet, y: RegionSet) -> None:
    one, other = a.certain | (a.possible & x), b.certain | (b.possible & y)
    for result, truth in ((a | b, one | other), (a & b, one & other), (a - b, one - other)):
        assert result.certain <= truth <= result.possible


@given(bounds)
def test_undecided_is_what_lies_between_the_sides(a: RegionBounds) -> None:
    assert a.certain | a.undecided == a.possible
    assert a.is_decided == a.undecided.is_empty


@given(chains)
def test_every_evaluation_is_two_sided(chain: list[Policy]) -> None:
    result = allowed(chain)

    assert result.certain <= result.possible


def completions(chain: list[Policy]) -> list[tuple[list[Policy], Catalogue]]:
    """Worlds in which everything is known: members of groups, and whether conditions hold."""
    worlds: list[tuple[list[Policy], Catalogue]] = []
    us, east7 = RegionSet.of("us-east1"), RegionSet.of("us-east7")
    for uncertain, unknown, holds in itertools.product((us, us | east7), (RegionSet(), WORLD), (True, False)):
        catalogue = CATALOGUE.with_groups({"in:us-locations": uncertain, "in:foo-locations": unknown})
        worlds.append(([in_a_world_where(policy, holds=holds) for policy in chain], catalogue))
    return worlds


def in_a_world_where(policy: Policy, *, holds: bool) -> Policy:
    """The policy as it reads where the tag that conditions ask for is bound, or is not."""

    def applies(rule: Rule) -> bool:
        return rule.condition is None or rule.condition.startswith("!") != holds

    return replace(policy, rules=tuple(replace(rule, condition=None) for rule in policy.rules if applies(rule)))


@given(chains, st.booleans())
def test_a_decided_condition_is_the_same_as_its_rule_being_there_or_not(chain: list[Policy], holds: bool) -> None:
    tags = Tags(values={"1/a": "b"} if holds else {})

    assert allowed(chain, tags=tags) == allowed([in_a_world_where(policy, holds=holds) for policy in chain])


@given(chains, st.booleans())
def test_the_two_sides_meet_where_nothing_is_uncertain(chain: list[Policy], holds: bool) -> None:
    catalogue = CATALOGUE.with_groups({"us-locations": RegionSet.of("us-east1"), "foo-locations": WORLD})
    policy = evaluate("acme-orders", chain, (), catalogue, Tags(values={"1/a": "b"} if holds else {}))

    assert policy.allowed.is_decided or all("not documented" in doubt for doubt in policy.doubts)


allowances = st.lists(st.lists(values, min_size=1, max_size=3), min_size=2, max_size=2)


@given(allowances)
def test_merging_allowances_gives_their_union(two: list[list[str]]) -> None:
    below, above = (
        Policy(
            resource=node,
            constraint="gcp.resourceLocations",
            inherit=node == PROJECT,
            rules=(Rule(number=1, allowed=tuple(found)),),
        )
        for node, found in zip((PROJECT, ORGANIZATION), two, strict=True)
    )

    assert allowed([below, above]) == allowed([replace(below, inherit=False)]) | allowed([above])


@given(chains, values)
def test_what_is_denied_below_is_gone_whatever_is_allowed_above(chain: list[Policy], denied: str) -> None:
    lowest = Policy(
        resource=PROJECT, constraint="gcp.resourceLocations", inherit=True, rules=(Rule(number=1, denied=(denied,)),)
    )

    merged = allowed([lowest, *chain])

    if any("not documented" in d for d in evaluate("acme-orders", chain, (), CATALOGUE, UNKNOWN_TAGS).doubts):
        return
    assert not merged.certain & CATALOGUE.expand(denied).possible


v1_lists = st.fixed_dictionaries(
    {"allowedValues": st.lists(values, max_size=3), "deniedValues": st.lists(values, max_size=2)}
).filter(lambda body: bool(body["allowedValues"] or body["deniedValues"]))


@given(v1_lists, st.booleans())
def test_a_v1_policy_means_what_the_same_v2_policy_means(body: dict[str, list[str]], inherit: bool) -> None:
    subject = {"resource": PROJECT, "constraint": "constraints/gcp.resourceLocations"}
    old = parse_policy({**subject, "listPolicy": {**body, "inheritFromParent": inherit}})
    new = parse_policy(
        {
            "name": f"{PROJECT}/policies/gcp.resourceLocations",
            "spec": {"rules": [{"values": body}], "inheritFromParent": inherit},
        }
    )

    assert old == new


@given(chains)
def test_two_sides_bracket_every_completion_of_what_is_unknown(chain: list[Policy]) -> None:
    result = allowed(chain)
    for policies, catalogue in completions(chain):
        if any(not policy.rules and not policy.inherit and not policy.reset for policy in policies):
            continue  # what a policy without rules means is not documented
        truth = allowed(policies, catalogue)
        assert truth.is_decided
        assert result.certain <= truth.certain <= result.possible


@given(chains, st.randoms(use_true_random=False))
def test_order_of_rules_and_values_changes_nothing(chain: list[Policy], random: object) -> None:
    def shuffled(items: tuple[object, ...]) -> tuple[object, ...]:
        order = list(items)
        random.shuffle(order)  # type: ignore[attr-defined]
        return tuple(order)

    turned = [
        replace(
            policy,
            rules=tuple(
                replace(rule, allowed=shuffled(rule.allowed), denied=shuffled(rule.denied))  # type: ignore[arg-type]
                for rule in shuffled(policy.rules)
                if isinstance(rule, Rule)
            ),
        )
        for policy in chain
    ]

    assert allowed(turned) == allowed(chain)


@given(chains)
def test_saying_a_rule_twice_changes_nothing(chain: list[Policy]) -> None:
    assert allowed([replace(policy, rules=policy.rules * 2) for policy in chain]) == allowed(chain)


@given(chains)
def test_what_lies_above_a_policy_that_does_not_inherit_changes_nothing(chain: list[Policy]) -> None:
    lowest = Policy(
        resource=PROJECT,
        constraint="gcp.resourceLocations",
        rules=(Rule(number=1, allowed=("in:eu-locations",)),),
    )
    above = [replace(policy, resource=ORGANIZATION) for policy in chain]

    assert allowed([lowest, *above]) == allowed([lowest])


@given(chains)
def test_an_undecided_answer_says_why(chain: list[Policy]) -> None:
    policy = evaluate("acme-orders", chain, (), CATALOGUE)

    assert bool(policy.doubts) == (not policy.allowed.is_decided)
