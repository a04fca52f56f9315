"""`hedgerow pulumi` as far as it does without an engine; `tests/engine` has the rest."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import STACK, Company

ROOT = Path(__file__).resolve().parents[2]
QUIET = "PULUMI_SKIP_UPDATE_CHECK=true"
LOOKING = f"{QUIET} PULUMI_SKIP_CHECKPOINTS=true PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true"


def split(company: Company, how: str) -> None:
    company.write("stacks/production/stack.yaml", f"{STACK}pulumi: {{shards: {how}}}\n")


def stand_in(company: Company, script: str) -> Path:
    """A `pulumi` that does what a script says, first on the path."""
    folder = company.folder / "bin"
    folder.mkdir()
    (folder / "pulumi").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "pulumi").chmod(0o755)
    return folder


class TestStacks:
    def test_that_are_not_split_are_one(self, company: Company) -> None:
        ended = company.hedgerow("pulumi", "stacks", "production")

        assert (ended.code, ended.out, ended.err) == (
            0,
            "production      3 topics   2 projects\n",
            "3 topics in 1 Pulumi stack: the stack is not split\n",
        )

    def test_by_project(self, company: Company) -> None:
        split(company, "project")
        ended = company.hedgerow("pulumi", "stacks", "production")

        assert ended.out == (
            "production-acme-billing-prod       1 topic    1 project\n"
            "production-acme-orders-prod       2 topics    1 project\n"
        )
        assert ended.err == "3 topics in 2 Pulumi stacks: one for each project\n"

    def test_by_hash(self, company: Company) -> None:
        split(company, "2")
        told = company.hedgerow("pulumi", "stacks", "production", "--format", "json").json

        assert [(one["name"], one["topics"], one["projects"]) for one in told["pulumiStacks"]] == [
            ("production-0-of-2", 2, ["acme-orders-prod"]),
            ("production-1-of-2", 1, ["acme-billing-prod"]),
        ]
        assert all(one["specs"].startswith("sha256:") for one in told["pulumiStacks"])
        ended = company.hedgerow("pulumi", "stacks", "production", "--format", "names")
        assert ended.out == "production-0-of-2\nproduction-1-of-2\n"
        assert company.hedgerow("pulumi", "stacks", "production").err == (
            "3 topics in 2 Pulumi stacks: 2 shards, each topic in the one that its name's hash says\n"
        )


class TestUp:
    def test_can_only_print_what_it_would_run(self, company: Company) -> None:
        split(company, "project")
        ended = company.hedgerow("pulumi", "up", "--dry-run", "--", "--refresh")
        names = [f"production-acme-{name}-prod" for name in ("billing", "orders")]

        assert ended.out == "".join(
            f"{LOOKING} pulumi preview --json --stack {name} --parallel 16 --refresh\n"
            f"{QUIET} pulumi up --yes --skip-preview --continue-on-error --stack {name} --parallel 16 --refresh"
            "  # with PULUMI_SKIP_CHECKPOINTS=true above 300 changes\n"
            for name in names
        )
        assert ended.err.splitlines()[1:] == [
            "production-acme-billing-prod (1 of 2): 1 topic",
            "production-acme-orders-prod (2 of 2): 2 topics",
        ]

    def test_of_one_part_that_is_named(self, company: Company) -> None:
        split(company, "2")
        ended = company.hedgerow("pulumi", "up", "--dry-run", "--preview", "--pulumi-stack", "production-1-of-2")

        assert ended.out == f"{LOOKING} pulumi preview --json --stack production-1-of-2 --parallel 16\n"

    def test_of_a_pulumi_stack_with_another_name(self, company: Company) -> None:
        ended = company.hedgerow(
            "pulumi", "up", "--dry-run", "--checkpoints", "never", "--pulumi-stack", "prod", "production"
        )

        assert ended.out.splitlines()[1] == (
            f"{QUIET} PULUMI_SKIP_CHECKPOINTS=true pulumi up --yes --skip-preview --continue-on-error --stack prod "
            "--parallel 16"
        )

    def test_of_a_part_that_there_is_not_is_refused(self, company: Company) -> None:
        split(company, "2")
        ended = company.hedgerow("pulumi", "up", "production", "--pulumi-stack", "production-0-of-3")

        assert (ended.code, ended.err) == (
            64,
            (
                "error: `production-0-of-3` is no Pulumi stack of `production`\n"
                "  hint: list them: hedgerow pulumi stacks production\n"
            ),
        )

    def test_of_all_stacks_names_none(self, company: Company) -> None:
        ended = company.hedgerow("pulumi", "up", "--all", "production")

        assert (ended.code, "--all and a stack exclude each other" in ended.err) == (64, True)

    def test_of_no_stack_at_all_is_refused(self, company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(company.folder / "policies")

        assert company.hedgerow("pulumi", "up", "--all").code == 64

    def test_without_pulumi_says_where_to_get_it(self, company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(company.folder))
        ended = company.hedgerow("pulumi", "up", "production")

        assert (ended.code, ended.err.splitlines()[2:]) == (
            1,
            [
                "error: the Pulumi command line is not installed: there is no `pulumi` on the path",
                "  hint: install it as https://www.pulumi.com/docs/iac/download-install/ says",
            ],
        )

    def test_of_a_stack_that_pulumi_cloud_has_locked_is_busy(
        self, company: Company, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = stand_in(
            company, 'echo "error: [409] Conflict: Another update is currently in progress." >&2; exit 255'
        )
        monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)

        assert company.hedgerow("pulumi", "up", "production").code == 8

    def test_that_pulumi_refuses_is_told_in_its_words(self, company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = stand_in(company, 'echo "error: incorrect passphrase" >&2; exit 255')
        monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
        ended = company.hedgerow("pulumi", "up", "production")

        assert (ended.code, ended.err.splitlines()[2:]) == (
            1,
            ["error: `pulumi preview --json` ended with 255", "  error: incorrect passphrase"],
        )

    def test_with_checkpoints_always_has_them_whatever_the_environment_says(self, company: Company) -> None:
        ended = company.hedgerow("pulumi", "up", "--dry-run", "--checkpoints", "always", "production")

        assert ended.out.splitlines()[1] == (
            f"{QUIET} PULUMI_SKIP_CHECKPOINTS=false pulumi up --yes --skip-preview --continue-on-error "
            "--stack production --parallel 16"
        )

    def test_that_is_ended_from_outside_lets_pulumi_finish_and_begins_no_other_part(self, company: Company) -> None:
        split(company, "2")
        folder = stand_in(
            company,
            "trap 'touch finished; exit 1' INT\n"
            'if [ "$1" = up ]; then touch began; while :; do sleep 0.1; done; fi\n'
            """echo '{"changeSummary": {"same": 1}, "steps": []}'""",
        )
        running = subprocess.Popen(
            [sys.executable, "-m", "reconciler.cli", "pulumi", "up", "production"],
            cwd=company.folder,
            env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            text=True,
        )
        until = time.monotonic() + 60
        while not (company.folder / "began").exists():
            assert time.monotonic() < until
            time.sleep(0.05)
        running.send_signal(signal.SIGTERM)
        _, err = running.communicate(timeout=60)

        assert (running.returncode, (company.folder / "finished").exists()) == (1, True)
        assert err.splitlines()[-2:] == [
            "interrupted: Pulumi finishes what is in flight and writes its state",
            "error: interrupted",
        ]
        assert "production-1-of-2" not in err


def test_a_file_for_import_is_of_one_pulumi_stack(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    split(company, "project")
    monkeypatch.setenv(
        "PATH", str(stand_in(company, "echo \"error: no stack named '$4' found\" >&2; exit 6")), prepend=os.pathsep
    )
    ended = company.hedgerow("pulumi", "import-file", "production")

    assert (ended.code, ended.err.splitlines()[-2:]) == (
        64,
        [
            "error: production is declared by 2 Pulumi stacks, and each has a file of its own",
            "  hint: name one with --pulumi-stack: production-acme-billing-prod, production-acme-orders-prod",
        ],
    )


def test_what_cannot_be_listed_is_not_taken_for_absent(company: Company) -> None:
    company.world.deny("acme-orders-prod", "pubsub", "not yours")
    ended = company.hedgerow("pulumi", "adopt", "production")

    assert (ended.code, ended.out, ended.err) == (
        4,
        "",
        (
            "error: `acme-orders-prod`: the topics could not be read: PERMISSION_DENIED: not yours\n"
            "  hint: the caller needs `pubsub.topics.list`, held by roles/pubsub.viewer\n"
        ),
    )


def test_topics_are_listed_as_to_take_over_before_there_is_a_pulumi_stack(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = stand_in(company, "echo \"error: no stack named 'production' found\" >&2; exit 6")
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    ended = company.hedgerow("pulumi", "adopt", "production")

    assert ended.out == (
        "production\n"
        "  = projects/acme-billing-prod/topics/invoices  as declared\n"
        "  = projects/acme-orders-prod/topics/orders  as declared\n"
        "  = projects/acme-orders-prod/topics/returns  as declared\n"
    )
    assert ended.err.splitlines()[1:] == [
        "3 declared topics in 1 Pulumi stack: 3 to take over, 0 would change",
        "next: pulumi stack init production, because there is no such Pulumi stack yet",
        "next: pulumi config set hedgerow:adopt true --stack production",
        "then: hedgerow pulumi up production; leaving `hedgerow:adopt` on changes nothing",
    ]
