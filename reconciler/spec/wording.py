"""Words for a value that breaks one keyword of its schema."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_TYPES = {
    "string": "text",
    "array": "a list",
    "object": "a mapping",
    "boolean": "`true` or `false`",
    "number": "a number",
    "integer": "a whole number",
}

Words = tuple[str, str, str | None]
"""A problem's code, message (without its lead) and hint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A value that breaks a keyword.

    Attributes:
        keyword: the keyword, such as `type`.
        wanted: the keyword's value in the schema.
        value: the value in the file.
        rule: the part of the schema that the keyword stands in.
        path: where the value is.
    """

    keyword: str
    wanted: Any
    value: Any
    rule: Mapping[str, Any]
    path: tuple[str | int, ...]

    @property
    def key(self) -> str:
        """The last key on the way, with the indexes after it: `regions[1]`."""
        last = max(index for index, step in enumerate(self.path) if isinstance(step, str))
        return f"{self.path[last]}{''.join(f'[{step}]' for step in self.path[last + 1 :])}"


def describe(failure: Failure) -> Words:
    """What is wrong and what to write instead."""
    key, value = failure.key, failure.value
    hint: str | None
    match failure.keyword:
        case _ if value is None:
            return "spec-type", f"`{key}` has no value", f"write {_belongs(failure)}, or leave the key out"
        case "type":
            return _wrong_type(failure)
        case "minItems" if key == "allowedPersistenceRegions":
            message = f"`{key}` is empty, which means that no region may store messages"
            hint = "list at least one region, or leave the policy out to inherit the organization's"
            return "spec-empty-regions", message, hint
        case "minItems" | "minProperties" | "minLength":
            return "spec-empty-value", f"`{key}` is empty", "write something, or leave the key out"
        case "uniqueItems":
            twice = sorted(item for item, times in Counter(map(str, value)).items() if times > 1)
            return "spec-duplicate-item", f"`{key}` lists {_listed(twice, 'and')} more than once", "keep one of them"
        case "oneOf":
            both = "allowedPersistenceRegions" in value
            has = "has both `allowedPersistenceRegions` and" if both else "has neither `allowedPersistenceRegions` nor"
            hint = "write one of them, or `inherit` or `unmanaged` instead of the mapping"
            return "spec-storage-policy", f"`{key}` {has} `within`", hint
        case "enum" | "const":
            return _not_among(failure)
        case "minimum":
            return "spec-range", f"`{key}` is {value}, and has to be at least {failure.wanted}", None
        case "maximum":
            return "spec-range", f"`{key}` is {value}, and has to be at most {failure.wanted}", None
        case _ if "title" not in failure.rule:
            return "spec-value", f"`{value}` in `{key}` is no name for a placeholder", "use letters, digits and `_`"
        case _:
            examples = _listed(list(failure.rule.get("examples", ())), "or")
            hint = f"write for example {examples}" if examples else None
            return "spec-value", f"`{key}` is {_shown(value)}, not {failure.rule['title']}", hint


def _wrong_type(failure: Failure) -> Words:
    kinds = [failure.wanted] if isinstance(failure.wanted, str) else list(failure.wanted)
    title = failure.rule.get("title")
    hint: str | None = None
    match failure.value:
        case dict() as mapping if "string" in kinds and set(map(type, mapping.values())) == {type(None)}:
            hint = f'put quotes around a text with a placeholder: `"{{{next(iter(mapping))}}}"`'
        case str() as text if "array" in kinds:
            hint = f"write a list: `[{text}]`"
        case str() as text if kinds == ["boolean"] and text.lower() in ("true", "false"):
            hint = f"write `{text.lower()}` without quotes"
        case bool() as flag if title is not None and "`off`" in title:
            hint = "write the name of a profile" if flag else "write `off`"
        case bool() as flag if "string" in kinds:
            hint = f'put quotes around it: `"{str(flag).lower()}"`'
        case int() | float() as number if title is not None and "duration" in title:
            shown = f"`{number}s`" if "seconds" in title else f"`{number}ms` or `{number}s`"
            hint = f"write the unit too, for example {shown}"
        case int() | float() if "string" in kinds:
            hint = "put quotes around it"
    return "spec-type", f"`{failure.key}` is {_shown(failure.value)} where {_belongs(failure)} belongs", hint


def _belongs(failure: Failure) -> str:
    """What should stand there instead."""
    if failure.keyword in ("enum", "const"):
        return _allowed(failure)
    kinds = [failure.wanted] if isinstance(failure.wanted, str) else list(failure.wanted)
    return failure.rule.get("title") or " or ".join(_TYPES[kind] for kind in kinds)


def _not_among(failure: Failure) -> Words:
    value, listed = failure.value, _allowed(failure)
    if isinstance(value, str) and value.lower() in ("true", "false") and True in failure.wanted:
        message = f"`{failure.key}` is {_shown(value)} where {listed} belongs"
        return "spec-type", message, f"write `{value.lower()}` without quotes"
    hint = None
    if value == "extend" and failure.key in ("disallowed", "mixed"):
        hint = "extending keeps what is not allowed, and the API refuses that; `restrict` takes it away"
    return "spec-value", f"`{failure.key}` is {_shown(value)}, not {listed}", hint


def _allowed(failure: Failure) -> str:
    allowed = failure.wanted if failure.keyword == "enum" else [failure.wanted]
    return _listed([str(item).lower() if isinstance(item, bool) else str(item) for item in allowed], "or")


def _listed(names: Sequence[str], conjunction: str) -> str:
    quoted = [f"`{name}`" for name in names]
    return f"{', '.join(quoted[:-1])} {conjunction} {quoted[-1]}" if len(quoted) > 1 else "".join(quoted)


def _shown(value: Any) -> str:
    match value:
        case bool():
            return f"`{str(value).lower()}`"
        case str():
            text = value if len(value) <= 60 else f"{value[:57]}..."
            return f"the text {json.dumps(text, ensure_ascii=False)}"
        case int() | float():
            return f"the number {value}"
        case dict():
            return "a mapping"
        case _:
            return "a list"
