"""Builds the loaders, their tests and conformance drivers, and the example services, into a cache outside the checkout.

`make clients` runs this module; tests only look whether what is in the cache was built from the sources at hand.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.clients.services import CLIENTS, EXAMPLES

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hedgerow" / "clients"


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """How a loader, or an example service, is built.

    Attributes:
        source: its folder, where it is built from.
        uses: further folders that go into it.
        tools: what must be on the path.
        lock: what pins versions; another lock is another folder of the cache, so that branches do not undo each
            other's builds.
        commands: given the build folder, what runs its own tests and builds its programs.
        programs: by name, and given the build folder, what starts them.
    """

    source: Path
    uses: tuple[Path, ...] = ()
    tools: tuple[str, ...]
    lock: tuple[str, ...]
    commands: Callable[[Path], tuple[tuple[str, ...], ...]]
    programs: Mapping[str, Callable[[Path], tuple[str, ...]]]

    @property
    def name(self) -> str:
        """Its folder as the repository has it: `clients/go`."""
        return f"{self.source.parent.name}/{self.source.name}"

    @property
    def folder(self) -> Path:
        """Where it is built."""
        pinned = hashlib.sha256()
        for name in self.lock:
            pinned.update((self.source / name).read_bytes())
        kind = "" if self.source.parent == CLIENTS else "example-"
        return CACHE / f"{kind}{self.source.name}-{pinned.hexdigest()[:12]}"

    def program(self, name: str) -> tuple[str, ...]:
        """What starts one of its programs."""
        return self.programs[name](self.folder)

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
        # One for all that is written in Rust: it has the same dependencies, which take minutes.
        environment = {**os.environ, "CARGO_TARGET_DIR": str(TOOLCHAINS["rust"].folder)}
        for command in self.commands(self.folder):
            subprocess.run(command, cwd=self.source, env=environment, check=True)
        (self.folder / "built").write_text(self._digest())

    def _digest(self) -> str:
        seen = hashlib.sha256()
        for folder in (self.source, *self.uses):
            for path in sorted(_sources(folder)):
                seen.update(f"{path.relative_to(CLIENTS.parent)}\0".encode())
                seen.update(path.read_bytes())
        return seen.hexdigest()


def _sources(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir() and path.name != "target":
            yield from _sources(path)
        elif path.is_file() and path.suffix != ".md":
            yield path


def _java(folder: Path, main: str, *classes: str) -> tuple[str, ...]:
    path = ":".join([*(f"{folder}/{name}" for name in classes), (folder / "classpath").read_text().strip()])
    return ("java", "-cp", path, main)


def _maven(folder: Path, phase: str) -> tuple[str, ...]:
    return (
        *("mvn", "--batch-mode", "--quiet", f"-Dbuild.folder={folder}"),
        *(phase, "dependency:build-classpath", f"-Dmdep.outputFile={folder}/classpath"),
    )


def _cargo(name: str) -> Callable[[Path], tuple[str, ...]]:
    return lambda _: (f"{TOOLCHAINS['rust'].folder}/debug/{name}",)


_TESTDATA = CLIENTS / "testdata"

TOOLCHAINS = {
    "go": Toolchain(
        source=CLIENTS / "go",
        uses=(_TESTDATA,),
        tools=("go",),
        lock=("go.mod", "go.sum"),
        commands=lambda folder: (
            ("go", "vet", "./..."),
            ("go", "test", "./..."),
            ("go", "build", "-o", f"{folder}/", "./internal/conformance"),
        ),
        programs={"driver": lambda folder: (f"{folder}/conformance",)},
    ),
    "java": Toolchain(
        source=CLIENTS / "java",
        uses=(_TESTDATA,),
        tools=("java", "javac", "mvn"),
        lock=("pom.xml",),
        commands=lambda folder: (_maven(folder, "test"),),
        programs={
            "driver": lambda folder: _java(folder, "com.google.cloud.pubsub.v1.Conformance", "classes", "test-classes"),
            "publish": lambda folder: _java(folder, "hedgerow.examples.Publish", "classes", "test-classes"),
        },
    ),
    "rust": Toolchain(
        source=CLIENTS / "rust",
        uses=(_TESTDATA,),
        tools=("cargo", "rustc"),
        lock=("Cargo.toml", "Cargo.lock"),
        commands=lambda _: (
            ("cargo", "test", "--quiet", "--locked"),
            ("cargo", "build", "--quiet", "--locked", "--examples"),
        ),
        programs={"driver": _cargo("examples/conformance")},
    ),
}
"""The loaders, by language."""

SERVICES = {
    "go": Toolchain(
        source=EXAMPLES / "go",
        uses=(CLIENTS / "go",),
        tools=("go",),
        lock=("go.mod", "go.sum"),
        commands=lambda folder: (("go", "vet", "."), ("go", "build", "-o", f"{folder}/checkout", ".")),
        programs={"checkout": lambda folder: (f"{folder}/checkout",)},
    ),
    "rust": Toolchain(
        source=EXAMPLES / "rust",
        uses=(CLIENTS / "rust",),
        tools=("cargo", "rustc"),
        lock=("Cargo.toml", "Cargo.lock"),
        commands=lambda _: (("cargo", "build", "--quiet", "--locked"),),
        programs={"checkout": _cargo("checkout")},
    ),
    "spring": Toolchain(
        source=EXAMPLES / "spring",
        tools=("java", "javac", "mvn"),
        lock=("pom.xml",),
        commands=lambda folder: (_maven(folder, "compile"),),
        programs={"checkout": lambda folder: _java(folder, "hedgerow.examples.checkout.Checkout", "classes")},
    ),
}
"""The example services, by what they are written in."""


def main() -> int:
    """Builds everything whose tools are here; says what is left out. In CI nothing may be left out."""
    failed = 0
    for toolchain in (*TOOLCHAINS.values(), *SERVICES.values()):
        absent = [tool for tool in toolchain.tools if shutil.which(tool) is None]
        if absent:
            print(f"{toolchain.name} is left out: {', '.join(absent)} not found", file=sys.stderr)
            failed |= "CI" in os.environ
            continue
        print(f"{toolchain.name} in {toolchain.folder}", flush=True)
        try:
            toolchain.build()
        except subprocess.CalledProcessError as error:
            print(f"error: `{' '.join(error.cmd)}` ended with {error.returncode}", file=sys.stderr)
            failed = 1
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
