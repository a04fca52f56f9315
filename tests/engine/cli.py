"""Builds the Pulumi CLI from its Go module, pinned in `tools/pulumi`, into a cache outside the checkout.

`make engine` runs this module; tests only look whether the CLI is there. A real `pulumi` on the path that has its
Python language host beside it is taken instead, and nothing is built.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "pulumi"
PACKAGE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
VERSION = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version"

HOST = """\
#!/bin/sh
exec python3 -P -m tests.engine.standin.language_host "$@"
"""
"""The stand-in's start. Beside the CLI, because the engine warns of a host that it finds on the path."""

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hedgerow" / "engine"


def folder() -> Path:
    """Where the CLI is built: another lock is another folder, so that branches do not undo each other's builds."""
    pinned = hashlib.sha256()
    for name in ("go.mod", "go.sum"):
        pinned.update((TOOL / name).read_bytes())
    return CACHE / pinned.hexdigest()[:12]


def installed() -> Path | None:
    """The folder of a real CLI on the path that has its own Python host beside it."""
    found = shutil.which("pulumi")
    if found is None:
        return None
    beside = Path(found).parent
    return beside if (beside / "pulumi-language-python").exists() else None


def missing() -> str | None:
    """Why there is no CLI, if there is none."""
    if installed() is not None or ((folder() / "pulumi").exists() and _has_host()):
        return None
    return "run `make engine`"


def command() -> tuple[str, ...]:
    """What builds the CLI.

    `go install PACKAGE@VERSION` refuses: the module has replace directives. Without the version in the linker's
    flags the Python SDK refuses the CLI, whose version would be empty.
    """
    version = re.search(r"github\.com/pulumi/pulumi/pkg/v3 (v\S+)", (TOOL / "go.mod").read_text("utf-8"))
    if version is None:
        raise ValueError(f"`{TOOL / 'go.mod'}` does not require the CLI's module")
    linker = f"-s -w -X {VERSION}={version[1]}"
    return (
        *("go", "build", "-trimpath", "-tags", "osusergo,grpcnotrace", "-ldflags", linker),
        *("-o", str(folder() / "pulumi.new"), PACKAGE),
    )


def build() -> None:
    """Builds the CLI, which takes minutes at first; does nothing when it is there.

    Raises:
        subprocess.CalledProcessError: when that fails.
    """
    if missing() is None:
        return
    folder().mkdir(parents=True, exist_ok=True)
    if not (folder() / "pulumi").exists():
        subprocess.run(command(), cwd=TOOL, env={**os.environ, "CGO_ENABLED": "0"}, check=True)
        (folder() / "pulumi.new").replace(folder() / "pulumi")  # never half a binary, whoever else builds
    host = folder() / "pulumi-language-python"
    host.write_text(HOST)
    host.chmod(0o755)


def _has_host() -> bool:
    host = folder() / "pulumi-language-python"
    return host.exists() and host.read_text() == HOST


def main() -> int:
    """Builds the CLI where Go is here, and says what is left out otherwise. In CI it may not be left out."""
    if missing() is not None and shutil.which("go") is None:
        print("the Pulumi engine is left out: go not found", file=sys.stderr)
        return int("CI" in os.environ)
    print(f"pulumi in {installed() or folder()}", flush=True)
    try:
        build()
    except subprocess.CalledProcessError as error:
        print(f"error: `{' '.join(error.cmd)}` ended with {error.returncode}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
