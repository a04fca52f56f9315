"""The locks hold what `pyproject.toml` asks for, and nothing that ties them to one machine or registry."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^ ;\\]+)", re.MULTILINE)


def pins(lock: str) -> dict[str, str]:
    """Name to version of everything in a lock."""
    text = (ROOT / "requirements" / lock).read_text("utf-8")
    return {canonicalize_name(match["name"]): match["version"] for match in PIN.finditer(text)}


def asked_for(*extras: str) -> list[Requirement]:
    """What an install with these extras asks for, with references to own extras followed."""
    lines = [*PYPROJECT["dependencies"], *(line for e in extras for line in PYPROJECT["optional-dependencies"][e])]
    asked = [Requirement(line) for line in lines]
    own = [requirement for requirement in asked if requirement.name == PYPROJECT["name"]]
    others = [requirement for requirement in asked if requirement.name != PYPROJECT["name"]]
    return others + [found for requirement in own for found in asked_for(*sorted(requirement.extras))]


@pytest.mark.parametrize(("lock", "extras"), [("dev.txt", ["dev"]), ("base.txt", [])])
def test_a_lock_satisfies_everything_that_the_project_asks_for(lock: str, extras: list[str]) -> None:
    pinned = pins(lock)
    unmet = [
        str(requirement)
        for requirement in asked_for(*extras)
        if not requirement.specifier.contains(pinned.get(canonicalize_name(requirement.name), "0"))
    ]
    assert unmet == []


def test_every_extra_is_installed_for_development() -> None:
    everything = {str(r) for extra in PYPROJECT["optional-dependencies"] for r in asked_for(extra)}
    assert everything - {str(r) for r in asked_for("dev")} == set()


def test_the_base_lock_is_cut_from_the_whole_one() -> None:
    whole = pins("dev.txt")
    differing = {name: version for name, version in pins("base.txt").items() if whole.get(name) != version}
    assert differing == {}


@pytest.mark.parametrize("lock", ["dev.txt", "base.txt"])
def test_every_pin_has_hashes_and_no_line_names_a_registry_or_a_path(lock: str) -> None:
    text = (ROOT / "requirements" / lock).read_text("utf-8")
    lines = [line.strip() for line in text.splitlines() if not line.lstrip().startswith("#")]
    pinned = r"[A-Za-z0-9._-]+==[^ ]+( ; [^\\]+)? \\"
    hashed = r"--hash=sha256:[0-9a-f]{64}( \\)?"
    assert [line for line in lines if not re.fullmatch(f"{pinned}|{hashed}", line)] == []
    assert re.findall(r"[a-z]+://\S+| /\S+|--index\S*|--find\S*", text) == []
    assert re.findall(r"\\\n(?! +--hash)", text) == []
