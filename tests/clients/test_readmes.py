"""What the READMEs of loaders and example services show is what is built and run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.clients.services import CLIENTS, EXAMPLES, ORDERS

SOURCES = {
    "go": CLIENTS / "go" / "example_test.go",
    "java": CLIENTS / "java" / "src/test/java/hedgerow/examples/Readme.java",
    "rust": CLIENTS / "rust" / "examples/readme.rs",
}
_BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(readme: Path, language: str) -> list[str]:
    return [match["body"] for match in _BLOCK.finditer(readme.read_text("utf-8")) if match["language"] == language]


@pytest.mark.parametrize("language", SOURCES)
def test_the_code_of_a_loaders_readme_is_compiled(language: str) -> None:
    """Line by line and in order: what stands between, such as the handling of errors, is left out there."""
    (shown,) = blocks(CLIENTS / language / "README.md", language)
    compiled = iter(line.strip() for line in SOURCES[language].read_text("utf-8").splitlines())
    assert [line for line in shown.splitlines() if line.strip() not in compiled] == []


@pytest.mark.parametrize("kind", ["go", "rust"])
def test_the_command_of_a_services_readme_names_what_is_there(kind: str) -> None:
    (shown,) = blocks(EXAMPLES / kind / "README.md", "sh")
    *_, file, topic = shlex.split(shown)
    assert (EXAMPLES / kind / file).resolve() == CLIENTS / "testdata" / f"{kind}.json"
    assert topic == ORDERS


def test_every_block_of_a_readme_is_looked_at() -> None:
    readmes = sorted([*CLIENTS.glob("**/README.md"), *EXAMPLES.glob("**/README.md")])
    found = {
        str(readme.relative_to(CLIENTS.parent)): [
            match["language"] for match in _BLOCK.finditer(readme.read_text("utf-8"))
        ]
        for readme in readmes
        if "target" not in readme.parts
    }
    assert found == {
        "clients/README.md": [],
        "clients/go/README.md": ["go"],
        "clients/java/README.md": ["java", "sh"],
        "clients/rust/README.md": ["rust"],
        "examples/README.md": ["sh"],
        "examples/go/README.md": ["sh"],
        "examples/rust/README.md": ["sh"],
        "examples/spring/README.md": ["sh"],
    }
