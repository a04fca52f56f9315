"""What the README shows is what a user sees: its console blocks are the demo's own output."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"
_BLOCK = re.compile(r"```console\n(?P<command>\$ hedgerow [^\n]*)\n(?P<output>.*?)```", re.DOTALL)
_MASKED = re.compile(r"sha256:[0-9a-f]+|\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[0-9a-f]{4}|\b\d+\.\d s\b")


def test_the_readme_shows_what_the_demo_prints() -> None:
    demo = subprocess.run(
        [sys.executable, "-m", "reconciler.cli", "demo"],
        capture_output=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    ).stdout
    printed: dict[str, str] = {}
    for section in re.split(r"^(?=\$ hedgerow )", demo, flags=re.MULTILINE)[1:]:
        command, _, output = section.partition("\n")
        output = output.partition("\n# ")[0].rstrip("\n") + "\n"
        printed[command] = max(printed.get(command, ""), output, key=len)
    text = README.read_text("utf-8")
    current = _BLOCK.sub(lambda block: f"```console\n{block['command']}\n{printed[block['command']]}```", text)
    if os.environ.get("HEDGEROW_UPDATE"):
        README.write_text(current, encoding="utf-8")
        text = current
    assert len(_BLOCK.findall(text)) == 3
    assert _MASKED.sub("…", text) == _MASKED.sub("…", current)
