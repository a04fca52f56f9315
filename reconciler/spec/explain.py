"""Why a value does not fit its schema, as problems that say what to write instead.

Only what failed comes here. Every error of the schema library is taken apart by its keyword; the library's own texts
are never shown, and neither is anything that an alternative (`oneOf`) complains about inside its branches.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema
import jsonschema.validators

from reconciler.model import Origin
from reconciler.spec.keys import advise
from reconciler.spec.problems import Problems
from reconciler.spec.schema import fits, schema
from reconciler.spec.wording import Failure, describe


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> Iterator[jsonschema.ValidationError]:
    """The keyword `pattern` as the deciding library understands it: `$` is the end, never a newline before it."""
    if isinstance(value, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), value):
        yield jsonschema.ValidationError("")


# The stubs leave `extend` without types.
_Validator: type[jsonschema.Draft202012Validator] = jsonschema.validators.extend(  # type: ignore[no-untyped-call]
    jsonschema.Draft202012Validator, {"pattern": _pattern}
)

_ENTRIES = ("topics", "publishers", "exemptions", "resources", "policies", "effective")


def explain(name: str, body: Mapping[str, Any], file: str, problems: Problems) -> list[Failure]:
    """Notes everything in a file's value that does not fit the schema of that name, and returns it.

    NaN and infinities fit where a number belongs: whether they make sense is a rule's question.
    """
    failures = [_failure(error) for error in _Validator(schema(name)).iter_errors(body)]
    if not failures and not fits(name, _finite(body)):
        see = f"see `hedgerow schema {name}`"
        problems.error("spec-shape", Origin(file), "the file does not fit its schema", hint=see)
        return [Failure(keyword="", wanted=None, value=body, rule={}, path=())]
    wrong = {failure.path for failure in failures if failure.keyword != "oneOf"}
    for failure in failures:
        if failure.keyword == "oneOf" and failure.path in wrong:
            continue
        origin = Origin(file, failure.path)
        lead = entry_lead(body, failure.path)
        match failure.keyword:
            case "additionalProperties":
                _note_unknown(name, failure, lead, origin, problems)
            case "required":
                # The library reports each missing key on its own; the same note twice is one.
                for missing in (key for key in failure.wanted if key not in failure.value):
                    place = _place(failure) or ("the entry" if failure.path else "the file")
                    problems.error("spec-missing-key", origin, f"{lead}{place} has no `{missing}`")
            case _:
                code, message, hint = describe(failure)
                problems.error(code, origin, f"{lead}{message}", hint=hint)
    return failures


def entry_lead(body: Mapping[str, Any], path: tuple[str | int, ...]) -> str:
    """What a message about a place starts with: the entry's name in backticks and a colon, or nothing."""
    match path:
        case ("hedgingProfiles", str(profile), *_):
            return f"`{profile}`: "
        case (str(kind), int(index), *_) if kind in _ENTRIES:
            entry = body[kind][index]
            name = entry.get("service" if kind == "publishers" else "name") if isinstance(entry, dict) else None
            return f"`{name.rpartition('/topics/')[2]}`: " if isinstance(name, str) and name else f"`{kind}[{index}]`: "
        case _:
            return ""


def _note_unknown(name: str, failure: Failure, lead: str, origin: Origin, problems: Problems) -> None:
    known = tuple(failure.rule.get("properties", ()))
    for key in failure.value:
        if key not in known:
            place = _place(failure)
            message = f"{lead}unknown key `{key}`{f' in {place}' if place else ''}"
            problems.error("spec-unknown-key", origin.at(key), message, hint=advise(name, key, known))


def _place(failure: Failure) -> str:
    """The mapping that is meant, in backticks; empty for a file or an entry, which a message names anyway."""
    path = failure.path
    is_entry = len(path) == 2 and path[0] in (*_ENTRIES, "hedgingProfiles")
    return f"`{failure.key}`" if path and not is_entry else ""


def _failure(error: jsonschema.ValidationError) -> Failure:
    rule = error.schema if isinstance(error.schema, dict) else {}
    return Failure(
        keyword=str(error.validator),
        wanted=error.validator_value,
        value=error.instance,
        rule=rule,
        path=tuple(error.absolute_path),
    )


def _finite(value: Any) -> Any:
    match value:
        case float() if not math.isfinite(value):
            return 0
        case dict():
            return {key: _finite(item) for key, item in value.items()}
        case list():
            return [_finite(item) for item in value]
        case _:
            return value
