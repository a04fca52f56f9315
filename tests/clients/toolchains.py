"""Builds the loaders, their tests, examples and conformance drivers, into a cache outside the checkout.

`make clients` runs this module; tests only look whether what is in the cache was built from the sources at hand.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.clients.services import CLIENTS

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hedgerow" / "clients"


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """How one language's client is built.

    Attributes:
        tools: what must be on the path.
        lock: what pins versions; another lock is another folder of the cache, so that branches do not undo each
            other's builds.
        commands: given the build folder, what runs the client's own tests and builds its programs.
        driver: given the build folder, what starts the conformance driver.
        example: given the build folder, what starts the example program.
    """

    language: str
    tools: tuple[str, ...]
    lock: tuple[str, ...]
    commands: Callable[[Path], tuple[tuple[str, ...], ...]]
    driver: Callable[[Path], tuple[str, ...]]
    example: Callable[[Path], tuple[str, ...]]

    @property
    def source(self) -> Path:
        return CLIENTS / self.language

    @property
    def folder(self) -> Path:
        """Where it is built."""
        pinned = hashlib.sha256()
        for name in self.lock:
            pinned.update((self.source / name).read_bytes())
        return CACHE / f"{self.language}-{pinned.hexdigest()[:12]}"

    @property
    def missing(self) -> str | None:
        """Why the programs cannot be used, if they cannot."""
        absent = [tool for tool in self.tools if shutil.which(tool) is None]
        if absent:
            return f"{', '.join(absent)} not found"
        stamp = self.folder / "built"
        is_current = stamp.exists() and stamp.read_text() == self._digest()
        return None if is_current else "run `make clients`"

    def build(self) -> None:
        """Builds and tests; does nothing when nothing has changed.

        Raises:
            subprocess.CalledProcessError: when that fails.
        """
        if self.missing is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "CARGO_TARGET_DIR": str(self.folder), "GOBIN": str(self.folder)}
        for command in self.commands(self.folder):
            subprocess.run(command, cwd=self.source, env=environment, check=True)
        (self.folder / "built").write_text(self._digest())

    def _digest(self) -> str:
        seen = hashlib.sha256()
        for path in sorted(_sources(self.source)) + sorted(_sources(CLIENTS / "testdata")):
            seen.update(f"{path.relative_to(CLIENTS)}\0".encode())
            seen.update(path.read_bytes())
        return seen.hexdigest()


def _sources(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir() and path.name != "target":
            yield from _sources(path)
        elif path.is_file() and path.suffix != ".md":
            yield path


def _java(folder: Path, main: str) -> tuple[str, ...]:
    path = f"{folder}/classes:{folder}/test-classes:{(folder / 'classpath').read_text().strip()}"
    return ("java", "-cp", path, main)


TOOLCHAINS = {
    toolchain.language: toolchain
    for toolchain in (
        Toolchain(
            language="go",
            tools=("go",),
            lock=("go.mod", "go.sum"),
            commands=lambda folder: (
                ("go", "vet", "./..."),
                ("go", "test", "./..."),
                ("go", "build", "-o", f"{folder}/", "./internal/conformance", "./examples/publish"),
            ),
            driver=lambda folder: (f"{folder}/conformance",),
            example=lambda folder: (f"{folder}/publish",),
        ),
        Toolchain(
            language="java",
            tools=("java", "javac", "mvn"),
            lock=("pom.xml",),
            commands=lambda folder: (
                (
                    *("mvn", "--batch-mode", "--quiet", f"-Dbuild.folder={folder}"),
                    *("test", "dependency:build-classpath", f"-Dmdep.outputFile={folder}/classpath"),
                ),
            ),
            driver=lambda folder: _java(folder, "com.google.cloud.pubsub.v1.Conformance"),
            example=lambda folder: _java(folder, "hedgerow.examples.Publish"),
        ),
        Toolchain(
            language="rust",
            tools=("cargo", "rustc"),
            lock=("Cargo.toml", "Cargo.lock"),
            commands=lambda folder: (  # noqa: ARG005 - Cargo takes it from the environment
                ("cargo", "test", "--quiet", "--locked"),
                ("cargo", "build", "--quiet", "--locked", "--examples"),
            ),
            driver=lambda folder: (f"{folder}/debug/examples/conformance",),
            example=lambda folder: (f"{folder}/debug/examples/publish",),
        ),
    )
}


def main() -> int:
    """Builds every language whose tools are here; says what is left out. In CI nothing may be left out."""
    failed = 0
    for language, toolchain in TOOLCHAINS.items():
        absent = [tool for tool in toolchain.tools if shutil.which(tool) is None]
        if absent:
            print(f"clients/{language} is left out: {', '.join(absent)} not found", file=sys.stderr)
            failed |= "CI" in os.environ
            continue
        print(f"clients/{language} in {toolchain.folder}", flush=True)
        try:
            toolchain.build()
        except subprocess.CalledProcessError as error:
            print(f"error: `{' '.join(error.cmd)}` ended with {error.returncode}", file=sys.stderr)
            failed = 1
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
