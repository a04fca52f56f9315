"""Plays a scenario file: a story in Markdown whose blocks are files, the cloud, commands and what they print."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from google.protobuf.json_format import MessageToDict

from reconciler.cli.main import run
from reconciler.errors import ExitCode
from reconciler.model import Fleet, StoragePolicy
from reconciler.sandbox import Fault, LoggedRequest, Sandbox, World
from reconciler.sandbox.seeds import seed_topics
from reconciler.spec import load_catalogue, load_fleet, load_snapshot

STACK = Path("stacks/production")
SNAPSHOT = Path("policies/organization.yaml")

_FENCE = re.compile(r"^```(?P<language>[a-z]+) *(?P<subject>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_PART = re.compile(r"(?P<key>\w+) of (?P<file>\S+)")
_FILE = re.compile(r"file (?P<file>\S+)")
_CALL = re.compile(r"(?P<verb>PATCH|POST|PUT|DELETE) (?P<path>/\S+)")

_MASKS = [
    (re.compile(r"sha256:[0-9a-f]+"), "sha256:…"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[0-9a-f]{4}"), "RUN"),
    (re.compile(r"\b\d+\.\d s\b"), "N s"),
    (re.compile(r"capturedAt: \S+"), "capturedAt: TIME"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    (re.compile(r"(?<=seen first at )[0-9: -]+ UTC"), "TIME"),
    (re.compile(r"(?<=stand until )[0-9: -]+ UTC"), "TIME"),
]

_STACK = """\
apiVersion: hedgerow/v1
organization: organizations/123456789012
policySource: ../../policies/organization.yaml
projects: [acme-orders-prod]
"""

_TREE = """\
apiVersion: hedgerow/v1
organization: organizations/123456789012
resources:
  - {name: organizations/123456789012, displayName: acme.example}
  - {name: folders/456, parent: organizations/123456789012, displayName: europe}
  - {name: projects/acme-billing-prod, number: "222222222222", parent: folders/456}
  - {name: projects/acme-orders-prod, number: "111111111111", parent: folders/456}
