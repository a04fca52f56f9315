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


LOCKS = {
    "dev.txt": ROOT / "requirements" / "dev.txt",
    "base.txt": ROOT / "requirements" / "base.txt",
    "pack": ROOT / "policies" / "pack" / "requirements.txt",
}


def pins(lock: str) -> dict[str, str]:
    """Name to version of everything in a lock."""
    text = LOCKS[lock].read_text("utf-8")
    return {canonicalize_name(match["name"]): match["version"] for match in PIN.finditer(text)}


def asked_for(*extras: str) -> list[Requirement]:
    """What an install with these extras asks for, with references to own extras followed."""
    lines = [*PYPROJECT["dependencies"], *(line for e in extras for line in PYPROJECT["optional-dependencies"][e])]
    asked = [Requirement(line) for line in lines]
    own = [requirement for requirement in asked if requirement.name == PYPROJECT["name"]]
    others = [requirement for requirement in asked if requirement.name != PYPROJECT["name"]]
    return others + [found for requirement in own for found in asked_for(*sorted(requirement.extras))]


@pytest.mark.parametrize(("lock", "extras"), [("dev.txt", ["dev"]), ("base.txt", []), ("pack", ["pack"])])
def test_a_lock_satisfies_everything_that_the_project_asks_for(lock: str, extras: list[str]) -> None:
    pinned = pins(lock)
    unmet = [
        str(requirement)
        for requirement in asked_for(*extras)
        if not requirement.specifier.contains(pinned.get(canonicalize_name(requirement.name), "0"))
    ]
    assert unmet == []


def test_every_extra_is_installed_for_development_but_the_one_with_an_environment_of_its_own() -> None:
    everything = {str(r) for extra in PYPROJECT["optional-dependencies"] for r in asked_for(extra)}
    assert everything - {str(r) for r in asked_for("dev")} == {"pulumi-policy<2,>=1.21"}


@pytest.mark.parametrize(("whole", "part"), [("dev.txt", "base.txt"), ("pack", "base.txt")])
def test_the_base_lock_is_part_of_the_others(whole: str, part: str) -> None:
    pinned = pins(whole)
    differing = {name: version for name, version in pins(part).items() if pinned.get(name) != version}
    assert differing == {}


def test_the_policy_packs_environment_holds_the_protobuf_that_its_sdk_asks_for_and_no_client_of_google() -> None:
    pinned = pins("pack")
    assert pinned["protobuf"].startswith("5.")
    assert [name for name in pinned if name.startswith("google-cloud") or name == "pulumi-gcp"] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_hashes_and_no_line_names_a_registry_or_a_path(lock: str) -> None:
    text = LOCKS[lock].read_text("utf-8")
    lines = [line.strip() for line in text.splitlines() if not line.lstrip().startswith("#")]
    pinned = r"[A-Za-z0-9._-]+==[^ ]+( ; [^\\]+)? \\"
    hashed = r"--hash=sha256:[0-9a-f]{64}( \\)?"
    assert [line for line in lines if not re.fullmatch(f"{pinned}|{hashed}", line)] == []
    assert re.findall(r"[a-z]+://\S+| /\S+|--index\S*|--find\S*", text) == []
    assert re.findall(r"\\\n(?! +--hash)", text) == []
