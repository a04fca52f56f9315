"""Generated files in a folder: each is replaced at once, by a rename."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from reconciler.apply.found import Found
from reconciler.errors import HedgerowError, InvalidInput


class FolderFiles:
    """The files in a folder, which need not exist before something is written."""

    def __init__(self, address: str) -> None:
        self._folder = Path(address)

    @property
    def address(self) -> str:
        """The folder."""
        return str(self._folder)

    def place(self, name: str) -> str:
        """The file's path."""
        return str(self._folder / name)

    def names(self) -> list[str]:
        """All names in the folder.

        Raises:
            InvalidInput: when the address is something else than a folder.
        """
        if not self._folder.exists():
            return []
        if not self._folder.is_dir():
            raise InvalidInput(f"`{self._folder}` is not a folder", hint="set `publishers.output` to a folder")
        with _told(self._folder, "read"):
            return [path.name for path in self._folder.iterdir()]

    def read(self, names: Iterable[str]) -> dict[str, Found]:
        """What is there under these names."""
        with _told(self._folder, "read"):
            return {name: found for name in names if (found := self._found(name)) is not None}

    def replace(self, name: str, content: bytes, seen: Found | None) -> bool:
        """Puts a whole file in the place of another: readers see the old one or the new one."""
        path = self._folder / name
        with _told(path, "written"):
            self._folder.mkdir(parents=True, exist_ok=True)
            if self._found(name) != seen:
                return False
            temporary = path.with_name(f".{name}.{secrets.token_hex(8)}.tmp")
            try:
                with temporary.open("xb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)
        return True

    def remove(self, name: str, seen: Found) -> bool:
        """Removes a file."""
        path = self._folder / name
        with _told(path, "removed"):
            if self._found(name) != seen:
                return False
            path.unlink()
        return True

    def settle(self) -> None:
        """Makes new names outlast a crash; once for all of them, as it costs as much as writing a file."""
        with _told(self._folder, "written"):
            opened = os.open(self._folder, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)

    def _found(self, name: str) -> Found | None:
        path = self._folder / name
        if not os.path.lexists(path):
            return None
        return Found(content=path.read_bytes() if stat.S_ISREG(path.lstat().st_mode) else None)


@contextmanager
def _told(path: Path, what: str) -> Iterator[None]:
    """Turns the system's errors into errors of the user."""
    try:
        yield
    except OSError as error:
        where = error.filename if what == "read" and error.filename else path
        raise HedgerowError(f"`{where}` cannot be {what}: {error.strerror or error}") from error
