"""`hedgerow guard`, on what Pulumi prints and on what it does not."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from reconciler.cli.main import run
from reconciler.report import schema_text
from tests.cli.conftest import Ended
from tests.preview.samples import document, resource, step, stream
from tests.spec.stacks import write

STACK = """\
apiVersion: hedgerow/v1
organization: organizations/123456789012
policySource: live
projects: [acme-orders]
pulumi: {mayDelete: [projects/acme-orders/topics/returns]}
"""
TOPICS = "topics:\n  - name: projects/acme-orders/topics/orders\n"
ORDERS = "projects/acme-orders/topics/orders"


@pytest.fixture
def guard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Guard:
    write(tmp_path / "stacks" / "production", {"stack.yaml": STACK, "topics.yaml": TOPICS})
    monkeypatch.chdir(tmp_path)
    return Guard(capsys)


class Guard:
    """Runs the command on a preview that is in a file."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, text: str | None, *arguments: str) -> Ended:
        file = [] if text is None else ["preview.json"]
        if text is not None:
            Path("preview.json").write_text(text, encoding="utf-8")
        code = run(["guard", *file, *arguments])
        return Ended(int(code), *self.capsys.readouterr())


REPLACED = step("replace", replaces=("tags",), diff={"tags": "update-replace"})
RETURNS = step("delete", "returns")


def test_a_preview_that_takes_nothing_away_passes(guard: Guard) -> None:
    ended = guard(document(step("create"), step("update", "returns")))

    assert ended == Ended(
        0,
        "",
        "looked at a preview of 3 resources, 2 Pub/Sub topics among them\nno topic would be deleted or replaced\n",
    )


def test_a_preview_without_topics_does_not_look_like_one_with(guard: Guard) -> None:
    assert guard(document()).err.startswith("looked at a preview of 1 resource, 0 Pub/Sub topics among them\n")


def test_a_replacement_is_refused_with_the_property_that_forces_it_and_the_way_out(guard: Guard) -> None:
    ended = guard(document(REPLACED))

    assert ended.code == 5
    assert ended.out == (
        "preview.json: error: `orders`: `tags` would replace the topic: deleted, with the messages in it, and created "
        "anew  [topic-replaced]\n"
        "  topic: projects/acme-orders/topics/orders\n"
        "  urn: urn:pulumi:production::hedgerow::hedgerow:pubsub:TopicFleet$gcp:pubsub/topic:Topic::acme-orders/orders\n"
        "  hint: take the change of `tags` back: an existing topic is tagged by a tag binding; to allow it, list the "
        "topic in `pulumi.mayReplace` of stack.yaml and bring that up first, which lifts its protection; for another "
        "program, pass --allow-replace projects/acme-orders/topics/orders\n"
    )
    assert ended.err == (
        "looked at a preview of 2 resources, 1 Pub/Sub topic among them\nrefused: 1 topic would be lost\n"
    )


def test_a_deletion_is_refused_in_the_streaming_form_too(guard: Guard) -> None:
    ended = guard(stream(step("delete")))

    assert ended.code == 5
    assert ended.out.splitlines()[0] == (
        "preview.json: error: `orders`: the topic would be deleted, with the messages in it  [topic-deleted]"
    )
    assert ended.out.splitlines()[-1] == (
        "  hint: to allow it, list the topic in `pulumi.mayDelete` of stack.yaml and bring that up first, which lifts its "
        "protection; for another program, pass --allow-delete projects/acme-orders/topics/orders"
    )


