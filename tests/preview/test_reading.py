"""Both forms of a preview, and everything that is none."""

from __future__ import annotations

import json

import pytest

from reconciler.errors import ExitCode
from reconciler.model import TopicName
from reconciler.preview import Resource, Step, UnreadablePreview, read_preview
from tests.preview.samples import document, event, lines, step, step_event, stream, urn

HINT = "\n  hint: give it what `pulumi preview --json` printed on stdout, all of it"

STEPS = (
    step("replace", replaces=("tags",), diff={"tags": "update-replace"}),
    step("delete", "returns"),
    step("create", "refunds"),
)


def test_both_forms_say_the_same() -> None:
    from_document, from_events = read_preview(document(*STEPS)), read_preview(stream(*STEPS))

    assert (from_document.form, from_events.form) == ("json", "events")
    assert from_document.steps[1:] == from_events.steps  # the document lists the stack itself first
    assert from_document.counts == from_events.counts == {"same": 1, "replace": 1, "delete": 1, "create": 1}
    assert (from_document.errors, from_events.errors) == ((), ())
    assert from_document.topics == from_events.topics == 3


def test_a_step_is_read_whole() -> None:
    own = {"name": "orders", "project": "acme-orders"}
    there = Resource(id="projects/acme-orders/topics/orders", inputs=own, outputs=own)

    assert read_preview(stream(STEPS[0])).steps == (
        Step(
            urn=urn("orders"),
            op="replace",
            forcing=("tags",),
            changed={"tags": "update-replace"},
            old=there,
            new=there,
        ),
    )


def test_blank_lines_between_events_are_nothing() -> None:
    assert read_preview(stream(*STEPS).replace("\n", "\n\n")) == read_preview(stream(*STEPS))


def test_one_event_alone_is_read_as_events() -> None:
    summary = event("summaryEvent", resourceChanges={"same": 4})

    assert read_preview(lines(summary)).counts == {"same": 4}


@pytest.mark.parametrize(
    ("state", "name"),
    [
        ({"id": "projects/acme-orders/topics/orders"}, TopicName("acme-orders", "orders")),
        ({"id": "acme-orders/orders", "outputs": {"project": "p-1", "name": "orders"}}, TopicName("p-1", "orders")),
        ({"inputs": {"project": "p-1", "name": "projects/p-1/topics/orders"}}, TopicName("p-1", "orders")),
        ({"inputs": {"name": "orders"}, "outputs": {"project": 5, "name": "orders"}}, None),
    ],
)
def test_a_topics_name_is_taken_from_its_id_or_its_properties(state: dict[str, object], name: TopicName | None) -> None:
    (read,) = read_preview(stream(step("delete", old=state))).steps

    assert read.topic == name


def test_the_result_of_a_refresh_is_no_operation_on_the_topic() -> None:
    gone = step("delete", old={"id": "projects/acme-orders/topics/orders"})
    preview = read_preview(
        lines(
            step_event(step("refresh")),
            step_event(gone, "resOutputsEvent"),
            step_event(step("create")),
            step_event(step("create"), "resOutputsEvent"),
            event("summaryEvent", resourceChanges={"create": 1}),
        )
    )

    assert [(one.op, one.is_done) for one in preview.steps] == [
        ("refresh", False),
        ("refresh", True),
        ("create", False),
        ("create", False),
    ]


@pytest.mark.parametrize(
    ("told", "errors"),
    [
        (
            event("diagnosticEvent", severity="error", message="<{%fg 1%}>no credentials<{%reset%}>\n"),
            ("no credentials",),
        ),
        (event("errorEvent", error="the engine gave up"), ("the engine gave up",)),
        (
            event("resOpFailedEvent", metadata={"op": "create", "urn": "urn:x"}, status=1),
            ("create of urn:x failed",),
        ),
        (
            event("policyEvent", enforcementLevel="mandatory", policyName="regions", message="us-east1"),
            ("regions: us-east1",),
        ),
        (event("policyEvent", enforcementLevel="warning", policyName="regions", message="us-east1"), ()),
        (event("policyEvent", enforcementLevel="mandatory", message="excepted", exceptions=[{"id": "1"}]), ()),
        (event("diagnosticEvent", severity="warning", message="odd"), ()),
        (event("diagnosticEvent", severity="info#err", message="the program wrote this on stderr"), ()),
        (event("stdoutEvent", message="hello"), ()),
    ],
)
def test_what_failed_is_told_and_what_is_odd_is_not(told: dict[str, object], errors: tuple[str, ...]) -> None:
    assert read_preview(lines(told, event("summaryEvent", resourceChanges={}))).errors == errors


