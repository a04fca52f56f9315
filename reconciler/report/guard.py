"""What a preview would do to topics, as diagnostics and as a JSON document."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from reconciler.errors import ExitCode, Position
from reconciler.preview import Fate, Loss, Preview, Refused
from reconciler.report.diagnostics import Diagnostic, counted
from reconciler.report.results import result_word
from reconciler.rules import Rule, Severity

_LOST = (
    "Deleting a topic loses the messages in it, leaves its subscriptions without a topic and purges its permissions "
    "(https://github.com/gke-labs/kube-agents/issues/1059, "
    "https://github.com/GoogleCloudPlatform/k8s-config-connector/issues/2619)."
)

_RULES = {
    Fate.REPLACED: Rule(
        code="topic-replaced",
        severity=Severity.ERROR,
        because=f"A replacement deletes the topic and creates another of the same name. {_LOST}",
    ),
    Fate.DELETED: Rule(code="topic-deleted", severity=Severity.ERROR, because=_LOST),
    Fate.UNKNOWN: Rule(
        code="topic-operation-unknown",
        severity=Severity.ERROR,
        because="Pulumi's engine names an operation that hedgerow does not know, so it may do anything to the topic.",
    ),
}

GUARD_RULES = tuple(_RULES.values())

_ADVICE = {
    "name": "a topic cannot be renamed: declare the new one beside it, and move publishers and subscriptions over",
    "project": "a topic cannot be moved: declare the new one beside it, and move publishers and subscriptions over",
    "tags": "take the change of `tags` back: an existing topic is tagged by a tag binding",
    "provider": "take the change of the provider's settings back, or make it without a new provider",
}
"""What to do instead, by the property that forces a replacement.

A topic's own are name, project and tags (`resource_pubsub_topic.go` of hashicorp/terraform-provider-google).
"""


def guard_diagnostics(losses: Iterable[Loss], place: Callable[[Loss], Position]) -> list[Diagnostic]:
    """What is refused, one diagnostic for each topic.

    Args:
        losses: the refused ones.
        place: where the user finds a topic: the line that declares it, or the preview.
    """
    return [_diagnostic(loss, place(loss)) for loss in losses]


def guard_document(preview: Preview, judged: Refused, code: ExitCode) -> dict[str, Any]:
    """The same as a JSON value, with what is allowed and how much was looked at."""
    return {
        "formatVersion": "1",
        "result": result_word(code),
        "exitCode": int(code),
        "preview": {
            "form": preview.form,
            "steps": len(preview.steps),
            "topics": preview.topics,
            "errors": list(preview.errors),
        },
        "counts": dict(sorted(preview.counts.items())),
        "refused": [_loss_document(loss) for loss in judged.refused],
        "allowed": [_loss_document(loss) for loss in judged.allowed],
    }


def guard_summary(preview: Preview, judged: Refused) -> list[str]:
    """What was looked at, and what came of it."""
    steps = counted(len({step.urn for step in preview.steps}), "resource")
    lines = [f"looked at a preview of {steps}, {counted(preview.topics, 'Pub/Sub topic')} among them"]
    lines += [f"allowed: {_name(loss)} would be {loss.fate}" for loss in judged.allowed]
    if judged.refused:
        lines.append(f"refused: {counted(len(judged.refused), 'topic')} would be lost")
    elif not judged.allowed and not preview.errors:
        lines.append("no topic would be deleted or replaced")
    return lines


def _diagnostic(loss: Loss, position: Position) -> Diagnostic:
    rule = _RULES[loss.fate]
    return Diagnostic(
        position=position,
        severity=rule.severity,
        code=rule.code,
        subject=str(loss.topic or loss.urn),
        message=f"`{loss.topic.topic if loss.topic else loss.urn}`: {_what(loss)}",
        details=tuple([f"topic: {loss.topic}"] * (loss.topic is not None) + [f"urn: {loss.urn}"]),
        hint=_way_out(loss),
    )


def _what(loss: Loss) -> str:
    match loss.fate:
        case Fate.DELETED:
            return "the topic would be deleted, with the messages in it"
        case Fate.UNKNOWN:
            return f"nobody knows what `{'`, `'.join(loss.operations)}` does to the topic"
        case Fate.REPLACED if loss.forced_by:
            names = ", ".join(f"`{name}`" for name in loss.forced_by)
            return f"{names} would replace the topic: deleted, with the messages in it, and created anew"
        case Fate.REPLACED:
            return "the topic would be replaced, for a reason that the preview does not name"


def _way_out(loss: Loss) -> str:
    if loss.topic is None:
        return (
            "the preview does not tell the topic's name, so it cannot be allowed: run it by hand, one topic at a time"
        )
    if loss.fate is Fate.UNKNOWN:
        return "update hedgerow, or run this step by hand"
    option = "delete" if loss.fate is Fate.DELETED else "replace"
    allow = (
        f"to allow it, list the topic in `pulumi.may{option.title()}` of stack.yaml and bring that up first, which "
        f"lifts its protection; for another program, pass --allow-{option} {loss.topic}"
    )
    if loss.prevented:
        allow = (
            f"its `deletionPolicy` is PREVENT: to allow this, list the topic in `pulumi.may{option.title()}` of "
            "stack.yaml and bring that up first, without this change"
        )
    advice = next((_ADVICE[name] for name in loss.forced_by if name in _ADVICE), None)
    return f"{advice}; {allow}" if advice else allow


def _name(loss: Loss) -> str:
    return str(loss.topic or loss.urn)


def _loss_document(loss: Loss) -> dict[str, Any]:
    return {
        "topic": None if loss.topic is None else str(loss.topic),
        "urn": loss.urn,
        "would": str(loss.fate),
        "forcedBy": list(loss.forced_by),
        "operations": list(loss.operations),
        "prevented": loss.prevented,
    }
