"""Runs a scenario file: a story in Markdown whose blocks are files, live topics, commands and their output."""

from __future__ import annotations

import io
import os
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from reconciler.cli.main import run
from reconciler.errors import ExitCode
from reconciler.sandbox import Sandbox, World
from reconciler.sandbox.seeds import seed_topics
from reconciler.spec import load_catalogue, load_snapshot

_FENCE = re.compile(r"^```(?P<language>[a-z]+) *(?P<subject>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)

_MASKS = [
    (re.compile(r"sha256:[0-9a-f]+"), "sha256:…"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[0-9a-f]{4}"), "RUN"),
    (re.compile(r"\b\d+\.\d s\b"), "N s"),
    (re.compile(r"capturedAt: \S+"), "capturedAt: TIME"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
]

STACK = """\
apiVersion: hedgerow/v1
organization: organizations/123456789012
policySource: ../../policies/organization.yaml
projects: [acme-orders-prod]
"""

ORGANIZATION = """\
apiVersion: hedgerow/v1
organization: organizations/123456789012
resources:
  - {name: organizations/123456789012, displayName: acme.example}
  - {name: folders/456, parent: organizations/123456789012, displayName: europe}
  - {name: projects/acme-orders-prod, number: "111111111111", parent: folders/456}
policies:
  - name: folders/456/policies/gcp.resourceLocations
    spec: {rules: [{values: {allowedValues: ["in:europe-west1-locations", "in:europe-west4-locations"]}}]}
"""


@dataclass
class Scenario:
    """A scenario file and the world it plays in; `text` is what the file should say."""

    path: Path
    folder: Path
    world: World
    box: Sandbox

    def play(self) -> str:
        """Plays every block in order and returns the file's text with what was really printed."""
        return _FENCE.sub(self._block, self.path.read_text("utf-8"))

    def _block(self, match: re.Match[str]) -> str:
        language, subject, body = match["language"], match["subject"].strip(), match["body"]
        if language == "console":
            body = self._commands(body)
        elif subject == "cloud":
            body = self._cloud()
        elif subject:
            self._given(subject, body)
        return f"```{language}{' ' if subject else ''}{subject}\n{body}```"

    def _given(self, subject: str, body: str) -> None:
        steps: dict[str, Callable[[Any], None]] = {
            "live": self._live,
            "administrator": self.world.set_policy,
            "denied": self._denied,
        }
        if subject in steps:
            steps[subject](yaml.safe_load(body))
            return
        path = self.folder / subject
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
        if path.name == "organization.yaml":
            self.world.load_snapshot(load_snapshot(path))

    def _live(self, topics: list[dict[str, Any]]) -> None:
        for topic in seed_topics({"topics": topics}):
            self.world.put_topic(topic.name, topic.policy, topic.labels, topic.fields)

    def _denied(self, services: dict[str, list[str]]) -> None:
        for service, projects in services.items():
            for project in projects:
                self.world.deny(project, service)

    def _commands(self, body: str) -> str:
        printed = []
        for line in body.splitlines():
            if line.startswith("$ "):
                program, *arguments = shlex.split(line.removeprefix("$ "))
                printed.append(
                    f"{line}\n{_hedgerow(arguments) if program == 'hedgerow' else _shell(program, arguments)}"
                )
        return "".join(printed)

    def _cloud(self) -> str:
        lines = []
        for topic in self.world.topics():
            policy = "none"
            if topic.policy is not None:
                policy = f"[{', '.join(topic.policy.regions)}]"
                policy += ", enforced in transit" * topic.policy.enforce_in_transit
            lines.append(f"{topic.name}: {policy}\n")
        return "".join(lines)


def _hedgerow(arguments: list[str]) -> str:
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(output):
        code = run(arguments)
    text = output.getvalue()
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return text + (f"[exit code {int(code)}]\n" if code is not ExitCode.OK else "")


def _shell(program: str, arguments: list[str]) -> str:
    """The few commands that a story needs beside hedgerow's own."""
    if program == "rm":
        for argument in arguments:
            Path(argument).unlink()
        return ""
    raise ValueError(f"scenarios know no command `{program}`")


@contextmanager
def scenario(path: Path, folder: Path) -> Iterator[Scenario]:
    """A scenario ready to be played: its folder is the working folder, its sandbox runs."""
    (folder / "stacks" / "production").mkdir(parents=True)
    (folder / "policies").mkdir()
    (folder / "stacks" / "production" / "stack.yaml").write_text(STACK, encoding="utf-8")
    (folder / "policies" / "organization.yaml").write_text(ORGANIZATION, encoding="utf-8")
    world = World(catalogue=load_catalogue())
    world.load_snapshot(load_snapshot(folder / "policies" / "organization.yaml"))
    home, before = Path.cwd(), dict(os.environ)
    with Sandbox(world) as box:
        os.chdir(folder)
        os.environ.update({k: v for k, v in box.environment().items() if k.startswith("HEDGEROW_")})
        os.environ["HEDGEROW_RETRY_BUDGET"] = "0.5"
        try:
            yield Scenario(path=path, folder=folder, world=world, box=box)
        finally:
            os.chdir(home)
            os.environ.clear()
            os.environ.update(before)
