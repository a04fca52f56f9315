"""Lines and columns of entries, looked up in the file only when a message needs them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import yaml

from reconciler.errors import Position
from reconciler.model import Origin


def locate(origin: Origin, *, file: Path | None = None) -> Position:
    """Where an origin is in its file: a mapping's entry at its key, a list's at the item.

    A text as the step into a list stands for the item that reads so (`allowedPersistenceRegions`, `us-east1`). What is
    not there is located at the nearest thing around it; a file that cannot be read has no line.

    Args:
        origin: the place.
        file: the file's path, where it is not the one that the origin shows.
    """
    path = file or Path(origin.file)
    node = _composed(path) if origin.path else None
    if node is None:
        return Position(origin.file)
    mark = node.start_mark
    for step in origin.path:
        found = _step(node, step)
        if found is None:
            break
        node, mark = found
    return Position(origin.file, mark.line + 1, mark.column + 1)


def _step(node: yaml.Node, step: str | int) -> tuple[yaml.Node, yaml.Mark] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value == str(step):
                return value, key.start_mark
    elif isinstance(node, yaml.SequenceNode):
        if isinstance(step, int):
            return (node.value[step], node.value[step].start_mark) if step < len(node.value) else None
        for item in node.value:
            if isinstance(item, yaml.ScalarNode) and item.value == step:
                return item, item.start_mark
    return None


def _composed(path: Path) -> yaml.Node | None:
    try:
        stat = path.stat()
        return _compose(path, stat.st_mtime_ns, stat.st_size)
    except OSError:
        return None


@lru_cache(maxsize=64)
def _compose(path: Path, _modified: int, _size: int) -> yaml.Node | None:
    """The file's nodes; the last two arguments make a changed file another key of the cache."""
    try:
        return compose(path.read_text("utf-8-sig"))
    except (UnicodeDecodeError, yaml.YAMLError):
        return None


def compose(text: str) -> yaml.Node | None:
    """The nodes of a YAML or JSON text with their marks; `None` for an empty one.

    Raises:
        yaml.YAMLError: where PyYAML cannot read it.
    """
    # PyYAML takes no tabs between tokens, which JSON may have; a space has the same width.
    node: yaml.Node | None = yaml.compose(text.replace("\t", " "), Loader=yaml.CSafeLoader)
    return node