"""

_POLICIES = """\
- name: folders/456/policies/gcp.resourceLocations
  spec: {rules: [{values: {allowedValues: ["in:europe-west1-locations", "in:europe-west4-locations"]}}]}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One `hedgerow` command of a story.

    Attributes:
        printed: both streams, nothing masked.
        before: the live storage policies when it began, by the topics' full names.
        writes: what it asked the sandbox to change.
        fleet: what was declared then, where it wrote anything.
        again: what the same command printed when it ran once more, for a `plan`, which changes nothing.
    """

    arguments: tuple[str, ...]
    code: ExitCode
    printed: str
    before: Mapping[str, StoragePolicy | None]
    writes: tuple[LoggedRequest, ...]
    fleet: Fleet | None
    again: str | None = None


@dataclass(slots=True, kw_only=True)
class Scenario:
    """A scenario file and the world it plays in; `steps` are its commands so far."""

    path: Path
    world: World
    box: Sandbox
    steps: list[Step] = field(default_factory=list)

    def play(self) -> str:
        """Plays every block in order and returns the file's text with what really came out of each."""
        return _FENCE.sub(self._block, self.path.read_text("utf-8"))

    def live(self) -> dict[str, StoragePolicy | None]:
        """The live storage policies, by the topics' full names."""
        return {str(topic.name): topic.policy for topic in self.world.topics()}

    def command(self, *arguments: str) -> str:
        """Runs a `hedgerow` command and returns what it printed, masked, with its exit code where it is not 0."""
        before, calls = self.live(), len(self.box.log.requests)
        printed, code = _run(arguments)
        writes = tuple(request for request in self.box.log.requests[calls:] if request.writes)
        self.steps.append(
            Step(
                arguments=arguments,
                code=code,
                printed=printed,
                before=before,
                writes=writes,
                fleet=load_fleet(STACK).fleet if writes else None,
                again=_run(arguments)[0] if arguments[0] == "plan" else None,
            )
        )
        return _masked(printed) + (f"[exit code {int(code)}]\n" if code is not ExitCode.OK else "")

    def _block(self, match: re.Match[str]) -> str:
        language, subject, body = match["language"], match["subject"].strip(), match["body"]
        if language == "console":
            body = self._commands(body)
        elif subject == "live afterwards":
            body = self._topics()
        elif part := _PART.fullmatch(subject):
            whole = json.loads(Path(part["file"]).read_text("utf-8"))
            body = _masked(json.dumps(whole[part["key"]], indent=2) + "\n")
        elif file := _FILE.fullmatch(subject):
            body = _masked(Path(file["file"]).read_text("utf-8"))
        elif subject:
            self._given(subject, body)
        return f"```{language}{' ' if subject else ''}{subject}\n{body}```"

    def _given(self, subject: str, body: str) -> None:
        steps: dict[str, Callable[[Any], None]] = {
            "live": self._live,
            "policies": lambda policies: self._organization(_TREE, policies),
            "administrator": self._administrator,
            "denied": self._denied,
            "faults": lambda faults: self.box.faults.add(*(Fault.from_json(fault) for fault in faults)),
        }
        if subject in steps:
            steps[subject](yaml.safe_load(body))
        elif call := _CALL.fullmatch(subject):
            self._call(call["verb"], call["path"], body)
        elif Path(subject) == SNAPSHOT:
            self._organization(body, [])
        else:
            Path(subject).parent.mkdir(parents=True, exist_ok=True)
            Path(subject).write_text(body, encoding="utf-8")

    def _live(self, topics: list[dict[str, Any]]) -> None:
        for given, topic in zip(topics, seed_topics({"topics": topics}), strict=True):
            self.world.put_topic(topic.name, topic.policy, topic.labels, topic.fields)
            regions = (given.get("messageStoragePolicy") or {}).get("allowedPersistenceRegions", [])
            self.world.topic_store.change(topic.name, partial(_order, regions))

    def _organization(self, tree: str, policies: list[dict[str, Any]]) -> None:
        """Sets policies and captures them into the snapshot, as if nothing else had ever been set."""
        for resource, constraint in list(self.world.organization.policies):
            self.world.delete_policy(resource, constraint)
        added = yaml.safe_dump({"policies": policies}) if policies else ""
        SNAPSHOT.write_text(tree + added, encoding="utf-8")
        self.world.load_snapshot(load_snapshot(SNAPSHOT))

    def _administrator(self, policies: list[dict[str, Any]]) -> None:
        for policy in policies:
            self.world.set_policy(policy)

    def _denied(self, services: dict[str, list[str]]) -> None:
        for service, projects in services.items():
            for project in projects:
                self.world.deny(project, service)

    def _call(self, verb: str, path: str, body: str) -> None:
        request = urllib.request.Request(  # noqa: S310 - the sandbox's own address
            f"{self.box.rest_url}{path}",
            data=body.encode(),
            method=verb,
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10):  # noqa: S310
            pass

    def _commands(self, body: str) -> str:
        printed = []
        for line in body.splitlines():
            if line.startswith("$ "):
                program, *arguments = shlex.split(line.removeprefix("$ "))
                if program != "hedgerow":
                    raise ValueError(f"scenarios know no command `{program}`")
                printed.append(f"{line}\n{self.command(*arguments)}")
        return "".join(printed)

    def _topics(self) -> str:
        lines = []
        for name, topic in self.world.topic_store:
            lines.append(f"- name: {name}\n")
            shown = MessageToDict(topic)
            if "messageStoragePolicy" in shown:
                lines.append(f"  messageStoragePolicy: {_flow(shown['messageStoragePolicy'])}\n")
            if "labels" in shown:
                lines.append(f"  labels: {_flow(shown['labels'])}\n")
        return "".join(lines)


def _order(regions: Sequence[str], topic: Any) -> None:
    """Lists a topic's regions as a story does, where the sandbox would sort them."""
    if regions:
        topic.message_storage_policy.allowed_persistence_regions[:] = regions


def _run(arguments: Sequence[str]) -> tuple[str, ExitCode]:
    output = io.StringIO()
    with redirect_stdout(output), redirect_stderr(output):
        code = run(arguments)
    return output.getvalue(), code


def _masked(text: str) -> str:
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return text


def _flow(value: Any) -> str:
    return str(yaml.safe_dump(value, default_flow_style=True, width=1000)).rstrip("\n")


@contextmanager
def scenario(path: Path, folder: Path) -> Iterator[Scenario]:
    """A scenario ready to be played: its folder is the working folder, its sandbox runs."""
    world = World(catalogue=load_catalogue())
    home, before = Path.cwd(), dict(os.environ)
    with Sandbox(world) as box:
        os.chdir(folder)
        os.environ.update({k: v for k, v in box.environment().items() if k.startswith("HEDGEROW_")})
        os.environ["HEDGEROW_RETRY_BUDGET"] = "0.5"
        try:
            STACK.mkdir(parents=True)
            SNAPSHOT.parent.mkdir()
            (STACK / "stack.yaml").write_text(_STACK, encoding="utf-8")
            story = Scenario(path=path, world=world, box=box)
            story._organization(_TREE, yaml.safe_load(_POLICIES))
            yield story
        finally:
            os.chdir(home)
            os.environ.clear()
            os.environ.update(before)
