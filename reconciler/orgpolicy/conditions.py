"""Conditions on tags: what Google accepts in a rule's `condition`, and whether it holds.

Google accepts four functions on `resource` (`matchTag`, `matchTagId`, `hasTagKey`, `hasTagKeyId`), 1 to 10 of them,
joined with `&&` and `||`, negated with `!` (field comment of `PolicySpec.PolicyRule.condition`, Organization Policy
v2, revision 2026-07-23). Whatever else an expression says is not guessed at: such a condition is undecided.

Logic has three values. `None` is "not known": `True or None` is true, `False and None` is false, the rest stays open.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

from reconciler.orgpolicy.tags import Tags

if TYPE_CHECKING:
    from lark import Token, Tree

MOST_TESTS = 10
"""Tests on tags that one condition may hold."""

_DEEPEST = 50
_ARGUMENTS = {"matchTag": 2, "matchTagId": 2, "hasTagKey": 1, "hasTagKeyId": 1}


@dataclass(frozen=True, slots=True)
class TagTest:
    """One call of one of the four functions, with its texts."""

    function: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """`!operand`."""

    operand: Condition


@dataclass(frozen=True, slots=True)
class Conjunction:
    """`left && right`."""

    left: Condition
    right: Condition


@dataclass(frozen=True, slots=True)
class Disjunction:
    """`left || right`."""

    left: Condition
    right: Condition


Condition: TypeAlias = TagTest | Negation | Conjunction | Disjunction


class UnsupportedCondition(ValueError):
    """An expression that is not a condition on tags; the text says why, as the end of a sentence."""


def holds(condition: Condition, tags: Tags) -> bool | None:
    """Whether a condition holds for a resource with these tags; `None` where its unknown tags decide."""
    match condition:
        case TagTest(function="matchTag", arguments=(key, value)):
            return tags.has_value(key, value)
        case TagTest(function="matchTagId", arguments=(key, value)):
            return tags.has_value_id(key, value)
        case TagTest(function="hasTagKey", arguments=(key,)):
            return tags.has_key(key)
        case TagTest(arguments=arguments):
            return tags.has_key_id(arguments[0])
        case Negation(operand=operand):
            inner = holds(operand, tags)
            return None if inner is None else not inner
        case Conjunction(left=left, right=right):
            both = (holds(left, tags), holds(right, tags))
            return False if False in both else None if None in both else True
        case Disjunction(left=left, right=right):
            both = (holds(left, tags), holds(right, tags))
            return True if True in both else None if None in both else False
        case _:
            assert_never(condition)


@cache
def parse_condition(expression: str) -> Condition:
    """The condition that a CEL expression states.

    Raises:
        UnsupportedCondition: for anything but one to ten of the four functions under `&&`, `||` and `!`.
    """
    # Imported here because it takes a fifth of a second, and most organizations have no condition.
    from celpy.celparser import CELParseError, CELParser  # noqa: PLC0415

    try:
        tree = CELParser().parse(expression)
    except CELParseError:
        raise UnsupportedCondition("is not a CEL expression") from None
    condition = _read(tree, depth=0)
    if _count(condition) > MOST_TESTS:
        raise UnsupportedCondition(f"has more than {MOST_TESTS} tests on tags")
    return condition


def _count(condition: Condition) -> int:
    """How many tests on tags a condition holds."""
    match condition:
        case TagTest():
            return 1
        case Negation(operand=operand):
            return _count(operand)
        case Conjunction(left=left, right=right) | Disjunction(left=left, right=right):
            return _count(left) + _count(right)
        case _:
            assert_never(condition)


def _read(tree: Tree[Token], *, depth: int) -> Condition:
    """The condition of a node of the grammar of `celpy`, where most nodes only stand for the one below them."""
    if depth > _DEEPEST:
        raise UnsupportedCondition(f"nests deeper than {_DEEPEST} levels")
    kind, children = _single(tree)
    match kind, children:
        case "conditionalor", [left, right]:
            return Disjunction(_read(left, depth=depth + 1), _read(right, depth=depth + 1))
        case "conditionaland", [left, right]:
            return Conjunction(_read(left, depth=depth + 1), _read(right, depth=depth + 1))
        case "unary", [sign, operand] if sign.data == "unary_not":
            return Negation(_read(operand, depth=depth + 1))
        case "paren_expr", [inner]:
            return _read(inner, depth=depth + 1)
        case "member_dot_arg", [owner, name, *arguments] if str(name) in _ARGUMENTS:
            return _test(owner, str(name), arguments)
        case _:
            raise UnsupportedCondition("says something else than Google's four functions on tags")


def _test(owner: Tree[Token], name: str, arguments: list[Tree[Token]]) -> TagTest:
    kind, children = _single(owner)
    texts = [_text(argument) for one in arguments for argument in one.children]
    if kind != "ident" or children != ["resource"] or len(texts) != _ARGUMENTS[name] or None in texts:
        raise UnsupportedCondition(f"does not give `resource.{name}` what it takes, plain quoted texts")
    return TagTest(name, tuple(text for text in texts if text is not None))


def _text(tree: Tree[Token] | Token) -> str | None:
    """The value of a plain quoted text; `None` for anything else, escapes included."""
    kind, children = _single(tree)  # type: ignore[arg-type]
    if kind != "literal" or children[0].type != "STRING_LIT":
        return None
    quoted = str(children[0])
    return None if "\\" in quoted or quoted[0] not in "'\"" else quoted[1:-1]


def _single(tree: Tree[Token]) -> tuple[str, list[Any]]:
    """A node's kind and children, of the first node downwards that does not only stand for another."""
    node: Any = tree
    while len(node.children) == 1 and hasattr(node.children[0], "children") and node.data != "paren_expr":
        node = node.children[0]
    return str(node.data), list(node.children)
