"""Text to plain values: YAML 1.2 or JSON, without tags, dates, duplicate keys and unbounded aliases.

`yaml-rs` reads, because it is fast. It lets some things pass silently (tags are dropped, an alias inside its own anchor
becomes nothing) and reports others without a line (duplicate keys, aliases); those are looked up with PyYAML's events
and nodes, and only where a cheap look at the text says that there may be something to find.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml
import yaml_rs

from reconciler.errors import Position
from reconciler.model import REGION_SHAPE, Origin
from reconciler.spec.positions import compose
from reconciler.spec.problems import Problems

MAX_NODES = 1_000_000
MAX_DEPTH = 100

DATED_KEYS = frozenset({"capturedAt", "updateTime", "expires", "minimumObjectCreateTime"})
"""Keys whose values are times or days, and so need no quotes."""

_SUSPICIOUS = re.compile(r"""(?:^|[\s\[{,])[!&*]|(?<!["'\w.-])[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}""", re.MULTILINE)
_TEXT = frozenset({str})
_INSIDE_A_DATE = re.compile(r"-[0-9]{1,2}-[0-9]")
_TAG = re.compile(r"(?:^|[\s\[{,])(![^\s\[\]{},]*)")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\s].*)?")
_PLACE = re.compile(r"line ([0-9]+), column ([0-9]+)")
_UNQUOTED_BRACE = re.compile(r"(?:^|[:\-\[,]\s+)\$?\{")


def parse(text: str, file: str, problems: Problems) -> Any:
    """The value that a text stands for, made of mappings with text keys, lists and scalars; `None` if it has none.

    What is wrong is noted in `problems`; the value is then `None` too, unless it can still be checked further.
    """
    if not text.strip():
        problems.error("spec-empty", Position(file), "the file is empty", hint="write entries, or delete the file")
        return None
    try:
        # Its types promise mappings or lists of them; a text may hold anything.
        value: Any = yaml_rs.loads(text, parse_datetime=False)
    except yaml_rs.YAMLDecodeError as error:
        _explain(str(error), text, file, problems)
        return None
    except TypeError:
        # It builds a `dict` with the key at hand, whatever that is.
        _note_key("a list or mapping", Position(file), problems)
        return None
    usable = not _is_suspicious(text) or _inspect(text, file, problems)
    if not usable or not _is_plain(value, file, problems):
        return None
    if isinstance(value, dict):
        return value
    if isinstance(value, list) and re.search(r"^---", text, re.MULTILINE):
        message, hint = "the file holds several documents", "write one file for each"
    elif value is None:
        message, hint = "the file is empty", "write entries, or delete the file"
    else:
        message, hint = "the file does not hold a mapping", "begin with a key such as `topics:`"
    problems.error("spec-empty" if value is None else "spec-shape", Position(file), message, hint=hint)
    return None


def _is_suspicious(text: str) -> bool:
    """Whether a text may hold a tag, an anchor, an alias or a date.

    Most texts have none of the signs that these take, which is found out a hundred times faster than where they stand.
    """
    has_a_sign = "!" in text or "&" in text or "*" in text or _INSIDE_A_DATE.search(text) is not None
    return has_a_sign and _SUSPICIOUS.search(text) is not None


def _explain(error: str, text: str, file: str, problems: Problems) -> None:
    """Notes why `yaml-rs` refused a text, at the best place there is."""
    if "duplicate mapping key" in error and _note_duplicates(text, file, problems):
        return
    if "Invalid tag" in error and not _inspect(text, file, problems):
        return
    if "alias replay limit" in error:
        aliases = (_at(file, e.start_mark) for e in _events(text) if isinstance(e, yaml.AliasEvent))
        place = next(aliases, Position(file))
        problems.error(
            "spec-too-large",
            place,
            f"aliases expand to more than {MAX_NODES:,} values",
            hint="write the values out, or use `defaults` and `forEach`",
        )
        return
    found = _PLACE.search(error)
    place = Position(file, int(found[1]), int(found[2])) if found else Position(file)
    lines = text.splitlines()
    line = lines[place.line - 1] if 0 < place.line <= len(lines) else ""
    hint = None
    if _UNQUOTED_BRACE.search(line):
        hint = 'put quotes around a text with a placeholder: `"{region}"`'
    elif "\t" in line:
        hint = "indent with spaces"
    problems.error("spec-syntax", place, f"not readable as YAML: {error.strip().splitlines()[-1]}", hint=hint)


def _note_duplicates(text: str, file: str, problems: Problems) -> bool:
    """Notes every key that a mapping holds twice, and whether there was one."""
    try:
        root = compose(text)
    except yaml.YAMLError:
        return False
    before = problems.error_count
    nodes, visited = [root] if root else [], set()
    while nodes:
        node = nodes.pop()
        if id(node) in visited:
            continue  # an alias: its node was looked at where it is written
        visited.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            nodes += node.value
        elif isinstance(node, yaml.MappingNode):
            seen: dict[str, Position] = {}
            for key, value in node.value:
                nodes.append(value)
                if not isinstance(key, yaml.ScalarNode):
                    continue
                place = _at(file, key.start_mark)
                first = seen.setdefault(key.value, place)
                if first != place:
                    message = f"the key `{key.value}` is written twice in one mapping"
                    problems.error("spec-duplicate-key", place, message, hint="keep one of them", first=first)
    return problems.error_count > before


def _inspect(text: str, file: str, problems: Problems) -> bool:
    """Notes tags, dates and aliases inside their own anchor; whether the value can still be checked further."""
    usable = True
    previous = ""
    open_anchors: list[str | None] = []
    try:
        for event in _events(text):
            place = _at(file, event.start_mark)
            if isinstance(event, yaml.AliasEvent) and event.anchor in open_anchors:
                usable = False
                message = f"the alias `*{event.anchor}` stands inside what it names"
                problems.error("spec-alias", place, message, hint="write the value out")
            if isinstance(event, yaml.CollectionStartEvent):
                open_anchors.append(event.anchor)
            elif isinstance(event, yaml.CollectionEndEvent):
                open_anchors.pop()
            if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag is not None:
                usable = False
                _note_tag(event.tag, place, problems)
            if isinstance(event, yaml.ScalarEvent):
                if not event.style and _DATE.fullmatch(event.value) and previous not in DATED_KEYS:
                    message = f"`{event.value}` is a date where text belongs"
                    hint = f'put quotes around it: `"{event.value}"`'
                    problems.error("spec-date", place, message, hint=hint)
                previous = event.value
    except yaml.YAMLError:
        # `yaml-rs` can read it, PyYAML cannot: a tag that goes on into a bracket (`[!us-east1]`).
        for number, line in enumerate(text.splitlines(), 1):
            for match in _TAG.finditer(line):
                usable = False
                _note_tag(match[1], Position(file, number, match.start(1) + 1), problems)
    return usable


def _note_tag(tag: str, place: Position, problems: Problems) -> None:
    shown = tag.replace("tag:yaml.org,2002:", "!!", 1)
    if REGION_SHAPE.fullmatch(tag.removeprefix("!")):
        message = f"`{shown}` is an exclusion; a storage policy lists what it allows"
        problems.error("region-exclusion", place, message, hint="list the regions that remain")
        return
    hint = "put quotes around a text that starts with `!`; otherwise leave the tag out"
    problems.error("spec-tag", place, f"`{shown}` is a YAML tag, and tags are not read", hint=hint)


def _events(text: str) -> Iterator[yaml.Event]:
    yield from yaml.parse(text.replace("\t", " "), Loader=yaml.CSafeLoader)


def _at(file: str, mark: Any) -> Position:
    return Position(file, mark.line + 1, mark.column + 1)


def _is_plain(value: Any, file: str, problems: Problems) -> bool:
    """Whether a value keeps the limits and has text keys only; notes what does not."""
    level, depth, nodes = [value], 0, 0
    while level:
        nodes += len(level)
        if nodes > MAX_NODES:
            problems.error("spec-too-large", Position(file), f"the file holds more than {MAX_NODES:,} values")
            return False
        if depth > MAX_DEPTH:
            problems.error("spec-too-large", Position(file), f"the file nests deeper than {MAX_DEPTH} levels")
            return False
        below: list[Any] = []
        for item in level:
            if type(item) is dict:
                if not _TEXT.issuperset(map(type, item)):
                    path, key = next(_odd_keys(value, ()))
                    shown = f"`{key}`" if isinstance(key, bool | int | float) else "a list or mapping"
                    _note_key(shown, Origin(file, path), problems)
                    return False
                below.extend(item.values())
            elif type(item) is list:
                below.extend(item)
        level, depth = below, depth + 1
    return True


def _odd_keys(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every key that is no text, with the way to its mapping."""
    if isinstance(value, dict):
        yield from ((path, key) for key in value if not isinstance(key, str))
    if isinstance(value, dict | list):
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _odd_keys(item, (*path, step))


def _note_key(shown: str, place: Origin | Position, problems: Problems) -> None:
    hint = "put quotes around a key that is no text, and around a text with a placeholder"
    problems.error("spec-key", place, f"{shown} is a key where text belongs", hint=hint)
