"""The files of the demo: its stack, its organization, and the topics that are live when it begins."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

STACK = Path("stacks/demo")
ORGANIZATION = Path("policies/organization.yaml")


def example_folder() -> Path:
    """The folder that holds `stacks/demo` and `policies/organization.yaml`: the package's own, or the checkout."""
    packaged = Path(str(files("reconciler.sandbox"))) / "example"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2]


def example_topics() -> Path:
    """The file of the demo's live topics."""
    return Path(str(files("reconciler.sandbox"))) / "data" / "demo-topics.yaml"
