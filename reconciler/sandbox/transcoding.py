"""REST requests to protobuf requests, by the bindings of the methods."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from google.protobuf.json_format import ParseDict, ParseError

from reconciler.sandbox.errors import ApiError, Code, invalid
from reconciler.sandbox.masks import wrong_spelling
from reconciler.sandbox.methods import Binding, Method
from reconciler.sandbox.surface import METHODS

_VARIABLE = re.compile(r"\{(?P<field>[a-z_.]+)=(?P<pattern>[^}]+)\}")
_SYSTEM = frozenset({"alt", "key", "fields", "prettyPrint", "quotaUser", "access_token", "callback", "uploadType"})
"""Query parameters of every Google API; none changes what a request means here. Those with a `$` are ignored too."""


class Routes:
    """Finds the method that a verb and path mean."""

    def __init__(self, methods: Iterable[Method] = METHODS) -> None:
        self._routes: dict[str, list[tuple[re.Pattern[str], tuple[str, ...], Binding, Method]]] = {}
        for method in methods:
            for binding in method.bindings:
                pattern, fields = _compiled(binding.template)
                self._routes.setdefault(binding.verb, []).append((pattern, fields, binding, method))

    def request(self, verb: str, path: str, query: Iterable[tuple[str, str]], body: bytes) -> tuple[Method, Any]:
        """The method, and its protobuf request.

        Args:
            verb: upper case.
            path: decoded.
            query: decoded parameters, in order.
            body: JSON, or nothing.

        Raises:
            ApiError: `NOT_FOUND` where no method is, `INVALID_ARGUMENT` for what is not a request of the method.
        """
        for pattern, fields, binding, method in self._routes.get(verb, ()):
            match = pattern.fullmatch(path)
            if match is not None:
                values = dict(zip(fields, match.groups(), strict=True))
                return method, _parsed(method, _merged(binding, values, query, _json(body)))
        raise ApiError(Code.NOT_FOUND, f"The sandbox has no method at {verb} {path}.")


def _compiled(template: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """A pattern for whole paths, with one group for each variable."""
    fields = tuple(match["field"] for match in _VARIABLE.finditer(template))
    pieces = _VARIABLE.split(template)
    # split() gives literal, field, pattern, literal, ...
    pattern = "".join(
        f"({'/'.join('[^/:]+' if part == '*' else re.escape(part) for part in piece.split('/'))})"
        if index % 3 == 2
        else re.escape(piece)
        for index, piece in enumerate(pieces)
        if index % 3 != 1
    )
    return re.compile(pattern), fields


def _json(body: bytes) -> dict[str, Any]:
    if not body.strip():
        return {}
    try:
        parsed = json.loads(body)
    except ValueError as error:
        raise invalid(f"Invalid JSON payload received: {error}") from error
    if not isinstance(parsed, dict):
        raise invalid("Invalid JSON payload received: not an object")
    return parsed


def _merged(
    binding: Binding, variables: Mapping[str, str], query: Iterable[tuple[str, str]], body: dict[str, Any]
) -> dict[str, Any]:
    """The request as one JSON object: the path wins over the body, and the body over the query."""
    request: dict[str, Any] = {}
    parameters: dict[str, list[str]] = {}
    for key, value in query:
        if key not in _SYSTEM and not key.startswith("$"):
            parameters.setdefault(key, []).append(value)
    for key, given in parameters.items():
        _place(request, key.split("."), given if len(given) > 1 else given[0])
    if binding.body == "*":
        request |= body
    elif binding.body:
        request[binding.body] = body
    elif body:
        raise invalid("Invalid JSON payload received: this method takes no body")
    for field, value in variables.items():
        _place(request, field.split("."), value)
    return request


def _place(target: dict[str, Any], path: list[str], value: str | list[str]) -> None:
    for key in path[:-1]:
        inner = target.setdefault(key, {})
        if not isinstance(inner, dict):
            raise invalid(f"Invalid JSON payload received: `{key}` is not an object")
        target = inner
    target[path[-1]] = value


def _parsed(method: Method, request: dict[str, Any]) -> Any:
    mask = request.get("updateMask", request.get("update_mask"))
    if isinstance(mask, str):
        _check_spelling(method, mask)
    descriptor = method.request.DESCRIPTOR
    for key, value in request.items():
        field = descriptor.fields_by_camelcase_name.get(key) or descriptor.fields_by_name.get(key)
        if field is not None and field.type == field.TYPE_BOOL and value in ("true", "false"):
            request[key] = value == "true"
        elif field is not None and field.is_repeated and isinstance(value, str):
            request[key] = [value]
    try:
        return ParseDict(request, method.request())
    except ParseError as error:
        # The parser's second line lists every field.
        raise invalid(f"Invalid JSON payload received: {str(error).partition(chr(10))[0]}") from error


def _check_spelling(method: Method, mask: str) -> None:
    """REST masks are in camelCase; the JSON form of a mask has no other."""
    for path in mask.split(","):
        if "_" in path:
            raise wrong_spelling(path, request=method.request.DESCRIPTOR.name, resource=method.response.DESCRIPTOR.name)
