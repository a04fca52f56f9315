"""The wheel in `dist/` works alone: in an empty environment that holds the base lock and nothing else.

Run by `make wheel`, which builds it; `make test` leaves it out.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from reconciler import __version__
from tests.pack.resources import stating
from tests.pack.server import running

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).parent.parent
WHEEL = ROOT / "dist" / f"hedgerow-{__version__}-py3-none-any.whl"


@pytest.fixture(scope="module")
def bin_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an environment with the base lock and the wheel."""
    environment = tmp_path_factory.mktemp("environment")
    install_wheel(environment, ROOT / "requirements" / "base.txt")
    return environment / "bin"


def install_wheel(environment: Path, lock: Path) -> None:
    """Makes an environment with a lock and the wheel, and nothing else."""
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    install: list[str | Path] = [
        environment / "bin" / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    subprocess.run([*install, "--only-binary", ":all:", "--require-hashes", "-r", lock], check=True)
    subprocess.run([*install, "--no-deps", "--no-index", WHEEL], check=True)


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=False, cwd=cwd, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"})


def test_the_base_lock_is_all_that_the_wheel_asks_for(bin_folder: Path, tmp_path: Path) -> None:
    done = run(bin_folder / "python", "-m", "pip", "check", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "No broken requirements found.\n")


def test_the_wheel_holds_code_and_data_and_nothing_else() -> None:
    names = set(zipfile.ZipFile(WHEEL).namelist())
    data = {
        *(
            f"reconciler/{p.relative_to(ROOT / 'reconciler')}"
            for p in (ROOT / "reconciler").rglob("data/**/*")
            if p.is_file()
        ),
        *(f"reconciler/sandbox/example/{p.relative_to(ROOT)}" for p in (ROOT / "stacks" / "demo").rglob("*.yaml")),
        "reconciler/sandbox/example/policies/organization.yaml",
        "reconciler/py.typed",
    }
    assert data - names == set()
    strays = {n for n in names if not n.startswith(("reconciler/", f"hedgerow-{__version__}.dist-info/"))}
    assert strays == set()


def test_help_lists_the_commands(bin_folder: Path, tmp_path: Path) -> None:
    done = run(bin_folder / "hedgerow", "--help", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    commands = {line.split()[0] for line in done.stdout.split("Commands:")[1].splitlines() if line.strip()}
    assert {"check", "demo", "schema"} - commands == set()


def test_the_version_is_the_wheels(bin_folder: Path, tmp_path: Path) -> None:
    done = run(bin_folder / "hedgerow", "--version", cwd=tmp_path)
    assert (done.returncode, done.stdout.split()[-1]) == (0, __version__)


def test_schemas_come_out_of_the_wheel(bin_folder: Path, tmp_path: Path) -> None:
    done = run(bin_folder / "hedgerow", "schema", "fleet", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_catalogue_comes_out_of_the_wheel(bin_folder: Path, tmp_path: Path) -> None:
    program = "from reconciler.spec.catalogue import load_catalogue; print('europe-west1' in load_catalogue().regions)"
    assert run(bin_folder / "python", "-c", program, cwd=tmp_path).stdout == "True\n"


def test_the_example_stack_passes_the_check(bin_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "stacks" / "demo", tmp_path / "stacks" / "demo")
    shutil.copytree(ROOT / "policies", tmp_path / "policies")
    done = run(bin_folder / "hedgerow", "check", "stacks/demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "checked " in done.stderr


def test_the_base_install_needs_no_client_of_google_or_pulumi(bin_folder: Path, tmp_path: Path) -> None:
    heavy = ["google", "grpc", "numpy", "pulumi", "pulumi_gcp"]
    program = f"""
import importlib.util, sys, reconciler, reconciler.cli
print([name for name in {heavy} if name in sys.modules], [name for name in {heavy} if importlib.util.find_spec(name)])
"""
    assert run(bin_folder / "python", "-c", program, cwd=tmp_path).stdout == "[] []\n"


def test_a_copy_of_the_policy_packs_folder_works_with_its_lock_and_the_wheel(tmp_path: Path) -> None:
    pack = tmp_path / "policies" / "pack"
    pack.mkdir(parents=True)
    for name in ("PulumiPolicy.yaml", "__main__.py", "requirements.txt"):
        shutil.copy(ROOT / "policies" / "pack" / name, pack)
    shutil.copy(ROOT / "policies" / "organization.yaml", tmp_path / "policies")
    install_wheel(pack / ".venv", pack / "requirements.txt")
    disallowed = {"name": "orders", "project": "acme-orders-prod", "messageStoragePolicy": stating(["us-east1"])}

    assert run(pack / ".venv" / "bin" / "python", "-m", "pip", "check", cwd=pack).returncode == 0
    with running(pack, pack / ".venv" / "bin" / "python") as copied:
        assert [violation.policy for violation in copied.analyze(disallowed)] == ["region-not-allowed"]