@pytest.mark.parametrize(
    ("taken", "message", "hint"),
    [
        (
            step("replace"),
            "`orders`: the topic would be replaced, for a reason that the preview does not name  [topic-replaced]",
            "to allow it, list the topic in `pulumi.mayReplace` of stack.yaml and bring that up first, which lifts its "
            "protection; for another program, pass --allow-replace " + ORDERS,
        ),
        (
            step("obliterate"),
            "`orders`: nobody knows what `obliterate` does to the topic  [topic-operation-unknown]",
            "update hedgerow, or run this step by hand",
        ),
        (
            step("delete", old={"id": ""}),
            (
                "`urn:pulumi:production::hedgerow::hedgerow:pubsub:TopicFleet$gcp:pubsub/topic:Topic::acme-orders/orders`: "
                "the topic would be deleted, with the messages in it  [topic-deleted]"
            ),
            "the preview does not tell the topic's name, so it cannot be allowed: run it by hand, one topic at a time",
        ),
    ],
)
def test_every_loss_has_its_words(guard: Guard, taken: dict[str, object], message: str, hint: str) -> None:
    lines = guard(document(taken)).out.splitlines()

    assert lines[0] == f"preview.json: error: {message}"
    assert lines[-1] == f"  hint: {hint}"


def test_topics_are_allowed_one_by_one(guard: Guard) -> None:
    text = document(REPLACED, step("delete", "returns"))

    assert guard(text, "--allow-replace", ORDERS).code == 5
    ended = guard(text, "--allow-replace", ORDERS, "--allow-delete", "projects/acme-orders/topics/returns")
    assert (ended.code, ended.out) == (0, "")
    assert ended.err == (
        "looked at a preview of 3 resources, 2 Pub/Sub topics among them\n"
        "allowed: projects/acme-orders/topics/orders would be replaced\n"
        "allowed: projects/acme-orders/topics/returns would be deleted\n"
    )


def test_what_the_deletion_policy_prevents_is_refused_even_where_it_is_allowed(guard: Guard) -> None:
    old = resource("orders", deletionPolicy="PREVENT")
    ended = guard(document(step("replace", old=old, replaces=("tags",))), "--allow-replace", ORDERS)

    assert ended.code == 5
    assert ended.out.splitlines()[-1].endswith(
        "its `deletionPolicy` is PREVENT: to allow this, list the topic in `pulumi.mayReplace` of stack.yaml and bring "
        "that up first, without this change"
    )


def test_an_allowance_that_allows_nothing_is_a_warning(guard: Guard) -> None:
    ended = guard(document(), "--allow-delete", ORDERS)

    assert (ended.code, ended.err.splitlines()[-1]) == (0, f"warning: --allow-delete {ORDERS} allowed nothing")


def test_a_stack_allows_what_it_names_and_shows_where_a_topic_is_declared(guard: Guard) -> None:
    ended = guard(document(REPLACED, RETURNS), "--stack", "production")

    assert ended.code == 5
    assert ended.out.startswith("stacks/production/topics.yaml:2:5: error: `orders`: `tags` would replace the topic")
    assert "allowed: projects/acme-orders/topics/returns would be deleted\n" in ended.err


def test_the_preview_comes_from_stdin_as_well(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(document(REPLACED).encode())))
    ended = guard(None)

    assert (ended.code, ended.out.startswith("stdin: error: `orders`")) == (5, True)


def test_bytes_that_are_no_text_are_no_preview(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe")))

    assert guard(None) == Ended(4, "", "error: the preview is not UTF-8\n")


def test_every_form_tells_it(guard: Guard) -> None:
    ended = guard(
        document(REPLACED, RETURNS), "--stack", "production", "--format", "json", "--format", "sarif=g.sarif",
        "--format", "github=g.txt",
    )  # fmt: skip
    urn = "urn:pulumi:production::hedgerow::hedgerow:pubsub:TopicFleet$gcp:pubsub/topic:Topic::acme-orders/"

    assert ended.json == {
        "formatVersion": "1",
        "result": "refused",
        "exitCode": 5,
        "preview": {"form": "json", "steps": 3, "topics": 2, "errors": []},
        "counts": {"delete": 1, "replace": 1, "same": 1},
        "refused": [
            {
                "topic": ORDERS,
                "urn": f"{urn}orders",
                "would": "replaced",
                "forcedBy": ["tags"],
                "operations": ["replace"],
                "prevented": False,
            }
        ],
        "allowed": [
            {
                "topic": "projects/acme-orders/topics/returns",
                "urn": f"{urn}returns",
                "would": "deleted",
                "forcedBy": [],
                "operations": ["delete"],
                "prevented": False,
            }
        ],
    }
    jsonschema.validate(ended.json, json.loads(schema_text("guard")))
    sarif = json.loads(Path("g.sarif").read_text("utf-8"))["runs"][0]
    assert [result["ruleId"] for result in sarif["results"]] == ["topic-replaced"]
    assert sarif["invocations"][0]["exitCode"] == 5
    assert (
        Path("g.txt")
        .read_text("utf-8")
        .startswith("::error file=stacks/production/topics.yaml,line=2,col=5,title=topic-replaced::`orders`")
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "error: the preview is empty: Pulumi printed nothing\n"),
        ("error: no stack selected", "error: line 1 of the preview is not JSON\n"),
    ],
)
def test_what_is_no_preview_is_never_fine(guard: Guard, text: str, said: str) -> None:
    ended = guard(text)

    assert (ended.code, ended.out) == (4, "")
    assert ended.err.startswith(said)


