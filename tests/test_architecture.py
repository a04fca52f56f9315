"""What import-linter cannot hold: rooms explain themselves, modules stay short, start-up stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import reconciler.cli

PACKAGE = Path(__file__).parent.parent / "reconciler"
MODULES = {str(path.relative_to(PACKAGE.parent)): path for path in sorted(PACKAGE.rglob("*.py"))}
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))

HEAVY = ["celpy", "google", "grpc", "numpy", "pulumi", "pulumi_gcp", "rich", "starlette", "uvicorn"]
"""What only single commands need, and must therefore not be paid for by all of them."""

EDGE_NAMES = {"print", "input", "breakpoint", "exit", "quit", "SystemExit"}
EDGE_ATTRIBUTES = {
    *(("sys", name) for name in ("argv", "exit", "stdin", "stdout", "stderr")),
    *(("os", name) for name in ("environ", "getenv", "_exit", "putenv")),
}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_lives_there_and_names_what_it_offers(room: str) -> None:
    tree = ast.parse((PACKAGE / room / "__init__.py").read_text("utf-8"))
    docstring = ast.get_docstring(tree) or ""
    if docstring == "TODO.":
        pytest.skip("not built yet")
    first, _, rest = docstring.partition("\n\n")
    assert first.endswith(".")
    assert "import" in rest.lower(), "the docstring does not say what the room may import"
    assert "__all__" in {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def test_a_module_reads_in_one_sitting() -> None:
    lengths = {name: len(path.read_text("utf-8").splitlines()) for name, path in MODULES.items()}
    assert {name: length for name, length in lengths.items() if length > 300} == {}


def test_every_module_says_what_it_is() -> None:
    assert [n for n, path in MODULES.items() if not ast.get_docstring(ast.parse(path.read_text("utf-8")))] == []


@pytest.mark.parametrize(
    "program",
    [
        "import reconciler, reconciler.cli",
        "import reconciler.model, reconciler.orgpolicy, reconciler.spec, reconciler.hedging",
        "import reconciler.rules, reconciler.reconcile",
        "import reconciler.pulumi, reconciler.pulumi.pack.judge, reconciler.pulumi.pack.review",
    ],
)
def test_start_up_loads_nothing_that_only_single_commands_need(program: str) -> None:
    assert loaded_by(program) == []


def test_help_loads_nothing_that_only_single_commands_need() -> None:
    if not hasattr(reconciler.cli, "main"):
        pytest.skip("not built yet")
    ask_for_help = """
import contextlib, io, reconciler.cli
sys.argv = ["hedgerow", "--help"]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    reconciler.cli.main()
"""
    assert loaded_by(ask_for_help) == []


def test_only_the_command_line_prints_reads_the_environment_or_exits() -> None:
    found = [
        f"{name}:{line}: {what}"
        for name, path in MODULES.items()
        if not name.startswith("reconciler/cli/")
        for line, what in edges(ast.parse(path.read_text("utf-8")))
    ]
    assert found == []


def test_an_edge_is_recognized_however_it_is_reached() -> None:
    program = [
        "import os, sys",
        "print(1)",
        "sys.stderr",
        "os.environ['A']",
        "from os import getenv",
        "raise SystemExit",
    ]
    tree = ast.parse("\n".join(program))
    assert list(edges(tree)) == [
        (2, "print"),
        (3, "sys.stderr"),
        (4, "os.environ"),
        (5, "os.getenv"),
        (6, "SystemExit"),
    ]


def loaded_by(program: str) -> list[str]:
    """Which of the heavy packages are loaded once a program has run in a fresh interpreter."""
    report = f"import sys\n{program}\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    return subprocess.run([sys.executable, "-c", report], check=True, capture_output=True, text=True).stdout.split()


def edges(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Where code prints, reads the environment or exits, by line, with what it does it."""
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) if name in EDGE_NAMES:
                found.append((node.lineno, name))
            case ast.Attribute(value=ast.Name(id=module), attr=name) if (module, name) in EDGE_ATTRIBUTES:
                found.append((node.lineno, f"{module}.{name}"))
            case ast.ImportFrom(module=str(module), names=names):
                found += [(node.lineno, f"{module}.{a.name}") for a in names if (module, a.name) in EDGE_ATTRIBUTES]
    yield from sorted(found)
