"""A policy pack as the engine drives it: a process of its own, over the analyzer protocol, without the engine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import empty_pb2, struct_pb2
from google.protobuf.json_format import MessageToDict
from pulumi.runtime.proto import analyzer_pb2, analyzer_pb2_grpc

from reconciler.pulumi.pack.topics import TOPIC

REPOSITORY = Path(__file__).parents[2]
PACK = REPOSITORY / "policies" / "pack"
PYTHON = PACK / ".venv" / "bin" / "python"

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""How the engine sends a text that is not known yet (`pulumi_policy.proxy`, 1.21)."""
SIGNATURE, SECRET = "4dabf18193072939515e22adb298388d", "1b47061264138c4ac30d75fd1eb44270"
"""How the engine marks a value as secret (the same)."""

LEVELS = {"advisory": 0, "mandatory": 1, "disabled": 2, "remediate": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """What a policy reported; `text` without the policy's description, which comes first."""

    policy: str
    level: str
    text: str
    urn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running pack: a stub of the analyzer protocol, and its process."""

    stub: Any
    process: int

    @property
    def processor_seconds(self) -> float:
        """The processor time that it has used; 0 where the system does not tell (only Linux has `/proc`)."""
        told = Path(f"/proc/{self.process}/stat")
        if not told.exists():
            return 0.0
        user, system = told.read_text("utf-8").rpartition(") ")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def info(self) -> Any:
        """What the pack says of itself and of its policies."""
        return self.stub.GetAnalyzerInfo(empty_pb2.Empty())

    def configure(self, **policies: str | dict[str, Any]) -> None:
        """Sets levels or properties of policies, with `_` for `-`; the others are as the pack has them."""
        given = {name.replace("_", "-"): value for name, value in policies.items()}
        config = {}
        for policy in self.info().policies:
            value = given.pop(policy.name, {})
            properties = dict(value) if isinstance(value, dict) else {"enforcementLevel": value}
            level = properties.pop("enforcementLevel", None)
            config[policy.name] = analyzer_pb2.PolicyConfig(
                enforcementLevel=policy.enforcementLevel if level is None else LEVELS[level],  # type: ignore[arg-type]
                properties=structure(properties),
            )
        assert given == {}
        self.stub.Configure(analyzer_pb2.ConfigureAnalyzerRequest(policyConfig=config))

    def analyze(self, properties: Mapping[str, Any], **given: Any) -> list[Violation]:
        """What the pack has against a topic with these inputs."""
        return _violations(self.stub.Analyze(request(properties, **given)))

    def remediate(self, properties: Mapping[str, Any], **given: Any) -> dict[str, Any] | None:
        """The topic as the pack remedies it; `None` where it leaves it alone."""
        response = self.stub.Remediate(request(properties, **given))
        assert [remediation.diagnostic for remediation in response.remediations if remediation.diagnostic] == []
        return MessageToDict(response.remediations[-1].properties) if response.remediations else None

    def analyze_stack(self, *resources: Mapping[str, Any]) -> list[Violation]:
        """What the pack has against a stack of topics with these outputs, whose URNs are `0`, `1`..."""
        sent = [
            analyzer_pb2.AnalyzerResource(type=TOPIC, properties=structure(one), urn=str(number), name=f"r{number}")
            for number, one in enumerate(resources)
        ]
        return _violations(self.stub.AnalyzeStack(analyzer_pb2.AnalyzeStackRequest(resources=sent)))


def request(
    properties: Mapping[str, Any],
    *,
    kind: str = TOPIC,
    urn: str = "urn:orders",
    name: str = "orders",
    provider: Mapping[str, Any] | None = None,
) -> Any:
    """A resource as the engine sends it for a look at it."""
    made = analyzer_pb2.AnalyzeRequest(type=kind, properties=structure(properties), urn=urn, name=name)
    if provider is not None:
        made.provider.CopyFrom(
            analyzer_pb2.AnalyzerProviderResource(
                type="pulumi:providers:gcp", properties=structure(provider), urn="urn:gcp", name="gcp"
            )
        )
    return made


def structure(value: Mapping[str, Any]) -> struct_pb2.Struct:
    made = struct_pb2.Struct()
    made.update(value)
    return made


def _violations(response: Any) -> list[Violation]:
    levels = {number: level for level, number in LEVELS.items()}
    return [
        Violation(
            policy=one.policyName,
            level=levels[one.enforcementLevel],
            text=one.message.removeprefix(f"{one.description}\n"),
            urn=one.urn,
        )
        for one in response.diagnostics
    ]


@contextmanager
def running(folder: Path = PACK, python: Path = PYTHON) -> Iterator[Server]:
    """A pack that runs as the Python language host starts it, with its folder as the working folder."""
    # The pack finds hedgerow through its own environment: nothing of the caller's is on its path.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PULUMI", "COV"))
    }
    process = subprocess.Popen(
        [python, "-u", "-m", "pulumi.policy", "127.0.0.1:1", folder],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        assert port, f"the pack in {folder} did not start"
        most = 400 * 2**20  # as everywhere in Pulumi: a stack is one message
        options = [("grpc.max_send_message_length", most), ("grpc.max_receive_message_length", most)]
        with grpc.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
            yield Server(stub=analyzer_pb2_grpc.AnalyzerStub(channel), process=process.pid)
    finally:
        process.terminate()
        process.communicate()
