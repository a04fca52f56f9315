"""What the benchmarks compare is the same work: on a fleet without mistakes, and by rules that find the same."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from pulumi.runtime.proto import analyzer_pb2

from benchmarks import apply, copies, floor, pack
from benchmarks.__main__ import main, row
from benchmarks.cloud import Cloud, cloud, project_ids, world
from benchmarks.comparison import Comparison, Skipped, run
from benchmarks.custodian import list_by_custodian, present_custodian
from benchmarks.fleets import write_fleet, write_publishers
from benchmarks.opa import conftest_program, present_conftest
from benchmarks.plan import list_all, plan
from reconciler.gcp import Connection, PubsubTopics, read_topics
from reconciler.hedging import render
from reconciler.model import Endpoints
from reconciler.reconcile import Unavailable
from reconciler.rules import check
from reconciler.sandbox import Sandbox
from reconciler.spec import load_catalogue, load_fleet, load_snapshot
from tests.pack.server import PACK, PYTHON, running


def codes(stack: Path, snapshot: Path) -> list[str]:
    fleet, read, catalogue = load_fleet(stack).fleet, load_snapshot(snapshot), load_catalogue()
    policies = {project: read.effective_policy(project, catalogue) for project in fleet.stack.projects}
    return [finding.code for finding in check(fleet, policies, catalogue, today=date(2026, 11, 30))]


def test_the_written_fleet_has_the_asked_size_and_no_mistake(tmp_path: Path) -> None:
    fleet = write_fleet(tmp_path, 1_010)
    loaded = load_fleet(fleet.stack)
    assert (len(loaded.fleet.topics), len(fleet.files), len(loaded.fleet.stack.projects)) == (1_010, 21, 2)
    assert loaded.warnings == ()
    assert codes(fleet.stack, fleet.snapshot) == []
    assert floor.main(fleet.stack) == 0


def test_the_services_of_a_fleet_have_no_mistake_and_their_copies_are_what_was_rendered(tmp_path: Path) -> None:
    fleet = write_fleet(tmp_path, 60)
    write_publishers(fleet, 60)
    assert codes(fleet.stack, fleet.snapshot) == []
    rendered, copied = tmp_path / "rendered", tmp_path / "copied"
    rendered.mkdir()
    for name, content in render(load_fleet(fleet.stack).fleet).items():
        (rendered / name).write_bytes(content)
    assert copies.main(rendered, copied) == 0
    assert len([*copied.iterdir()]) == 60
    assert {path.name: path.read_bytes() for path in copied.iterdir()} == {
        path.name: path.read_bytes() for path in rendered.iterdir()
    }


def test_the_floor_refuses_what_does_not_fit_the_schema(tmp_path: Path) -> None:
    fleet = write_fleet(tmp_path, 50)
    fleet.files[0].write_text("topics: 1\n", encoding="utf-8")
    assert floor.main(fleet.stack) == 1


def test_conftest_and_hedgerow_find_the_same_disallowed_regions(tmp_path: Path) -> None:
    command = present_conftest()
    if command is None:
        pytest.skip("Conftest is not built; `make bench ARGS=check` builds it where Go is installed")
    fleet = write_fleet(tmp_path / "fleet", 50)
    rules = tmp_path / "rules"
    rules.mkdir()
    program = conftest_program(command, fleet, rules)
    assert subprocess.run(program, check=False, capture_output=True).returncode == 0
    first = fleet.files[0]
    first.write_text(first.read_text("utf-8").replace("- europe-west1\n", "- me-west1\n", 2), encoding="utf-8")
    ended = subprocess.run([*program, "--output", "json"], check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout.count("region `me-west1` is not allowed")) == (1, 2)
    assert codes(fleet.stack, fleet.snapshot) == ["region-not-allowed"] * 2


def test_a_row_tells_work_times_ratio_and_target_or_why_it_is_missing() -> None:
    compared = Comparison(work="w", seconds=1.5, against="a", against_seconds=0.5, target="t")
    assert row(compared) == "| w | 1,500 ms | a | 500 ms | 3.0 | t |"
    ratios = [row(replace(compared, seconds=seconds)).split(" | ")[4] for seconds in (0.065, 0.01)]
    assert ratios == ["0.13", "0.020"]
    assert row(Skipped(work="w", against="a", reason="no Go")) == "| w | | a | skipped: no Go | | |"


def test_a_program_that_fails_is_not_timed(tmp_path: Path) -> None:
    with pytest.raises(ChildProcessError, match=r"ended with 3$"):
        run([sys.executable, "-c", "raise SystemExit(3)"], tmp_path)
    ended = run([sys.executable, "-c", "pass"], tmp_path)
    assert ended.memory > 2**20


def test_a_benchmark_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no"]) == 64
    assert capsys.readouterr().err == (
        "error: `no` is no benchmark\n"
        "  hint: choose from apply, check, custodian, pack, plan, policies, pulumi-up, region-sets, render, start-up\n"
    )


@contextmanager
def sandbox(topics: int, projects: int, *, drifted_one_in: int) -> Iterator[tuple[Sandbox, Cloud]]:
    names = project_ids(projects)
    with Sandbox(world(topics, names, drifted_one_in=drifted_one_in)) as box:
        yield box, Cloud(grpc=box.grpc_address, rest=box.rest_url, projects=names, topics=topics)


@pytest.mark.network
def test_the_bare_lister_and_hedgerow_read_the_same_topics() -> None:
    with sandbox(45, 3, drifted_one_in=10) as (_, served):
        listed = list_all(served.grpc, served.projects)
        link = Connection(endpoints=Endpoints(pubsub=f"http://{served.grpc}"))
        read = read_topics(served.projects, PubsubTopics(link))
    found: dict[str, frozenset[str]] = {}
    for topics in read.values():
        assert not isinstance(topics, Unavailable)
        found |= {str(topic.name): topic.policy.regions.names for topic in topics if topic.policy}
    assert found == listed
    assert Counter("us-east1" in regions for regions in listed.values()) == {True: 6, False: 39}


@pytest.mark.network
def test_the_plan_of_a_served_cloud_finds_what_has_drifted(tmp_path: Path) -> None:
    with cloud(40, projects=2) as served:
        stack = served.write_stack(tmp_path)
        assert plan(served, stack).memory > 2**20
        command = [sys.executable, "-m", "reconciler.cli", "plan", str(stack), "--format", "json"]
        ended = subprocess.run(command, env=served.environment, check=True, capture_output=True, text=True)
    assert json.loads(ended.stdout)["counts"] == {"in-sync": 36, "disallowed": 4}


@pytest.mark.network
@pytest.mark.parametrize("side", [apply.ours, apply.bare])
def test_both_sides_of_apply_make_the_same_calls_and_leave_the_same_topics(
    side: Callable[..., float], tmp_path: Path
) -> None:
    with sandbox(6, 2, drifted_one_in=1) as (box, served):
        assert side(served, tmp_path, rate=None) > 0
        calls = Counter(
            (request.method, request.resource)
            for request in box.log.requests
            if request.method in ("GetTopic", "UpdateTopic")
        )
        left = list_all(served.grpc, served.projects)
    names = sorted(left)
    assert calls == Counter({("GetTopic", name): 2 for name in names} | {("UpdateTopic", name): 1 for name in names})
    assert set(left.values()) == {load_catalogue().group("eu-locations").certain.names}


@pytest.mark.network
@pytest.mark.parametrize("side", [apply.ours, apply.bare])
def test_a_limited_run_takes_as_long_as_the_rate_asks_for(side: Callable[..., float]) -> None:
    times = apply.limited(side, 4, 600)
    assert len(times) == 12
    # Eleven intervals of 0.1 s. The first call may arrive late, so only the bound that noise keeps is asserted.
    assert times[-1] - times[0] > 0.9


def test_most_within_counts_the_densest_span() -> None:
    assert apply.most_within([0.0, 1.0, 1.2, 1.4, 3.0], 0.5) == 3
    assert apply.most_within([0.0, 1.0, 2.0], 1.0) == 1


@pytest.mark.network
def test_custodian_lists_the_same_topics(tmp_path: Path) -> None:
    python = present_custodian()
    if python is None:
        pytest.skip("Cloud Custodian is not installed; `make bench ARGS=custodian` installs it")
    with cloud(230, projects=2) as served:
        assert list_by_custodian(python, served, tmp_path) > 0
        listed = list_all(served.grpc, served.projects)
    found = {
        topic["name"]: frozenset(topic["messageStoragePolicy"]["allowedPersistenceRegions"])
        for file in tmp_path.glob("*/topics/resources.json")
        for topic in json.loads(file.read_text("utf-8"))
    }
    assert found == listed
    assert len(listed) == 230


@pytest.mark.network
def test_the_pack_is_measured_on_topics_without_a_mistake_and_would_notice_one() -> None:
    if not PYTHON.exists():
        pytest.skip("the policy pack's environment is not made; `make pack` makes it")
    sound = [pack.topic(number) for number in range(10)]
    wrong = pack.topic(1)
    wrong.properties["messageStoragePolicy"]["allowedPersistenceRegions"] = ["us-east1"]
    stack = analyzer_pb2.AnalyzeStackRequest(resources=[pack.output(request) for request in sound])
    with running(PACK) as served:
        assert pack.judge(served.stub, sound, stack) == 0
        assert pack.judge(served.stub, [wrong], stack) == 1
        assert served.processor_seconds > 0