def test_a_document_tells_what_failed_by_its_diagnostics() -> None:
    diagnostics = [
        {"severity": "warning", "message": "warning: odd"},
        {"severity": "error", "message": "error: preview failed", "urn": "urn:x"},
    ]

    assert read_preview(document(diagnostics=diagnostics)).errors == ("error: preview failed",)
    assert read_preview(json.dumps({"diagnostics": diagnostics})).errors == ("error: preview failed",)


def test_a_stream_that_calls_itself_failed_is_believed() -> None:
    summary = event("summaryEvent", resourceChanges={"same": 1}, result="failed")
    error = event("diagnosticEvent", severity="error", message="preview failed")

    assert read_preview(lines(summary)).errors == ("the engine calls it failed and does not say why",)
    assert read_preview(lines(error, summary)).errors == ("preview failed",)


def test_a_stream_that_failed_before_its_summary_is_told_by_what_failed() -> None:
    text = lines(event("diagnosticEvent", severity="error", message="no such stack"))

    assert read_preview(text).errors == ("no such stack",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the preview is empty: Pulumi printed nothing"),
        (" \n\n", "the preview is empty: Pulumi printed nothing"),
        ("error: no stack selected\n", "line 1 of the preview is not JSON"),
        (document(*STEPS)[:-40], "line 1 of the preview is not JSON"),
        (stream(*STEPS) + "{", "line 6 of the preview is not JSON"),
        ("[]", "this JSON is no preview: it has neither `steps` nor engine events"),
        ("{}", "this JSON is no preview: it has neither `steps` nor engine events"),
        ('{"version": 3, "deployment": {}}', "this JSON is no preview: it has neither `steps` nor engine events"),
        ("4\n5\n", "line 1 of the preview is no engine event"),
        (lines(event("preludeEvent")) + '{"steps": []}\n', "line 2 of the preview is no engine event"),
        (
            lines(step_event(step("same"))),
            "the preview did not come to its end: it has no summary",
        ),
        (
            '{"steps": [], "diagnostics": [{"severity": "warning"}]}',
            "the preview did not come to its end: it has no `changeSummary`",
        ),
        ('{"changeSummary": {"delete": 2}}', "the preview counts changes and lists no steps"),
        ('{"steps": 5}', "`steps` in the preview is not a list"),
        ('{"steps": [5]}', "`steps` in the preview has an entry that is no mapping"),
        ('{"changeSummary": []}', "`changeSummary` in the preview is not a mapping"),
        ('{"steps": [{"op": "delete"}]}', "a step of the preview has no `urn` or no `op`"),
        ('{"steps": [{"urn": "urn:x", "op": null}]}', "a step of the preview has no `urn` or no `op`"),
    ],
)
def test_what_is_no_whole_preview_is_refused(text: str, message: str) -> None:
    with pytest.raises(UnreadablePreview) as refused:
        read_preview(text)

    assert str(refused.value).partition("\n")[0] == f"error: {message}"
    assert str(refused.value).endswith(HINT) or message.endswith("lists no steps")
    assert refused.value.exit_code is ExitCode.NOT_EVALUATED


def test_a_urn_that_is_none_is_no_topic() -> None:
    assert not Step(urn="x", op="delete").is_topic
    assert not Step(urn="urn:pulumi:s::p::gcp:pubsub/subscription:Subscription::x", op="delete").is_topic
    assert Step(urn="urn:pulumi:s::p::gcp:pubsub/topic:Topic::x", op="delete").is_topic