FAILED = [{"severity": "error", "message": "error: preview failed\nbadly"}]


def test_a_preview_that_failed_is_never_fine(guard: Guard) -> None:
    ended = guard(document(step("same"), diagnostics=FAILED))

    assert (ended.code, ended.out) == (4, "")
    assert ended.err == (
        "looked at a preview of 2 resources, 1 Pub/Sub topic among them\n"
        "error: the preview failed, so nobody knows what else an update would do\n"
        "  error: preview failed\n"
        "  badly\n"
    )


def test_what_a_failed_preview_tells_is_refused_with_its_property(guard: Guard) -> None:
    ended = guard(document(REPLACED, diagnostics=FAILED))

    assert (ended.code, ended.out.splitlines()[0].partition("`orders`: ")[2]) == (
        5,
        "`tags` would replace the topic: deleted, with the messages in it, and created anew  [topic-replaced]",
    )
    assert "error: the preview failed" in ended.err


def test_an_allowance_does_not_make_a_failed_preview_pass(guard: Guard) -> None:
    ended = guard(document(REPLACED, diagnostics=FAILED), "--allow-replace", ORDERS)

    assert (ended.code, ended.out) == (4, "")


def test_why_nothing_could_be_judged_is_told_in_every_form(guard: Guard) -> None:
    ended = guard("{}", "--format", "json")

    assert (ended.code, ended.json["result"], ended.json["failure"]["message"]) == (
        4,
        "not-evaluated",
        "this JSON is no preview: it has neither `steps` nor engine events",
    )


@pytest.mark.parametrize("option", ["--allow-delete", "--allow-replace"])
def test_an_allowance_is_a_full_name(guard: Guard, option: str) -> None:
    ended = guard(document(), option, "orders")

    assert ended.code == 64
    assert "`orders` is not a topic name; write `projects/PROJECT/topics/TOPIC`" in ended.err


def test_a_file_that_is_not_there_is_told(guard: Guard) -> None:
    assert guard(None, "nothing.json") == Ended(
        1, "", "error: nothing.json cannot be read: No such file or directory\n"
    )


def test_a_remark_of_the_github_workflow_is_left(guard: Guard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    guard(document(REPLACED))
    guard("{}")

    assert (tmp_path / "output").read_text("utf-8") == "result=refused\nresult=not-evaluated\n"


def test_it_needs_neither_pulumis_sdk_nor_googles_clients(guard: Guard) -> None:
    guard(document(REPLACED))
    program = (
        "import sys; from reconciler.cli.main import run; code = run(['guard', 'preview.json', '--stack', 'production'])\n"
        "print(int(code), [name for name in ('google', 'grpc', 'pulumi', 'pulumi_gcp') if name in sys.modules])"
    )
    root = Path(__file__).resolve().parents[2]
    ended = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": str(root)}, capture_output=True, text=True, check=True
    )

    assert ended.stdout.splitlines()[-1] == "5 []"
