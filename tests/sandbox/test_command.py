from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import httpx
import pytest
from click.testing import CliRunner

from reconciler.cli import sandbox as command
from reconciler.errors import HedgerowError
from reconciler.sandbox import DEFAULT_GRPC_PORT, DEFAULT_REST_PORT, Sandbox, World
from tests.sandbox.builders import TOPIC

PROGRAM = "from reconciler.cli import main; main()"

TOPICS = f"topics: [{{name: {TOPIC}, messageStoragePolicy: {{allowedPersistenceRegions: [us-east1]}}}}]"
FAULTS = "faults: [{method: DeleteTopic, error: ABORTED, message: not today}]"


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "sandbox", "start", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def exports(process: subprocess.Popen[str], count: int) -> dict[str, str]:
    assert process.stdout is not None
    lines = [process.stdout.readline().removeprefix("export ").strip() for _ in range(count)]
    return dict(line.split("=", 1) for line in lines)


@pytest.mark.network
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_start_serves_what_the_files_say_until_it_is_told_to_stop(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "topics.yaml").write_text(TOPICS)
    (tmp_path / "faults.yaml").write_text(FAULTS)
    files = ("--topics", str(tmp_path / "topics.yaml"), "--faults", str(tmp_path / "faults.yaml"))
    with started(*files, "--grpc-port", "0", "--rest-port", "0") as process:
        base = exports(process, 16)["GOOGLE_PUBSUB_CUSTOM_ENDPOINT"]
        assert httpx.get(f"{base}{TOPIC}").json() == {
            "name": TOPIC,
            "messageStoragePolicy": {"allowedPersistenceRegions": ["us-east1"]},
        }
        assert httpx.delete(f"{base}{TOPIC}").json()["error"]["message"] == "not today"
        process.send_signal(number)
        _, told = process.communicate(timeout=10)
    assert process.returncode == 0
    assert told.splitlines()[0].endswith("; 1 projects, 1 topics")
    assert told.splitlines()[-1] == "stopped after 2 requests"


def test_env_prints_what_a_sandbox_on_the_default_ports_needs() -> None:
    result = CliRunner().invoke(command.sandbox, ["env", "--project", "acme-orders"])
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "export CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDASSET=http://127.0.0.1:8682/",
        "export CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER=http://127.0.0.1:8682/",
        "export CLOUDSDK_API_ENDPOINT_OVERRIDES_ORGPOLICY=http://127.0.0.1:8682/",
        "export CLOUDSDK_API_ENDPOINT_OVERRIDES_PUBSUB=http://127.0.0.1:8682/",
        "export CLOUDSDK_AUTH_DISABLE_CREDENTIALS=true",
        "export CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK=true",
        f"export CLOUDSDK_CONFIG={Path(tempfile.gettempdir()) / 'hedgerow-sandbox-gcloud'}",
        "export CLOUDSDK_CORE_DISABLE_PROMPTS=true",
        "export CLOUDSDK_CORE_DISABLE_USAGE_REPORTING=true",
        "export CLOUDSDK_CORE_PROJECT=acme-orders",
        "export GOOGLE_OAUTH_ACCESS_TOKEN=sandbox:provider",
        "export GOOGLE_PUBSUB_CUSTOM_ENDPOINT=http://127.0.0.1:8682/v1/",
        "export HEDGEROW_ASSET_ENDPOINT=http://127.0.0.1:8681",
        "export HEDGEROW_ORG_POLICY_ENDPOINT=http://127.0.0.1:8681",
        "export HEDGEROW_PUBSUB_ENDPOINT=http://127.0.0.1:8681",
        "export HEDGEROW_RESOURCE_MANAGER_ENDPOINT=http://127.0.0.1:8681",
        "export PUBSUB_EMULATOR_HOST=127.0.0.1:8681",
        "export PULUMI_GCP_SKIP_REGION_VALIDATION=true",
    ]


def test_ports_of_the_command_are_those_of_the_sandbox() -> None:
    defaults = {option.name: option.default for option in command.env.params}
    assert (defaults["grpc_port"], defaults["rest_port"]) == (DEFAULT_GRPC_PORT, DEFAULT_REST_PORT)


def test_importing_the_command_loads_neither_grpc_nor_google() -> None:
    loaded = "{module.split('.')[0] for module in sys.modules}"
    check = f"import sys, reconciler.cli.sandbox; print({{'grpc', 'google', 'starlette'}} & {loaded})"
    printed = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True).stdout
    assert printed == "set()\n"


@pytest.mark.parametrize("name", ["start", "env"])
def test_missing_extra_is_named_with_the_way_out(name: str) -> None:
    program = f"import sys; sys.modules['uvicorn'] = None; from reconciler.cli import main; main(['sandbox', '{name}'])"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (
        1,
        "",
        "error: the sandbox is not installed: uvicorn is missing\n  hint: pip install 'hedgerow[sandbox]'\n",
    )


@pytest.mark.network
@pytest.mark.parametrize("which", ["grpc_port", "rest_port"])
def test_taken_port_is_named_with_the_way_out(box: Sandbox, world: World, which: str) -> None:
    taken = int((box.grpc_address if which == "grpc_port" else box.rest_url).rpartition(":")[2])
    with pytest.raises(HedgerowError) as caught:
        Sandbox(world, **{which: taken}).start()
    assert str(caught.value) == (
        f"error: port {taken} on 127.0.0.1 is taken\n"
        "  hint: stop what uses it, or choose others with `--grpc-port` and `--rest-port`"
    )
    with grpc.insecure_channel(box.grpc_address) as channel:
        grpc.channel_ready_future(channel).result(timeout=5)
