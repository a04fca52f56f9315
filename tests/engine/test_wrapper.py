"""`hedgerow pulumi up` and `stacks` on the real engine: what they run, how they end, and stacks in parts."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.engine.test_giving_up import section
from tests.engine.workshop import PROJECT, STACK, Workshop, explicit, stored
from tests.preview.samples import TYPES

pytestmark = [pytest.mark.engine, pytest.mark.network]

PREVIEW = (
    "$ PULUMI_SKIP_UPDATE_CHECK=true PULUMI_SKIP_CHECKPOINTS=true PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true "
    "pulumi preview --json --stack production --parallel 16"
)
UP = (
    "$ PULUMI_SKIP_UPDATE_CHECK=true pulumi up --yes --skip-preview --continue-on-error --stack production "
    "--parallel 16"
)


def there(workshop: Workshop, topic: str) -> None:
    """Somebody has made a topic already."""
    workshop.world.put_topic(f"projects/{PROJECT}/topics/{topic}", None)


def test_it_shows_what_it_runs_and_pulumi_does_the_rest(workshop: Workshop) -> None:
    workshop.declare({"name": "orders"}, {"name": "returns"})
    looked = workshop.hedgerow("pulumi", "up", "--preview").succeeded()
    assert looked.out.splitlines()[:2] == [
        f"create  projects/{PROJECT}/topics/orders",
        f"create  projects/{PROJECT}/topics/returns",
    ]
    assert looked.err.splitlines() == [
        "stack stacks/production",
        "production: 2 topics",
        PREVIEW,
        "preview: 4 to create, 0 unchanged",
    ]
    assert workshop.writes() == []

    made = workshop.hedgerow("pulumi", "up").succeeded()
    assert made.summary == ["+ 4 created"]
    assert made.err.splitlines()[2:] == [PREVIEW, "preview: 4 to create, 0 unchanged", UP]
    assert workshop.writes() == ["CreateTopic orders", "CreateTopic returns"]


def test_checkpoints_are_left_out_when_asked_for_and_flags_are_passed_on(workshop: Workshop) -> None:
    workshop.declare({"name": "orders"})
    ended = workshop.hedgerow(
        "pulumi", "up", "production", "--checkpoints", "never", "--parallel", "2", "--", "--refresh"
    ).succeeded()

    assert ended.err.splitlines()[-1] == (
        "$ PULUMI_SKIP_UPDATE_CHECK=true PULUMI_SKIP_CHECKPOINTS=true pulumi up --yes --skip-preview "
        "--continue-on-error --stack production --parallel 2 --refresh"
    )


def test_a_finding_ends_it_before_pulumi_runs(workshop: Workshop) -> None:
    workshop.declare({"name": "orders", **explicit("us-east1")})
    ended = workshop.hedgerow("pulumi", "up")

    assert ended.code == 3
    assert "region `us-east1` is not allowed" in ended.err
    assert "$ " not in ended.err


def test_one_topic_that_is_there_does_not_stop_the_others(workshop: Workshop) -> None:
    for topic in ("a-there", "b-there"):
        there(workshop, topic)
    workshop.declare(*({"name": name} for name in ("a-there", "b-there", *(f"new-{index}" for index in range(20)))))
    ended = workshop.hedgerow("pulumi", "up")

    assert ended.code == 6
    assert len([write for write in workshop.writes() if "new-" in write]) == 20
    assert len(workshop.live()) == 22
    assert ended.err.splitlines()[-2:] == [
        "some topics are there already, and not in the Pulumi stack",
        "  hint: hedgerow pulumi adopt production",
    ]


def test_a_locked_stack_is_told_and_left_locked(workshop: Workshop) -> None:
    workshop.declare({"name": "orders"})
    locks = workshop.root.parent / "state" / ".pulumi" / "locks" / "organization" / "hedgerow" / "production"
    locks.mkdir(parents=True, exist_ok=True)
    lock = {"pid": 1, "username": "somebody", "hostname": "elsewhere", "timestamp": "2026-11-30T02:00:00Z"}
    (locks / "0.json").write_text(json.dumps(lock))
    ended = workshop.hedgerow("pulumi", "up")

    assert (ended.code, ended.out, workshop.writes()) == (8, "", [])
    assert "error: the Pulumi stack is locked: another update is running, or one was killed\n" in ended.err
    assert ended.err.endswith(
        "  hint: wait for it; where none is running, `pulumi cancel` takes the lock away, which hedgerow never does\n"
    )
    assert (locks / "0.json").exists()


def test_a_pulumi_stack_that_there_is_not_is_told(bare_workshop: Workshop) -> None:
    bare_workshop.declare({"name": "orders"})
    ended = bare_workshop.hedgerow("pulumi", "up")

    assert ended.code == 1
    assert ended.err.endswith("error: there is no Pulumi stack `production`\n  hint: pulumi stack init production\n")


def test_a_program_that_fails_is_told_in_its_own_words(workshop: Workshop) -> None:
    workshop.declare({"name": "orders"})
    workshop.write("stacks/__main__.py", "raise ValueError('the program is broken')\n")
    ended = workshop.hedgerow("pulumi", "up")

    assert ended.code == 1
    assert "error: the preview failed, so nobody knows what else an update would do\n" in ended.err
    assert "ValueError: the program is broken" in ended.err


def test_a_split_stack_is_brought_up_part_by_part_and_a_failed_part_stops_no_other(bare_workshop: Workshop) -> None:
    workshop = bare_workshop
    section(workshop, "pulumi: {shards: 2}\n")
    workshop.declare(*({"name": f"topic-{index}"} for index in range(6)))
    names = workshop.hedgerow("pulumi", "stacks", "--format", "names").succeeded().out.split()
    assert names == ["production-0-of-2", "production-1-of-2"]
    workshop.pulumi("stack", "init", names[1]).succeeded()

    ended = workshop.hedgerow("pulumi", "up")
    assert ended.code == 1
    assert ended.err.splitlines()[-2:] == ["2 Pulumi stacks: 1 done, 1 not", "  production-0-of-2: failed (1)"]
    listed = json.loads(workshop.hedgerow("pulumi", "stacks", "--format", "json").out)["pulumiStacks"]
    assert len(workshop.live()) == listed[1]["topics"]

    workshop.pulumi("stack", "init", names[0]).succeeded()
    workshop.hedgerow("pulumi", "up", "--pulumi-stack", names[0]).succeeded()
    assert len(workshop.live()) == 6
    workshop.writes()
    again = workshop.hedgerow("pulumi", "up", "production").succeeded()
    assert again.err.splitlines()[-1] == "2 Pulumi stacks: 2 done, 0 not"

    # A new topic changes exactly one of them.
    workshop.declare(*({"name": f"topic-{index}"} for index in range(7)))
    previews = [workshop.pulumi("preview", "--stack", name).succeeded() for name in names]
    assert sorted("fleetFingerprint" in preview.out for preview in previews) == [False, True]
    assert sorted(any("to create" in line for line in preview.summary) for preview in previews) == [False, True]


def test_another_number_of_parts_takes_the_topics_over_and_forgets_the_old_parts(workshop: Workshop) -> None:
    workshop.declare(*({"name": f"topic-{index}"} for index in range(6)))
    workshop.hedgerow("pulumi", "up").succeeded()
    before = workshop.live()
    section(workshop, "pulumi: {shards: 2}\n")
    refused = workshop.pulumi("up", "--yes")
    assert refused.code == 1
    assert "the Pulumi stack `production` declares nothing of `production`" in refused.words
    workshop.writes()

    for name in ("production-0-of-2", "production-1-of-2"):
        workshop.pulumi("stack", "init", name).succeeded()
        workshop.pulumi("config", "set", "hedgerow:adopt", "true", "--stack", name).succeeded()
    workshop.hedgerow("pulumi", "up").succeeded()
    workshop.pulumi("stack", "rm", "production", "--force", "--yes").succeeded()

    assert (workshop.writes(), workshop.live()) == ([], before)
    assert workshop.hedgerow("pulumi", "drift", "--exit-code").succeeded().out == ""


def test_with_one_part_more_only_the_topics_that_move_need_to(bare_workshop: Workshop) -> None:
    workshop = bare_workshop
    section(workshop, "pulumi: {shards: 2}\n")
    workshop.declare(*({"name": f"topic-{index}"} for index in range(6)))
    for index in range(2):
        workshop.pulumi("stack", "init", f"production-{index}-of-2").succeeded()
    workshop.hedgerow("pulumi", "up").succeeded()
    workshop.writes()
    section(workshop, "pulumi: {shards: 3}\n")

    for index in range(2):
        workshop.pulumi(
            "stack", "rename", f"production-{index}-of-3", "--stack", f"production-{index}-of-2"
        ).succeeded()
    workshop.pulumi("stack", "init", "production-2-of-3").succeeded()
    workshop.pulumi("config", "set", "hedgerow:adopt", "true", "--stack", "production-2-of-3").succeeded()
    moved = json.loads(workshop.hedgerow("pulumi", "adopt", "--format", "json").succeeded().out)["adoptions"]
    assert [(one["topic"], one["pulumiStack"]) for one in moved] == [
        (f"projects/{PROJECT}/topics/topic-0", "production-2-of-3")
    ]
    workshop.hedgerow("pulumi", "up", "--pulumi-stack", "production-2-of-3").succeeded()
    urn = f"urn:pulumi:production-0-of-3::hedgerow::{TYPES}::{PROJECT}/topic-0"
    workshop.pulumi("state", "delete", "--force", "--yes", "--stack", "production-0-of-3", urn).succeeded()

    workshop.hedgerow("pulumi", "up").succeeded()
    assert (workshop.writes(), len(workshop.live())) == ([], 6)


def test_all_stacks_are_brought_up_one_after_the_other(workshop: Workshop) -> None:
    workshop.declare({"name": "orders"})
    shutil.copytree(workshop.root / "stacks" / STACK, workshop.root / "stacks" / "broken")
    workshop.write("stacks/broken/topics.yaml", "topics: [{name: projects/acme-orders-prod/topics/x1, label: {}}]\n")
    ended = workshop.hedgerow("pulumi", "up", "--all")

    assert (ended.code, ended.err.splitlines()[-2:]) == (
        3,
        ["2 Pulumi stacks: 1 done, 1 not", "  broken: invalid (3)"],
    )
    assert workshop.live() == {"orders": stored("europe-west1", "europe-west3", "europe-west4")}
