"""`pulumi preview --json` to values, in both of its forms.

Without more it prints one document when it ends: `{"steps": [...], "changeSummary": {...}, "diagnostics": [...]}`. With
`PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true` it prints one engine event a line, as does `pulumi up --json` (read and run:
Pulumi 3.274; `sdk/go/common/apitype/events.go` and `pkg/backend/display/json.go` of pulumi/pulumi). What is cut off, is
of neither form or does not have the fields that a judgement needs is refused: no step is ever overlooked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reconciler.preview.steps import Preview, Resource, Step
from reconciler.preview.unreadable import UnreadablePreview

HINT = "give it what `pulumi preview --json` printed on stdout, all of it"
REFRESH = "refresh"

_COLOUR = re.compile(r"<\{%[^}]*%\}>")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """What a form calls the parts of a step."""

    old: str
    new: str
    forcing: str
    kind: str


_DOCUMENT = _Names(old="oldState", new="newState", forcing="replaceReasons", kind="kind")
_EVENT = _Names(old="old", new="new", forcing="keys", kind="diffKind")


def read_preview(text: str) -> Preview:
    """The preview that a text is, in whichever form.

    Raises:
        UnreadablePreview: for a text that is empty, of neither form, or cut off.
    """
    if not text.strip():
        raise UnreadablePreview("the preview is empty: Pulumi printed nothing", hint=HINT)
    try:
        value = json.loads(text)
    except ValueError:
        return _from_events(list(_lines(text)))
    if _is_event(value):
        return _from_events([value])
    return _from_document(value)


def _lines(text: str) -> Iterable[Any]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError:
                raise UnreadablePreview(f"line {number} of the preview is not JSON", hint=HINT) from None


def _from_document(value: Any) -> Preview:
    if not isinstance(value, Mapping) or not {"steps", "changeSummary", "diagnostics"} & value.keys():
        raise UnreadablePreview("this JSON is no preview: it has neither `steps` nor engine events", hint=HINT)
    counts = _mapping(value, "changeSummary")
    steps = tuple(_step(one, _mapping(one, "detailedDiff"), _DOCUMENT) for one in _entries(value, "steps"))
    errors = tuple(_errors(_entries(value, "diagnostics")))
    if not errors and not counts:
        raise UnreadablePreview("the preview did not come to its end: it has no `changeSummary`", hint=HINT)
    # The list leaves out what stays the same; what it counts otherwise has to be in it.
    if not errors and not steps and any(count for op, count in counts.items() if op != "same"):
        raise UnreadablePreview("the preview counts changes and lists no steps", hint=HINT)
    return Preview(form="json", steps=steps, errors=errors, counts=counts)


def _from_events(events: Sequence[Any]) -> Preview:
    steps: list[Step] = []
    errors: list[str] = []
    counts: Mapping[str, int] | None = None
    refreshing: set[str] = set()
    for number, event in enumerate(events, start=1):
        if not _is_event(event):
            raise UnreadablePreview(f"line {number} of the preview is no engine event", hint=HINT)
        if "resourcePreEvent" in event:
            step = _event_step(event, "resourcePreEvent")
            (refreshing.add if step.op == REFRESH else refreshing.discard)(step.urn)
            steps.append(step)
        elif "resOutputsEvent" in event:
            step = _event_step(event, "resOutputsEvent")
            # The result of a refresh is told as `update`, `same` or `delete`: of what is remembered, not of the topic.
            steps.append(replace(step, op=REFRESH, is_done=True) if step.urn in refreshing else step)
        elif "summaryEvent" in event:
            summary = _mapping(event, "summaryEvent")
            counts = _mapping(summary, "resourceChanges")
            if summary.get("result") == "failed" and not errors:
                errors.append("the engine calls it failed and does not say why")
        else:
            errors += _event_errors(event)
    if counts is None and not errors:
        raise UnreadablePreview("the preview did not come to its end: it has no summary", hint=HINT)
    return Preview(form="events", steps=tuple(steps), errors=tuple(errors), counts=counts or {})


def _event_step(event: Mapping[str, Any], kind: str) -> Step:
    metadata = _mapping(_mapping(event, kind), "metadata")
    return _step(metadata, _mapping(metadata, "detailedDiff"), _EVENT)


def _event_errors(event: Mapping[str, Any]) -> list[str]:
    if "diagnosticEvent" in event:
        return _errors([_mapping(event, "diagnosticEvent")])
    if "errorEvent" in event:
        return [str(_mapping(event, "errorEvent").get("error"))]
    if "resOpFailedEvent" in event:
        metadata = _mapping(_mapping(event, "resOpFailedEvent"), "metadata")
        return [f"{metadata.get('op')} of {metadata.get('urn')} failed"]
    violated = _mapping(event, "policyEvent")
    is_final = violated.get("enforcementLevel") == "mandatory" and not violated.get("exceptions")
    return [f"{violated.get('policyName')}: {_words(violated)}"] if is_final else []


def _is_event(value: Any) -> bool:
    return isinstance(value, Mapping) and "sequence" in value and "timestamp" in value


def _step(body: Mapping[str, Any], diff: Mapping[str, Any], names: _Names) -> Step:
    urn, op = body.get("urn"), body.get("op")
    if not isinstance(urn, str) or not isinstance(op, str):
        raise UnreadablePreview("a step of the preview has no `urn` or no `op`", hint=HINT)
    return Step(
        urn=urn,
        op=op,
        forcing=tuple(map(str, _list(body, names.forcing))),
        changed={path: str(_mapping(diff, path).get(names.kind)) for path in sorted(diff)},
        old=_resource(body.get(names.old)),
        new=_resource(body.get(names.new)),
    )


def _resource(body: Any) -> Resource | None:
    if not isinstance(body, Mapping):
        return None
    return Resource(id=str(body.get("id") or ""), inputs=_mapping(body, "inputs"), outputs=_mapping(body, "outputs"))


def _errors(diagnostics: Iterable[Mapping[str, Any]]) -> list[str]:
    """What ended a preview early: its diagnostics hold warnings and remarks too, which end nothing."""
    return [_words(one) for one in diagnostics if one.get("severity") == "error"]


def _words(told: Mapping[str, Any]) -> str:
    return _COLOUR.sub("", str(told.get("message", ""))).strip()


def _mapping(body: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = body.get(key)
    if value is not None and not isinstance(value, Mapping):
        raise UnreadablePreview(f"`{key}` in the preview is not a mapping", hint=HINT)
    return value or {}


def _list(body: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = body.get(key)
    if value is not None and not isinstance(value, list):
        raise UnreadablePreview(f"`{key}` in the preview is not a list", hint=HINT)
    return value or ()


def _entries(body: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    entries = _list(body, key)
    if not all(isinstance(entry, Mapping) for entry in entries):
        raise UnreadablePreview(f"`{key}` in the preview has an entry that is no mapping", hint=HINT)
    return entries
